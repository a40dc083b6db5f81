// expect: violated use-after-free
// A reference into a vector is kept across a push_back that moves the elements, all under a lock.
#include <mutex>
#include <thread>
#include <vector>
static std::mutex m;
static std::vector<int> v(1);
int main()
{
    int &first = v[0];
    std::thread t([] {
        std::lock_guard<std::mutex> guard(m);
        v.push_back(1);
        v.push_back(2);
    });
    std::thread u([&] {
        std::lock_guard<std::mutex> guard(m);
        first = 5;
    });
    t.join();
    u.join();
}
