// expect: holds
// A function-local static is initialised once, however many threads come first.
#include <cassert>
#include <thread>
static int constructed;
struct Config {
    int value;
    Config() : value(7) { constructed++; }
};
static Config &config()
{
    static Config c;
    return c;
}
int main()
{
    auto work = [] { assert(config().value == 7); };
    std::thread t(work), u(work);
    t.join();
    u.join();
    assert(constructed == 1);
}
