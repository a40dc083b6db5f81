// expect: holds
// Two counters on the heap, each of a thread that starts another one: numbers of threads and addresses depend on
// the schedule, the objects are found again all the same.
#include <heddle.h>
#include <atomic>
#include <thread>
class Counter {
    std::atomic<int> count{0};

public:
    int add()
    {
        HD_BEGIN(this, "add");
#ifdef TWO_STEPS
        int before = count;
        count = before + 1;
#else
        int before = count.fetch_add(1);
#endif
        HD_END(HD_INT(before));
        return before;
    }
};
static void work()
{
    Counter *counter = new Counter;
    std::thread other([counter] { counter->add(); });
    counter->add();
    other.join();
    delete counter;
}
int main()
{
    std::thread one(work), two(work);
    one.join();
    two.join();
}
