// expect: holds
// executions: 16
// Atomic locals whose stack frames come again, with another size at the same place: four rounds in
// which two increments are ordered either way.
#include <atomic>
#include <cassert>
#include <mutex>
#include <thread>
static void wide()
{
    std::atomic<long> x{0};
    std::thread t([&] { x.fetch_add(1); });
    x.fetch_add(1);
    t.join();
    assert(x == 2);
}
static void narrow()
{
    std::atomic<int> x{0};
    std::thread t([&] { x.fetch_add(1); });
    x.fetch_add(1);
    t.join();
    assert(x == 2);
}
int main()
{
    wide();
    narrow();
    wide();
    narrow();
    return 0;
}
