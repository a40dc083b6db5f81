// One thread waits for a flag that the other sets, but does not notify.
#include <atomic>
#include <thread>
static std::atomic_flag ready = ATOMIC_FLAG_INIT;
int main()
{
    std::thread waiter([] { ready.wait(false); });
    ready.test_and_set();
    waiter.join();
}
