// expect: holds
// args: --model=sc
// A buffer for one element with std::mutex and std::condition_variable: put waits while it is full, take while it
// is empty. The mark ends with its scope.
#include <heddle.h>
#include <condition_variable>
#include <mutex>
#include <thread>
struct Call {
    HdValue result = HD_VOID;
    ~Call() { HD_END(result); }
};
class Buffer {
    std::mutex lock;
    std::condition_variable changed;
    int value = 0;

public:
    void put(int v)
    {
        HD_BEGIN("buffer", "put", HD_INT(v));
        Call call;
        std::unique_lock<std::mutex> hold(lock);
        while (value)
            changed.wait(hold);
        value = v;
        changed.notify_all();
    }
    int take()
    {
        HD_BEGIN("buffer", "take");
        Call call;
        std::unique_lock<std::mutex> hold(lock);
        while (!value)
            changed.wait(hold);
        int v = value;
        value = 0;
        changed.notify_all();
        call.result = HD_INT(v);
        return v;
    }
};
static Buffer buffer;
int main()
{
    std::thread putter([] { buffer.put(1); });
    std::thread taker([] { buffer.take(); });
    buffer.put(2);
    buffer.take();
    putter.join();
    taker.join();
}
