// A ring of slots, each in a cache line of its own, for one producer and one consumer.
#ifdef FIXED
#define LOOK std::memory_order_acquire
#else
#define LOOK std::memory_order_relaxed
#endif
#include <atomic>
#include <cassert>
#include <memory>
#include <thread>

template <typename T> struct alignas(64) Slot {
    std::atomic<bool> full{false};
    T value;
};
template <typename T, int N> class Ring {
public:
    void put(T value)
    {
        Slot<T> &slot = slots[head++ % N];
        slot.value = value;
        slot.full.store(true, std::memory_order_release);
    }
    bool take(T *out)
    {
        Slot<T> &slot = slots[tail % N];
        if (!slot.full.load(LOOK))
            return false;
        *out = slot.value;
        slot.full.store(false, std::memory_order_relaxed);
        tail++;
        return true;
    }

private:
    Slot<T> slots[N];
    unsigned head = 0, tail = 0;
};

int main()
{
    auto ring = std::make_unique<Ring<int, 4>>();
    std::thread producer([&] { ring->put(42); });
    int got = 0;
    if (ring->take(&got))
        assert(got == 42);
    producer.join();
    return 0;
}
