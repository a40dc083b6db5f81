// expect: holds
// args: -std=c++20 -D_GLIBCXX_USE_POSIX_SEMAPHORE=1
// Two threads compete for a std::binary_semaphore, which is a sem_t here. wrong/cxx_semaphore_contended.cpp is the same
// with libstdc++'s own.
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
