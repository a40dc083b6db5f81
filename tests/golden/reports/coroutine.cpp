// A coroutine shows a local variable to another thread by a relaxed store.
#include <atomic>
#include <coroutine>
#include <thread>
struct Task {
    struct promise_type {
        Task get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
        std::suspend_always initial_suspend() { return {}; }
        std::suspend_always final_suspend() noexcept { return {}; }
        void return_void() {}
        void unhandled_exception() {}
    };
    std::coroutine_handle<promise_type> handle;
};
static std::atomic<int *> shown{nullptr};
static Task work()
{
    int counter = 0;
    shown.store(&counter, std::memory_order_relaxed);
    co_await std::suspend_always{};
}
int main()
{
    Task task = work();
    std::thread thread([&] { task.handle.resume(); });
    int *place = shown.load(std::memory_order_relaxed);
    int seen = place ? *place : 0;
    thread.join();
    task.handle.destroy();
    return seen;
}
