// expect: holds
// args: -std=c++20
// std::counting_semaphore and std::binary_semaphore, one thread acquires each.
#include <cassert>
#include <semaphore>
#include <thread>
static std::counting_semaphore<2> items(0);
static std::binary_semaphore done(0);
static int data, seen;
int main()
{
    std::thread t([] {
        data = 8;
        items.release(2);
    });
    std::thread u([] {
        items.acquire();
        items.acquire();
        assert(data == 8 && !items.try_acquire());
        seen = data;
        done.release();
    });
    done.acquire();
    assert(seen == 8);
    t.join();
    u.join();
}
