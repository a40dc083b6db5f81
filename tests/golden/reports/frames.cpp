// Two functions that use the same part of the stack, one after the other: each step names the variable of its time.
#include <atomic>
#include <cassert>
#include <thread>
struct Parcel {
    int weight = 0;
    std::atomic<int> sent{0};
};
static void warm_up()
{
    std::atomic<int> first{0}, second{0}, third{0}, fourth{0};
    std::thread helper([&] { first = 1, second = 1, third = 1, fourth = 1; });
    helper.join();
    assert(first + second + third + fourth == 4);
}
static int deliver()
{
    Parcel parcel;
    std::thread helper([&] {
        parcel.weight = 7;
        parcel.sent.store(1, std::memory_order_relaxed);
    });
    int weight = parcel.sent.load(std::memory_order_acquire) ? parcel.weight : 7;
    helper.join();
    return weight;
}
int main()
{
    warm_up();
    return deliver() != 7;
}
