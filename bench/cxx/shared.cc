// Owners of one object in several threads, and one that only looks whether it is still there.
#include <cassert>
#include <memory>
#include <thread>

static int living;
struct Object {
    int value = 42;
    Object()
    {
        living++;
    }
    ~Object()
    {
        living--;
    }
};

int main()
{
    auto object = std::make_shared<Object>();
    std::weak_ptr<Object> weak = object;
    std::thread a([copy = object] { assert(copy->value == 42); });
    std::thread b([copy = object] { assert(copy->value == 42); });
    std::thread c([weak] {
        if (auto owner = weak.lock())
            assert(owner->value == 42);
    });
    object.reset();
    a.join();
    b.join();
    c.join();
    assert(living == 0);
}
