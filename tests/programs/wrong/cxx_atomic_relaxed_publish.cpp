// expect: violated race
// A vector published through a relaxed atomic pointer.
#include <atomic>
#include <thread>
#include <vector>
static std::atomic<std::vector<int> *> published{nullptr};
static std::size_t seen;
int main()
{
    std::thread t([] { published.store(new std::vector<int>(3), std::memory_order_relaxed); });
    std::thread u([] {
        if (auto *v = published.load(std::memory_order_relaxed))
            seen = v->size();
    });
    t.join();
    u.join();
    delete published.load();
}
