// std::counting_semaphore and std::latch: three threads, two at a time, and one that waits for all.
#include <atomic>
#include <cassert>
#include <latch>
#include <semaphore>
#include <thread>
#include <vector>

static std::counting_semaphore<2> places(2);
static std::latch finished(3);
static std::atomic<int> inside;

int main()
{
    std::vector<std::jthread> threads;
    for (int i = 0; i < 3; i++)
        threads.emplace_back([] {
            places.acquire();
            assert(inside.fetch_add(1, std::memory_order_relaxed) < 2);
            inside.fetch_sub(1, std::memory_order_relaxed);
            places.release();
            finished.count_down();
        });
    finished.wait();
    assert(inside == 0);
}
