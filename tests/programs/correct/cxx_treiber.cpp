// expect: holds
// Treiber stack of std::atomic pointers; poppers free what they got (nobody else can hold it: one popper).
#include <atomic>
#include <cassert>
#include <thread>
struct Node {
    int value;
    Node *next;
};
static std::atomic<Node *> top{nullptr};
static void push(int v)
{
    Node *n = new Node{v, top.load(std::memory_order_relaxed)};
    while (!top.compare_exchange_weak(n->next, n, std::memory_order_release, std::memory_order_relaxed))
        ;
}
int main()
{
    int sum = 0;
    std::thread t(push, 1), u(push, 2);
    std::thread v([&] {
        for (int i = 0; i < 2; i++) {
            Node *n = top.load(std::memory_order_acquire);
            while (n && !top.compare_exchange_weak(n, n->next, std::memory_order_acquire))
                ;
            if (n) {
                sum += n->value;
                delete n;
            }
        }
    });
    t.join();
    u.join();
    v.join();
    for (Node *n = top; n;) {
        Node *next = n->next;
        sum += n->value;
        delete n;
        n = next;
    }
    assert(sum == 3);
}
