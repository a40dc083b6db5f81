// expect: violated race
// An insertion, whose last part is compiled into libstdc++.so, beside a walk through the map.
#include <map>
#include <thread>
static std::map<int, int> map{{1, 1}, {5, 5}};
int main()
{
    std::thread t([] { map.emplace(3, 3); });
    auto i = map.begin();
    ++i;
    volatile int key = i->first;
    (void)key;
    t.join();
    return 0;
}
