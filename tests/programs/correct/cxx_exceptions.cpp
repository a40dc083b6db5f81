// expect: holds
// Exceptions thrown, caught, rethrown and nested inside threads, with switches in between.
#include <atomic>
#include <cassert>
#include <stdexcept>
#include <string>
#include <thread>
static std::atomic<int> x{0};
static void inner(int n)
{
    x++;
    if (n)
        throw std::runtime_error("inner");
}
static void work(int n)
{
    int caught = 0;
    try {
        try {
            inner(n);
        } catch (const std::runtime_error &e) {
            x++;
            assert(std::string(e.what()) == "inner");
            throw std::logic_error("outer");
        }
    } catch (const std::logic_error &) {
        caught = 1;
    }
    assert(caught == n);
}
int main()
{
    std::thread t(work, 1), u(work, 0);
    t.join();
    u.join();
    assert(x == 3);
}
