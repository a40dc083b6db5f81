// A pool of two workers that run packaged tasks; main submits two and waits for their futures.
#include <cassert>
#include <condition_variable>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <queue>
#include <thread>
#include <vector>

class Pool
{
  public:
    explicit Pool(unsigned n)
    {
        for (unsigned i = 0; i < n; i++)
            workers.emplace_back([this] { work(); });
    }
    ~Pool()
    {
        {
            std::lock_guard<std::mutex> hold(lock);
            stopped = true;
        }
        told.notify_all();
        for (auto &worker : workers)
            worker.join();
    }
    template <class F> auto submit(F f)
    {
        auto task = std::make_shared<std::packaged_task<decltype(f())()>>(std::move(f));
        auto result = task->get_future();
        {
            std::lock_guard<std::mutex> hold(lock);
            tasks.emplace([task] { (*task)(); });
        }
        told.notify_one();
        return result;
    }

  private:
    void work()
    {
        for (;;) {
            std::function<void()> task;
            {
                std::unique_lock<std::mutex> hold(lock);
                told.wait(hold, [this] { return stopped || !tasks.empty(); });
                if (tasks.empty())
                    return;
                task = std::move(tasks.front());
                tasks.pop();
            }
            task();
        }
    }
    std::mutex lock;
    std::condition_variable told;
    std::queue<std::function<void()>> tasks;
    bool stopped = false;
    std::vector<std::thread> workers;
};

int main()
{
    Pool pool(2);
    auto a = pool.submit([] { return 20; });
    auto b = pool.submit([] { return 22; });
    assert(a.get() + b.get() == 42);
}
