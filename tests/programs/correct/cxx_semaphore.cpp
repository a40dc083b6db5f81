// expect: holds
// args: -std=c++20
// std::counting_semaphore and std::binary_semaphore.
#include <cassert>
#include <semaphore>
#include <thread>
static std::counting_semaphore<2> items(0);
static std::binary_semaphore mutex(1);
static int data, taken;
int main()
{
    std::thread t([] {
        data = 8;
        items.release(2);
    });
    auto consume = [] {
        items.acquire();
        assert(data == 8);
        mutex.acquire();
        taken++;
        mutex.release();
    };
    std::thread u(consume);
    consume();
    t.join();
    u.join();
    assert(taken == 2);
}
