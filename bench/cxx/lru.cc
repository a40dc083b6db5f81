// A cache that drops what was used least recently: a list and a hash table under one lock.
#include <cassert>
#include <list>
#include <mutex>
#include <string>
#include <thread>
#include <unordered_map>

class Cache
{
  public:
    void put(int key, std::string value)
    {
        std::lock_guard<std::mutex> hold(lock);
        auto found = places.find(key);
        if (found != places.end())
            order.erase(found->second);
        order.emplace_front(key, std::move(value));
        places[key] = order.begin();
        if (order.size() > 2) {
            places.erase(order.back().first);
            order.pop_back();
        }
    }
    bool get(int key, std::string &value)
    {
        std::lock_guard<std::mutex> hold(lock);
        auto found = places.find(key);
        if (found == places.end())
            return false;
        order.splice(order.begin(), order, found->second);
        value = found->second->second;
        return true;
    }
    size_t size()
    {
        std::lock_guard<std::mutex> hold(lock);
        return order.size();
    }

  private:
    std::mutex lock;
    std::list<std::pair<int, std::string>> order;
    std::unordered_map<int, std::list<std::pair<int, std::string>>::iterator> places;
};

int main()
{
    Cache cache;
    std::thread a([&] {
        cache.put(1, "one");
        cache.put(2, "two");
    });
    std::thread b([&] {
        cache.put(3, "three");
        std::string value;
        if (cache.get(1, value))
            assert(value == "one");
    });
    std::thread c([&] {
        std::string value;
        if (cache.get(3, value))
            assert(value == "three");
    });
    a.join();
    b.join();
    c.join();
    assert(cache.size() == 2);
}
