/* Structures that leak, as global objects whose constructors allocate the first node before main: it
 * is forgotten when nothing leads to it any more (guest/states/early.h), or the space of states would
 * have no end. Without more: Michael and Scott's queue. HIDDEN: nothing but an object that was
 * allocated before main, too, leads to it. STACK: Treiber's, with one element at the start; a push
 * marks what it covers, a pop what it takes, and the node that was taken last stays in reach of `see`.
 * LATE: an operation stores to that node; the store may wait in a buffer when the call has returned.
 * M1: a pop tells of the node before it marks it. M2: it frees it; another thread may look at it.
 * SECRET: the queue keeps a pointer to its first node in a form that nobody can know, and looks at
 * that node when no pointer leads there any more: what the states show then is not confirmed. */
// run: --lag=2 --elements=2 => holds
// run: --lag=2 --elements=2 -O2 => holds
// run: --lag=2 --elements=2 -DHIDDEN => holds
// run: --lag=2 --elements=1 -DHIDDEN --model=tso => holds
// run: -DSTACK --elements=1 => holds
// run: -DSTACK --elements=1 -O2 => holds
// run: -DSTACK --elements=1 --model=tso => holds
// run: -DSTACK -DLATE --elements=1 -O2 => holds
// run: HEDDLE_DEBUG=calls=3 -DSTACK -DLATE --elements=1 -O2 --model=tso => holds
// run: -DSTACK -DM1 --elements=1 => violated assertion
// run: -DSTACK -DM2 --elements=1 => violated use-after-free
// run: --lag=2 --elements=2 -DSECRET => inconclusive
#include <heddle.h>
#include <atomic>
#include <cassert>
#include <cstdint>
struct Node {
    int value = 0;
    std::atomic<int> covered{0}, taken{0};
    std::atomic<Node *> next{nullptr};
};
#ifdef STACK
static std::atomic<Node *> head{new Node}, last;
HD_OP(push, int, v, 1, 2)
{
    Node *node = new Node, *first = head;
    node->value = v;
    do {
        node->next.store(first, std::memory_order_relaxed);
        if (first)
            first->covered.store(1, std::memory_order_release);
    } while (!head.compare_exchange_strong(first, node));
    return HD_VOID;
}
HD_OP(pop)
{
    Node *first = head;
    do
        if (!first)
            return HD_NONE;
    while (!head.compare_exchange_strong(first, first->next));
    int value = first->value;
#ifdef M1
    last = first;
#endif
    first->taken = 1;
    last = first;
#ifdef M2
    delete first;
#endif
    return HD_INT(value);
}
HD_OP(see)
{
    Node *node = last;
    assert(!node || node->taken);
    return HD_VOID;
}
#ifdef LATE
HD_OP(touch)
{
    Node *node = last;
    if (node)
        node->covered.store(2, std::memory_order_relaxed);
    return HD_VOID;
}
#endif
#else
struct Queue {
    std::atomic<Node *> head, tail;
    uintptr_t secret;
    Queue()
    {
        Node *node = new Node;
        head = node;
        tail = node;
        secret = ~(uintptr_t)node;
    }
    void put(int value)
    {
        Node *node = new Node;
        node->value = value;
        for (;;) {
            Node *end = tail, *next = end->next;
            if (next)
                tail.compare_exchange_strong(end, next);
            else if (end->next.compare_exchange_strong(next, node))
                return;
        }
    }
    bool get(int *value)
    {
#ifdef SECRET
        ((Node *)~secret)->taken = 1;
#endif
        for (;;) {
            Node *first = head, *end = tail, *next = first->next;
            if (!next)
                return false;
            if (first == end) {
                tail.compare_exchange_strong(end, next);
                continue;
            }
            *value = next->value;
            if (head.compare_exchange_strong(first, next))
                return true;
        }
    }
};
#ifdef HIDDEN
static Queue *const queue = new Queue;
#else
static Queue here, *const queue = &here;
#endif
HD_OP(put, int, v, 1, 2)
{
    queue->put(v);
    return HD_VOID;
}
HD_OP(get)
{
    int v;
    return queue->get(&v) ? HD_INT(v) : HD_NONE;
}
#endif
