// A bounded buffer of strings: two producers, two consumers, two condition variables.
#include <cassert>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <string>
#include <thread>

static std::mutex lock;
static std::condition_variable not_empty, not_full;
static std::deque<std::string> items;
static size_t eaten;

static void produce(const char *item)
{
    std::unique_lock<std::mutex> hold(lock);
    not_full.wait(hold, [] { return items.size() < 1; });
    items.emplace_back(item);
    not_empty.notify_one();
}

static void consume()
{
    std::unique_lock<std::mutex> hold(lock);
    not_empty.wait(hold, [] { return !items.empty(); });
    eaten += items.front().size();
    items.pop_front();
    not_full.notify_one();
}

int main()
{
    std::thread a(produce, "one"), b(produce, "three"), c(consume), d(consume);
    a.join();
    b.join();
    c.join();
    d.join();
    assert(eaten == 8);
}
