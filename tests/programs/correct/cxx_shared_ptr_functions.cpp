// expect: holds
// args: -std=c++17
// A configuration behind a std::shared_ptr that one thread replaces while others use it, by the functions of C++11. The
// lock that they take inside libstdc++.so orders them, as each std::shared_ptr has a lock of its own.
#include <cassert>
#include <memory>
#include <thread>
struct Config {
    int limit, twice;
};
static std::shared_ptr<Config> current = std::make_shared<Config>(Config{1, 2}), old;
#ifndef STORE
#define STORE(pointer, value) std::atomic_store(pointer, value)
#endif
int main()
{
    std::thread writer([] {
        auto config = std::make_shared<Config>(Config{2, 4});
        old = current;
        while (!std::atomic_compare_exchange_weak(&current, &old, config))
            ;
        STORE(&current, std::make_shared<Config>(Config{3, 6}));
    });
    std::thread reader([] {
        auto config = std::atomic_load(&current);
        assert(config->twice == 2 * config->limit);
    });
    writer.join();
    reader.join();
    assert(old->limit == 1 && current->limit == 3);
}
