// package: libstdc++-12-dev
// command: run -std=c++20
// expect: sc violated deadlock
// std::binary_semaphore of libstdc++ 12 loses a wake-up (its bug 104928, mended later). acquire() loads the
// count (1), fails to take it (0 by now), and sleeps while the count is what it loaded: if it has been given
// back meanwhile it is 1 again, so the thread sleeps although the semaphore is free, and the release that
// might have woken it has looked for sleepers before.
#include <semaphore>
#include <thread>
static std::binary_semaphore free_to_go(1);
int main()
{
    std::thread other([] { free_to_go.acquire(); free_to_go.release(); });
    free_to_go.acquire();
    free_to_go.release();
    other.join();
}
