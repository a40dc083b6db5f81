// expect: holds
// args: -std=c++20
// try_acquire fails by another thread's being quicker 16 times only (libstdc++ 12): there are more tries than
// changes of the count (9 here, as the search doubles with each).
#include <cassert>
#include <semaphore>
#include <thread>
#ifndef CHANGES
#define CHANGES 9
#endif
static std::counting_semaphore<3> tokens(3);
int main()
{
    std::thread t([] {
        for (int i = 0; i < CHANGES; i++)
            if (i % 2)
                tokens.release();
            else
                tokens.acquire();
    });
    assert(tokens.try_acquire());
    t.join();
}
