// expect: holds or inconclusive
// args: -std=c++17
// std::scoped_lock over two mutexes in opposite orders: no deadlock, but it backs off and tries again,
// without a bound on how often two threads can get in each other's way.
#include <cassert>
#include <mutex>
#include <thread>
static std::mutex a, b;
static int x;
int main()
{
    std::thread t([] {
        std::scoped_lock both(a, b);
        x++;
    });
    std::thread u([] {
        std::scoped_lock both(b, a);
        x++;
    });
    t.join();
    u.join();
    assert(x == 2);
}
