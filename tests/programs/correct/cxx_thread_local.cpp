// expect: holds
// thread_local with constructor and destructor.
#include <atomic>
#include <cassert>
#include <thread>
static std::atomic<int> made{0}, gone{0};
struct Local {
    int value;
    Local() : value(1) { made++; }
    ~Local() { gone++; }
};
static thread_local Local local;
int main()
{
    auto work = [] { assert(++local.value == 2); };
    std::thread t(work), u(work);
    t.join();
    u.join();
    assert(made == 2 && gone == 2);
}
