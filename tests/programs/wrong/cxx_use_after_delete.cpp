// expect: violated use-after-free or violated race
// A detached thread outlives the object that it uses.
#include <atomic>
#include <thread>
static std::atomic<int> finished{0};
int main()
{
    int *counter = new int(0);
    std::thread t([counter] {
        ++*counter;
        finished = 1;
    });
    t.detach();
    delete counter;
    while (!finished)
        ;
}
