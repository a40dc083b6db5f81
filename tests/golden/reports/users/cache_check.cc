// A cache in front of something slow.
#include <heddle.h>
#include <map>
#include <mutex>

class Cache {
    std::mutex mutex;
    std::map<int, int> values;

public:
    void put(int key, int value)
    {
        std::lock_guard<std::mutex> lock(mutex);
        values[key] = value;
    }
    int get(int key)
    {
#ifdef FIXED
        std::lock_guard<std::mutex> lock(mutex);
#endif
        auto at = values.find(key);
        return at == values.end() ? -1 : at->second;
    }
};
static Cache *cache;

HD_INIT { cache = new Cache; }
HD_OP(put, int, key, 1, 2) { cache->put(key, 10 * key); return HD_VOID; }
HD_OP(get, int, key, 1, 2) { return HD_INT(cache->get(key)); }
