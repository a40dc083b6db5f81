// expect: holds
// executions: 1
/* An exception makes the program be run again instead of restored, too; the loops that wait, one of
 * them inside a handler, are recognised. One store, two loads that see it. */
#include <atomic>
#include <cassert>
#include <stdexcept>
#include <thread>

static std::atomic<int> flag;
static int data;

static int parse(int n)
{
    if (n > 1)
        throw std::runtime_error("too large");
    return n;
}

int main()
{
    std::thread writer([] {
        data = 42;
        flag.store(1, std::memory_order_release);
    });
    try {
        parse(2);
    } catch (const std::exception &) {
        while (!flag.load(std::memory_order_acquire))
            ;
    }
    while (!flag.load(std::memory_order_acquire))
        ;
    assert(data == 42);
    writer.join();
}
