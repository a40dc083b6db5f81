// std::jthread with stop tokens: two threads wait for work or for the request to stop.
#include <cassert>
#include <condition_variable>
#include <mutex>
#include <stop_token>
#include <thread>

static std::mutex lock;
static std::condition_variable_any told;
static int work, taken;

static void worker(std::stop_token stop)
{
    std::unique_lock<std::mutex> hold(lock);
    while (told.wait(hold, stop, [] { return work > 0; })) {
        work--;
        taken++;
    }
}

int main()
{
    {
        std::jthread a(worker);
        {
            std::lock_guard<std::mutex> hold(lock);
            work++;
        }
        told.notify_one();
    }
    assert(work + taken == 1);
}
