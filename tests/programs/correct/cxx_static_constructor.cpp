// expect: holds
// Globals with constructors that allocate; every execution starts from the same state.
#include <cassert>
#include <mutex>
#include <string>
#include <thread>
#include <vector>
static std::vector<int> table{1, 2, 3};
static std::string name(40, 'x');
static std::mutex m;
int main()
{
    assert(table.size() == 3 && table[0] == 1 && name.size() == 40);
    auto work = [] {
        std::lock_guard<std::mutex> guard(m);
        table[0]++;
        table.push_back(4);
        name += "y";
    };
    std::thread t(work), u(work);
    t.join();
    u.join();
    assert(table.size() == 5 && table[0] == 3 && name.size() == 42);
}
