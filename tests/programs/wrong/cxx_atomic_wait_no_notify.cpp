// expect: violated deadlock or violated livelock
// args: -std=c++20
// The value changes, but only one of two waiters is notified.
#include <atomic>
#include <thread>
static std::atomic<int> state{0};
int main()
{
    std::thread t([] { state.wait(0); });
    std::thread u([] { state.wait(0); });
    state.store(1);
    state.notify_one();
    t.join();
    u.join();
}
