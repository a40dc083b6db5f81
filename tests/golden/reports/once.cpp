// A value that is computed once: two threads may both find that it is not there yet.
#include <atomic>
#include <cassert>
#include <thread>

static std::atomic<bool> done{false};
static std::atomic<int> computed{0};

static void ensure()
{
    if (!done.load()) {
        computed.fetch_add(1);
        done.store(true);
    }
}

int main()
{
    std::thread a(ensure), b(ensure);
    a.join();
    b.join();
    assert(computed.load() == 1);
}
