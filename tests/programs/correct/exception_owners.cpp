// expect: holds
// Two threads own one exception (std::exception_ptr). Each throws it again, reads what was thrown and lets
// it go; whoever is the last frees it. Only the count of owners, which libstdc++.so keeps, orders the two.
#include <cassert>
#include <exception>
#include <thread>

static void use(std::exception_ptr mine)
{
    int got = 0;
    try {
        std::rethrow_exception(std::move(mine));
    } catch (int &thrown) {
        got = thrown;
    }
    assert(got == 5);
}

int main()
{
    std::exception_ptr first;
    try {
        throw 5;
    } catch (...) {
        first = std::current_exception();
    }
    std::thread other(use, first);
    use(std::move(first));
    other.join();
    return 0;
}
