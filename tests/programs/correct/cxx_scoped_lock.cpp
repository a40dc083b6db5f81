// expect: inconclusive
// args: -std=c++17 --event-bound=300
// std::scoped_lock over two mutexes in opposite orders: no deadlock, but it backs off and tries again,
// without a bound on how often two threads can get in each other's way.
// T takes a, U takes b, both fail to get the other one, give back what they have and are where they began, in the same
// state: there are executions of every length, so all of them can't be explored, and those that end are right (x++ is
// made under both locks). None of the endless ones is a fault: whoever is left alone gets both locks.
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
