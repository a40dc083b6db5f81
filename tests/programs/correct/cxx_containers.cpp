// expect: holds
// executions: 6
// Map, set, list and hash map, of which libstdc++.so contains a part: two threads with two critical
// sections each, so as many executions as there are ways to interleave them: 4! / (2! 2!).
#include <cassert>
#include <list>
#include <map>
#include <mutex>
#include <set>
#include <thread>
#include <unordered_map>
static std::map<int, int> map;
static std::set<int> set;
static std::list<int> list;
static std::unordered_map<int, int> hash;
static std::mutex lock;
static void check()
{
    int last = -1;
    size_t count = 0;
    for (auto &pair : map) {
        assert(pair.first > last);
        last = pair.first;
        count++;
    }
    assert(count == map.size());
    for (auto i = map.rbegin(); i != map.rend(); ++i)
        assert(i->first <= last);
}
static void fill(int base)
{
    for (int i = 0; i < 2; i++) {
        std::lock_guard<std::mutex> guard(lock);
        for (int k = 0; k < 4; k++)
            map[base * 10 + i * 4 + k] = hash[base * 10 + i * 4 + k] = base;
        list.push_back(base);
        set.insert(i);
        check();
        if (i)
            map.erase(base * 10);
    }
}
int main()
{
    std::thread t(fill, 1), u(fill, 2);
    t.join();
    u.join();
    check();
    assert(map.size() == 14 && list.size() == 4 && set.size() == 2 && hash.size() == 16);
    return 0;
}
