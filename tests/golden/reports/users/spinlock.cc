// A spinlock whose unlock() is as cheap as it can be.
#include <atomic>
#include <cassert>
#include <mutex>
#include <thread>

#ifdef FIXED
#define UNLOCK std::memory_order_release
#else
#define UNLOCK std::memory_order_relaxed
#endif

class Spinlock {
    std::atomic_flag flag = ATOMIC_FLAG_INIT;

public:
    void lock()
    {
        while (flag.test_and_set(std::memory_order_acquire))
            ;
    }
    void unlock() { flag.clear(UNLOCK); }
};

static Spinlock guard;
static int balance;

static void pay(int amount)
{
    std::lock_guard<Spinlock> lock(guard);
    balance += amount;
}

int main()
{
    std::thread other(pay, 10);
    pay(20);
    other.join();
    assert(balance == 30);
    return 0;
}
