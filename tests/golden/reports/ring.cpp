// What std::make_shared and a container allocate is named after what it is for.
#include <atomic>
#include <memory>
#include <thread>
#include <vector>
struct Entry {
    long key = 0, value = 0;
};
template <typename T> class Ring
{
public:
    explicit Ring(std::size_t size) : slots_(size)
    {
    }
    void push(T item)
    {
        auto tail = tail_.load(std::memory_order_relaxed);
        slots_[tail % slots_.size()] = item;
        tail_.store(tail + 1, std::memory_order_relaxed);
    }
    bool pop(T &item)
    {
        if (tail_.load(std::memory_order_acquire) == 0)
            return false;
        item = slots_[0];
        return true;
    }

private:
    std::vector<T> slots_;
    std::atomic<std::size_t> tail_{0};
};
int main()
{
    auto ring = std::make_shared<Ring<Entry>>(4);
    std::thread producer([ring] { ring->push(Entry{1, 2}); });
    Entry entry;
    ring->pop(entry);
    producer.join();
}
