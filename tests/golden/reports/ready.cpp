// One thread waits for a flag that the other sets, but does not notify.
#include <atomic>
#include <thread>
alignas(64) static std::atomic_flag ready = ATOMIC_FLAG_INIT; // its entry in the table depends on its address
int main()
{
    std::thread waiter([] { ready.wait(false); });
    ready.test_and_set();
    waiter.join();
}
