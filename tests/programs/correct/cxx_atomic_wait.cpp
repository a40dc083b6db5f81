// expect: holds
// args: -std=c++20
// C++20 waiting on an atomic, with notify_one and notify_all, and on an atomic_flag.
#include <atomic>
#include <cassert>
#include <thread>
static std::atomic<int> state{0};
static std::atomic_flag done = ATOMIC_FLAG_INIT;
static int data;
int main()
{
    std::thread t([] {
        state.wait(0);
        assert(data == 1);
        done.test_and_set();
        done.notify_one();
    });
    std::thread u([] { state.wait(0, std::memory_order_acquire); });
    data = 1;
    state.store(1, std::memory_order_release);
    state.notify_all();
    done.wait(false);
    t.join();
    u.join();
}
