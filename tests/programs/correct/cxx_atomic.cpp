// expect: holds
// std::atomic of integers, pointers, bool and a small struct, with operators and explicit orders.
#include <atomic>
#include <cassert>
#include <thread>
struct Pair {
    short a, b;
};
static std::atomic<int> n{0};
static std::atomic<bool> flag{false};
static std::atomic<Pair> pair{Pair{1, 1}};
static int cells[4];
static std::atomic<int *> cursor{cells};
int main()
{
    std::thread t([] {
        n++;
        n.fetch_add(2, std::memory_order_relaxed);
        *cursor.fetch_add(1) = 1;
        pair.store(Pair{2, 2}, std::memory_order_release);
        flag = true;
    });
    std::thread u([] {
        n -= 1;
        *cursor.fetch_add(1) = 1;
        Pair p = pair.load(std::memory_order_acquire);
        assert(p.a == p.b);
        bool expected = true;
        if (flag.compare_exchange_strong(expected, false))
            assert(pair.load(std::memory_order_relaxed).a == 2);
    });
    t.join();
    u.join();
    assert(n == 2 && cells[0] + cells[1] == 2 && cursor == cells + 2);
}
