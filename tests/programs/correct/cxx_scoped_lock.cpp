// expect: holds
// args: -std=c++17
// executions: 2
// std::scoped_lock over two mutexes in opposite orders: no deadlock; it backs off and begins with the other one. However
// often two threads get in each other's way, one of them has both locks before the other one has.
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
