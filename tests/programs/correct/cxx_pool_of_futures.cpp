// expect: holds
// args: -std=c++20
// Two workers take packaged tasks from a queue. Every execution is run from the start here, since the library throws
// and catches inside; what a read finds written must be looked up after that, not before.
#include <chrono>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <queue>
#include <thread>
static std::mutex lock;
static std::queue<std::function<void()>> jobs;

static void work()
{
    for (int i = 0; i < 2; i++) {
        std::function<void()> job;
        {
            std::lock_guard guard(lock);
            if (jobs.empty())
                return;
            job = std::move(jobs.front());
            jobs.pop();
        }
        job();
    }
}

static std::future<int> put()
{
    auto task = std::make_shared<std::packaged_task<int()>>([] { return 1; });
    auto result = task->get_future();
    std::lock_guard guard(lock);
    jobs.push([task] { (*task)(); });
    return result;
}

int main()
{
    std::thread a(work), b(work);
    auto first = put(), second = put();
    first.wait_for(std::chrono::seconds(0));
    second.wait_for(std::chrono::seconds(0));
    a.join();
    b.join();
}
