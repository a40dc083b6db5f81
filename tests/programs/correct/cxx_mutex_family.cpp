// expect: holds
// args: -std=c++17
// recursive_mutex, timed_mutex, shared_mutex, scoped_lock over two mutexes.
#include <cassert>
#include <chrono>
#include <mutex>
#include <shared_mutex>
#include <thread>
static std::recursive_mutex recursive;
static std::timed_mutex timed;
static std::shared_mutex shared;
static std::mutex a, b;
static int w, x, y, z;
static void nested(int depth)
{
    std::lock_guard<std::recursive_mutex> guard(recursive);
    x++;
    if (depth)
        nested(depth - 1);
}
int main()
{
    std::thread t([] {
        nested(1);
        if (timed.try_lock_for(std::chrono::milliseconds(1))) {
            y++;
            timed.unlock();
        }
        {
            std::unique_lock<std::shared_mutex> writer(shared);
            z++;
        }
        std::scoped_lock both(a, b);
        w++;
    });
    std::thread u([] {
        int seen;
        {
            std::shared_lock<std::shared_mutex> reader(shared);
            seen = z;
        }
        std::lock_guard<std::mutex> one(b);
        w += seen < 2;
    });
    t.join();
    u.join();
    assert(w == 2 && x == 2 && y <= 1 && z == 1);
}
