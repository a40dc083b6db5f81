// What is made once: std::call_once, a static local variable, and a pointer checked twice.
#include <atomic>
#include <cassert>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

static std::once_flag once;
static int made;

struct Table {
    std::vector<int> squares;
    Table()
    {
        for (int i = 0; i < 4; i++)
            squares.push_back(i * i);
    }
};

static const Table &table()
{
    static const Table only;
    return only;
}

static std::atomic<int *> shown;
static std::mutex lock;

static int *checked_twice()
{
    int *value = shown.load(std::memory_order_acquire);
    if (!value) {
        std::lock_guard<std::mutex> hold(lock);
        value = shown.load(std::memory_order_relaxed);
        if (!value)
            shown.store(value = new int(9), std::memory_order_release);
    }
    return value;
}

static void use()
{
    std::call_once(once, [] { made++; });
    assert(made == 1);
    assert(table().squares[3] == *checked_twice());
}

int main()
{
    std::thread a(use), b(use), c(use);
    a.join();
    b.join();
    c.join();
    delete shown.load();
}
