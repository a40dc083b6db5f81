/* Michael and Scott's queue with two locks, as a global object whose constructor allocates the first
 * node before main; the first get frees it. M1: the old node is read after it was freed. M2: it is
 * freed twice. M3: an operation looks at it without a lock. HIDDEN: nothing but a member of an
 * object that was allocated before main, too, leads to the queue. */
// run: --elements=2 => holds
// run: --elements=2 -O2 => holds
// run: --elements=2 -DHIDDEN => holds
// run: --elements=1 --unbounded=3 => holds
// run: --elements=2 --model=tso => holds
// run: -DM1 => violated use-after-free
// run: -DM2 -O2 => violated double-free
// run: -DM3 => violated use-after-free
// run: -DM3 -DHIDDEN --model=tso => violated use-after-free
#include <heddle.h>
#include <atomic>
#include <mutex>

struct Queue {
    struct Node {
        int value = 0;
        std::atomic<Node *> next{nullptr};
    };
    Node *head, *tail;
    std::mutex head_lock, tail_lock;
    Queue() { head = tail = new Node; }
    void put(int value)
    {
        Node *node = new Node;
        node->value = value;
        std::lock_guard<std::mutex> guard(tail_lock);
        tail->next = node;
        tail = node;
    }
    bool get(int *value)
    {
        std::lock_guard<std::mutex> guard(head_lock);
        Node *old = head, *next = old->next;
        if (!next)
            return false;
        *value = next->value;
        head = next;
        delete old;
#ifdef M1
        *value += old->value;
#elif defined M2
        delete old;
#endif
        return true;
    }
};
#ifdef HIDDEN
static Queue *const queue = new Queue;
#else
static Queue here, *const queue = &here;
#endif
HD_OP(put, int, v, 1, 2) { queue->put(v); return HD_VOID; }
HD_OP(get) { int v; return queue->get(&v) ? HD_INT(v) : HD_NONE; }
#ifdef M3
HD_OP(look) { return HD_BOOL(queue->head->value > 2); }
#endif
