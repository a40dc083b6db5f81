// expect: violated assertion
// An exception leaves a thread: std::terminate, abort.
#include <atomic>
#include <stdexcept>
#include <thread>
static std::atomic<int> x{0};
int main()
{
    auto work = [] {
        if (x++)
            throw std::runtime_error("second");
    };
    std::thread t(work), u(work);
    t.join();
    u.join();
}
