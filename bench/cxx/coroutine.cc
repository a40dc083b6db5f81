// A coroutine that is suspended in one thread and resumed in another, which takes it from a queue.
#include <cassert>
#include <condition_variable>
#include <coroutine>
#include <deque>
#include <mutex>
#include <thread>

static std::mutex lock;
static std::condition_variable told;
static std::deque<std::coroutine_handle<>> ready;
static int resumed;

struct Task {
    struct promise_type {
        Task get_return_object()
        {
            return {};
        }
        std::suspend_never initial_suspend()
        {
            return {};
        }
        std::suspend_never final_suspend() noexcept
        {
            return {};
        }
        void return_void()
        {
        }
        void unhandled_exception()
        {
        }
    };
};

struct Elsewhere {
    bool await_ready()
    {
        return false;
    }
    void await_suspend(std::coroutine_handle<> handle)
    {
        std::lock_guard<std::mutex> hold(lock);
        ready.push_back(handle);
        told.notify_one();
    }
    void await_resume()
    {
    }
};

static Task job()
{
    co_await Elsewhere();
    std::lock_guard<std::mutex> hold(lock);
    resumed++;
}

static void worker()
{
    std::unique_lock<std::mutex> hold(lock);
    told.wait(hold, [] { return !ready.empty(); });
    auto handle = ready.front();
    ready.pop_front();
    hold.unlock();
    handle.resume();
}

int main()
{
    std::thread a(worker), b(worker);
    job();
    job();
    a.join();
    b.join();
    assert(resumed == 2);
}
