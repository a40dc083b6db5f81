// expect: violated double-free
// Two owners delete the same object, one after the other under a lock.
#include <mutex>
#include <thread>
static std::mutex m;
static int *p = new int(1);
int main()
{
    auto work = [] {
        std::lock_guard<std::mutex> guard(m);
        delete p;
    };
    std::thread t(work), u(work);
    t.join();
    u.join();
}
