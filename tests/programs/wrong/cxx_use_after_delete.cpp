// expect: violated use-after-free
// A detached thread outlives the object that it uses.
// The only conflict is that of the increment and the delete, which nothing orders (main waits for `finished` after
// the delete): whichever comes first, it is a use after free. No other plain memory is shared.
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
