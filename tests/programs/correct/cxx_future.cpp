// expect: holds
// promise and future, async, packaged_task; an exception travels through a future.
#include <cassert>
#include <future>
#include <stdexcept>
#include <thread>
int main()
{
    std::promise<int> promise;
    std::future<int> future = promise.get_future();
    std::thread t([&] { promise.set_value(5); });
    assert(future.get() == 5);
    t.join();

    std::future<int> async = std::async(std::launch::async, [](int n) { return n * 2; }, 21);
    assert(async.get() == 42);

    std::packaged_task<int()> task([]() -> int { throw std::runtime_error("late"); });
    std::future<int> failing = task.get_future();
    std::thread u(std::move(task));
    bool caught = false;
    try {
        failing.get();
    } catch (const std::runtime_error &) {
        caught = true;
    }
    assert(caught);
    u.join();
}
