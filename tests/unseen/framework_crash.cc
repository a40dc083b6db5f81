// A test that is right. GoogleTest as a distribution packs it puts a string in the place of the ring on the stack, without a
// word, and has it changed by functions that are compiled with the program: these found the value of the ring's atomic
// objects in place of the string's length, and crashed. With -DOWN the program itself crashes.
#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>
#include <gtest/gtest.h>
template <typename T> class Ring
{
public:
    explicit Ring(std::size_t capacity) : slots_(capacity)
    {
    }
    std::optional<T> pop()
    {
        auto head = head_.load(std::memory_order_relaxed);
        if (head == tail_.load(std::memory_order_acquire))
            return std::nullopt;
        T value = std::move(slots_[head % slots_.size()]);
        head_.store(head + 1, std::memory_order_release);
        return value;
    }

private:
    std::vector<T> slots_;
    std::atomic<std::size_t> head_{0}, tail_{0};
};
TEST(Ring, PassesValues)
{
    Ring<std::unique_ptr<int>> ring(4);
    if (auto value = ring.pop())
        EXPECT_EQ(**value, 42);
}
TEST(Ring, Empty)
{
#ifdef OWN
    std::string *nowhere = nullptr;
    std::string copy = *nowhere;
    EXPECT_EQ(copy, "");
#endif
    Ring<int> ring(2);
    EXPECT_FALSE(ring.pop().has_value());
}
