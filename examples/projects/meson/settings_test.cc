#include <cassert>
#include <thread>
#include "settings.h"

int main()
{
    std::thread other([] { assert(Settings::get().size() == 42); });
    assert(Settings::get().size() == 42);
    other.join();
}
