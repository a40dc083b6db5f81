// expect: violated race
// push_back from two threads.
#include <thread>
#include <vector>
static std::vector<int> v;
int main()
{
    std::thread t([] { v.push_back(1); });
    std::thread u([] { v.push_back(2); });
    t.join();
    u.join();
}
