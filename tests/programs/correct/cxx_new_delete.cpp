// expect: holds
// new, new[], aligned new, unique_ptr handed over through an atomic, a virtual destructor.
#include <atomic>
#include <cassert>
#include <memory>
#include <new>
#include <thread>
struct Base {
    virtual ~Base() = default;
    virtual int get() const { return 1; }
};
struct Derived : Base {
    int n = 2;
    int get() const override { return n; }
};
static std::atomic<Base *> box{nullptr};
int main()
{
    std::thread t([] {
        std::unique_ptr<int[]> array(new int[4]());
        array[3] = 1;
        std::unique_ptr<Base> p(new Derived);
        box.store(p.release(), std::memory_order_release);
    });
    std::thread u([] {
        if (Base *p = box.exchange(nullptr, std::memory_order_acquire)) {
            assert(p->get() == 2);
            delete p;
        }
    });
    t.join();
    u.join();
    delete box.load();
}
