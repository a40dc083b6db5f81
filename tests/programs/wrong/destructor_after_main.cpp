// expect: violated assertion
// args: -std=c++17
// As atexit_after_main.c, with a static object.
#include <atomic>
#include <cassert>
#include <pthread.h>
#include <thread>
static std::atomic<int> x;
struct Check {
    ~Check() { assert(x != 1); }
};
static Check check;
int main()
{
    std::thread([] { x = 1; }).detach();
    pthread_exit(nullptr);
}
