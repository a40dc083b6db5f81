// expect: holds
// Copies of a shared_ptr in two threads: the count is atomic, the last one deletes, once.
#include <atomic>
#include <cassert>
#include <memory>
#include <thread>
#include <utility>
static std::atomic<int> alive{0};
struct Object {
    int value;
    Object() : value(4) { alive++; }
    ~Object() { alive--; }
};
int main()
{
    auto p = std::make_shared<Object>();
    std::weak_ptr<Object> weak = p;
    std::thread t([q = p] { assert(q->value == 4); });
    std::thread u([weak] {
        if (auto q = weak.lock())
            assert(q->value == 4);
    });
    p.reset();
    t.join();
    u.join();
    assert(alive == 0);
}
