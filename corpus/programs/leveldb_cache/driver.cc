// leveldb's cache: two threads insert under one key, look it up and give their handles back. Entries are counted by
// references; each is deleted once, after its last user, and a lookup finds the value of one of the two.
#include <cassert>
#include <thread>
#include "leveldb/cache.h"

using leveldb::Cache;
static Cache *cache;
static int deleted[3];

static void deleter(const leveldb::Slice &, void *value)
{
    deleted[reinterpret_cast<intptr_t>(value)]++;
}

static void use(intptr_t number)
{
    Cache::Handle *mine = cache->Insert("k", reinterpret_cast<void *>(number), 1, deleter);
    Cache::Handle *found = cache->Lookup("k");
    if (found) {
        intptr_t value = reinterpret_cast<intptr_t>(cache->Value(found));
        assert((value == 1 || value == 2) && !deleted[value]);
        cache->Release(found);
    }
    cache->Release(mine);
}

int main()
{
    cache = leveldb::NewLRUCache(2);
    std::thread other(use, 2);
    use(1);
    other.join();
    delete cache;
    assert(deleted[1] == 1 && deleted[2] == 1);
    return 0;
}
