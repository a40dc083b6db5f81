// addresses_less.cc: two equal threads order the addresses of their blocks by the library's means.
#include <atomic>
#include <cassert>
#include <functional>
#include <set>
#include <thread>

static std::atomic<int *> first;

static void work()
{
    int *own = new int(1), *none = nullptr;
    if (!first.compare_exchange_strong(none, own)) {
        std::set<int *> both{none, own};
        assert(std::less<int *>()(none, own));
        assert(*both.begin() == none);
    }
}

static void *run(void *unused)
{
    work();
    return unused;
}

int main()
{
    pthread_t a, b;
    pthread_create(&a, nullptr, run, nullptr);
    pthread_create(&b, nullptr, run, nullptr);
    pthread_join(a, nullptr);
    pthread_join(b, nullptr);
}
