// The flag is set without the lock that the waiting thread holds. In the execution shown T1 waits, but not for ever.
#include <cassert>
#include <condition_variable>
#include <mutex>
#include <thread>
struct Event {
    std::mutex mutex;
    std::condition_variable changed;
    const char *set = nullptr;
    void wait()
    {
        std::unique_lock<std::mutex> held(mutex);
        if (!set)
            changed.wait(held);
        assert(set);
    }
    void signal()
    {
        set = "now";
        changed.notify_one();
    }
};
int main()
{
    Event event;
    std::thread waits([&] { event.wait(); }), signals([&] { event.signal(); });
    waits.join();
    signals.join();
}
