// expect: violated deadlock
// Two std::mutex taken in opposite orders.
#include <mutex>
#include <thread>
static std::mutex a, b;
static void both(std::mutex &first, std::mutex &second)
{
    std::lock_guard<std::mutex> one(first);
    std::lock_guard<std::mutex> two(second);
}
int main()
{
    std::thread t([] { both(a, b); });
    std::thread u([] { both(b, a); });
    t.join();
    u.join();
}
