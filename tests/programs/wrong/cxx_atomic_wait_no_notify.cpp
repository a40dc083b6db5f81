// expect: violated deadlock
// args: -std=c++20
// The value changes, but only one of two waiters is notified.
// Both find 0 and sleep in the kernel; the store and one wake-up follow; one of them wakes, the other one is in a
// call that never returns, and main in join: all wait in calls, nobody goes round a loop, so it is no livelock.
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
