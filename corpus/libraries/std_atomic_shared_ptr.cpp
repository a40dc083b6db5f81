// package: libstdc++-12-dev
// command: run -std=c++20
// expect: sc holds; rc11 violated race
// std::atomic<std::shared_ptr> of libstdc++ 12: load() reads the pointer under a lock bit that it gives back
// by a relaxed store, so a store() that takes the bit next is not ordered after that read, by the standard.
#include <atomic>
#include <cassert>
#include <memory>
#include <thread>
static std::atomic<std::shared_ptr<int>> shared;
int main()
{
    shared.store(std::make_shared<int>(1));
    std::thread other([] { shared.store(std::make_shared<int>(2)); });
    std::shared_ptr<int> seen = shared.load();
    assert(*seen == 1 || *seen == 2);
    other.join();
    assert(*shared.load() == 2);
    shared.store(nullptr);
}
