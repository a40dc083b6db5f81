/* One line of functions_cxx.txt: a thread makes CALL, another does OTHER; with LOCKED both hold a mutex. HEADER is all
 * that the line needs, if it is given. */
#include <mutex>
#include <thread>
#ifdef HEADER
#include HEADER
#else
#include <algorithm>
#include <any>
#include <array>
#include <bitset>
#include <cassert>
#include <charconv>
#include <chrono>
#include <cmath>
#include <codecvt>
#include <complex>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <exception>
#include <filesystem>
#include <forward_list>
#include <fstream>
#include <functional>
#include <future>
#include <iomanip>
#include <iostream>
#include <list>
#include <locale>
#include <map>
#include <memory>
#include <memory_resource>
#include <mutex>
#include <numeric>
#include <optional>
#include <queue>
#include <random>
#include <regex>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <tuple>
#include <typeindex>
#include <unordered_map>
#include <unordered_set>
#include <valarray>
#include <variant>
#include <vector>
#include <cxxabi.h>
#endif

SHARED;
static std::mutex mutex; // NOLINT: a global that may throw
#ifdef LOCKED
#define GUARD std::lock_guard<std::mutex> guard(mutex)
#else
#define GUARD
#endif
static void caller()
{
    GUARD;
    CALL;
}
int main()
{
    std::thread thread(caller);
    {
        GUARD;
        OTHER;
    }
    thread.join();
    return 0;
}
