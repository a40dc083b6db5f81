// expect: violated deadlock
// The waiter has no predicate: a notification that comes first is lost.
#include <condition_variable>
#include <mutex>
#include <thread>
static std::mutex m;
static std::condition_variable c;
int main()
{
    std::thread t([] {
        std::unique_lock<std::mutex> lock(m);
        c.wait(lock);
    });
    c.notify_one();
    t.join();
}
