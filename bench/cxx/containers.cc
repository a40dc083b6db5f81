// A map, a hash table, a vector and strings under a shared_mutex: two writers and a reader.
#include <cassert>
#include <map>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

static std::shared_mutex lock;
static std::map<std::string, int> sorted;
static std::unordered_map<int, std::string> hashed;
static std::vector<std::string> names;

static void add(int number, const char *name)
{
    std::unique_lock<std::shared_mutex> hold(lock);
    sorted[name] = number;
    hashed[number] = name;
    names.emplace_back(name);
}

static void look()
{
    std::shared_lock<std::shared_mutex> hold(lock);
    assert(sorted.size() == names.size());
    for (auto &name : names)
        assert(hashed.at(sorted.at(name)) == name);
}

int main()
{
    std::thread a(add, 1, "one"), b(add, 2, "two"), c(look), d(look);
    a.join();
    b.join();
    c.join();
    d.join();
    assert(names.size() == 2);
}
