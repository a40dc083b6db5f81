// expect: holds
// std::thread with std::mutex, lock_guard, unique_lock and a lambda that captures by reference.
#include <cassert>
#include <mutex>
#include <thread>
int main()
{
    std::mutex m;
    int x = 0;
    auto work = [&] {
        {
            std::lock_guard<std::mutex> guard(m);
            x++;
        }
        std::unique_lock<std::mutex> lock(m, std::try_to_lock);
        if (lock)
            x += 2;
    };
    std::thread t(work), u(work);
    t.join();
    u.join();
    assert(x == 4 || x == 6);
}
