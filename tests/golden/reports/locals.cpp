// Store buffering on variables of main: each side writes its own and reads the other's.
#include <atomic>
#include <cassert>
#include <thread>

struct Side {
    std::atomic<int> flag{0};
    int seen = 0;
};

static void enter(Side &mine, Side &other)
{
    mine.flag.store(1, std::memory_order_release);
    mine.seen = other.flag.load(std::memory_order_acquire);
}

int main()
{
    Side left, right;
    std::thread a([&] { enter(left, right); });
    std::thread b([&] { enter(right, left); });
    a.join();
    b.join();
    assert(left.seen || right.seen);
}
