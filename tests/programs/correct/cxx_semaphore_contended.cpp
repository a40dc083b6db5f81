// expect: holds or violated deadlock
// args: -std=c++20
// Two threads compete for a std::binary_semaphore. The program is right, but libstdc++ up to 12 has a flaw
// that can let it sleep for ever: a thread reads the count as 1, loses the race for it,
// and asks the kernel to sleep while the count is 1; it does, when the other has released in between.
// Two answers are right, each for some versions of the library that is installed; wrong/futex_semaphore.c and
// correct/futex_semaphore.c are the flaw and its repair, with one answer each.
#include <semaphore>
#include <thread>
static std::binary_semaphore mutex(1);
static int taken;
int main()
{
    auto work = [] {
        mutex.acquire();
        taken++;
        mutex.release();
    };
    std::thread t(work), u(work);
    t.join();
    u.join();
    return taken != 2;
}
