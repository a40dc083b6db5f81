// Release sequences: C++20 and later end them at the next store of the same thread, C++11 to C++17 go on with it. A
// read-modify-write continues them by either rule.
#include <atomic>
#include <cstdlib>
#include <thread>
static int d;
static std::atomic<int> x;
constexpr auto relaxed = std::memory_order_relaxed, acquire = std::memory_order_acquire, release = std::memory_order_release;
static void wait_for(int v, std::memory_order order = acquire)
{
    if (x.load(order) == v) {
#if V == 4
        std::atomic_thread_fence(acquire);
#endif
        d++;
    }
}
int main()
{
    std::thread a([] {
        d = 1;
#if V == 5
        std::atomic_thread_fence(release);
        x.store(1, relaxed);
#else
        x.store(1, release);
#endif
#if V == 1 || V == 4 || V == 5 || V == 10
        x.store(2, relaxed);
#elif V == 2
        x.fetch_add(1, relaxed);
#elif V == 3
        if (x.exchange(2, relaxed) != 1) // clang makes a store of an exchange whose result nobody uses
            std::abort();
#elif V == 6
        x.fetch_add(1, relaxed);
        x.store(3, relaxed);
#elif V == 7
        x.store(2, relaxed);
        x.store(3, relaxed);
#elif V == 8
        int one = 1;
        x.compare_exchange_strong(one, 2, relaxed);
#elif V == 9
        x.store(2, release);
#endif
    });
    std::thread b([] {
#if V == 4
        wait_for(2, relaxed);
#elif V == 6 || V == 7
        wait_for(3);
#elif V == 10
        int two = 2;
        if (x.compare_exchange_strong(two, 5, acquire, relaxed))
            d++;
#else
        wait_for(2);
#endif
    });
    a.join();
    b.join();
}
