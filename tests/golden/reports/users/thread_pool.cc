// A pool of workers. ~Pool sets `stopping` without the mutex.
#include <atomic>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <queue>
#include <thread>
#include <vector>

class Pool {
public:
    explicit Pool(int workers)
    {
        for (int i = 0; i < workers; i++)
            threads.emplace_back([this] { work(); });
    }
    ~Pool()
    {
#ifdef FIXED
        std::unique_lock<std::mutex> lock(mutex);
#endif
        stopping = true;
#ifdef FIXED
        lock.unlock();
#endif
        wake.notify_all();
        for (std::thread &thread : threads)
            thread.join();
    }
    void submit(std::function<void()> job)
    {
        {
            std::lock_guard<std::mutex> lock(mutex);
            jobs.push(std::move(job));
        }
        wake.notify_one();
    }

private:
    void work()
    {
        for (;;) {
            std::unique_lock<std::mutex> lock(mutex);
            while (jobs.empty() && !stopping)
                wake.wait(lock);
            if (jobs.empty())
                return;
            std::function<void()> job = std::move(jobs.front());
            jobs.pop();
            lock.unlock();
            job();
        }
    }

    std::mutex mutex;
    std::condition_variable wake;
    std::queue<std::function<void()>> jobs;
    std::atomic<bool> stopping{false};
    std::vector<std::thread> threads;
};

int main()
{
    int done = 0;
    {
        Pool pool(1);
        pool.submit([&done] { done++; });
    }
    return done == 1 ? 0 : 1;
}
