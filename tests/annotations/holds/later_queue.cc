// expect: holds
// The words of the later CDSSpec papers: a queue whose dequeue may find it empty beside an enqueue that is not seen yet.
#include <atomic>
#include <list>
#include <pthread.h>

struct node {
    int value;
    std::atomic<node *> next;
};
struct queue {
    std::atomic<node *> head, tail;
};
#ifndef PUBLISH
#define PUBLISH std::memory_order_release
#endif

/** @DeclareState: std::list<int> q;
    @Initial: q.clear();
    @Admissibility: enq <-> deq (M2->C_RET == M1->value)
    @Commutativity: enq <-> deq (M2->C_RET == -1) */

/** @Transition: STATE(q).push_back(value); */
void enq(queue *at, int value)
{
    node *n = new node{value, {nullptr}};
    for (;;) {
        node *t = at->tail.load(std::memory_order_acquire), *none = nullptr;
        bool linked = t->next.compare_exchange_strong(none, n, PUBLISH, std::memory_order_relaxed);
        /** @OPClearDefine: linked */
        if (linked) {
            at->tail.store(n, std::memory_order_release);
            return;
        }
    }
}
/** @Transition: S_RET = STATE(q).empty() ? -1 : STATE(q).front();
        if (S_RET != -1 && C_RET != -1)
            STATE(q).pop_front();
    @PostCondition: return C_RET == -1 ? true : C_RET == S_RET;
    @JustifyingPostcondition: if (C_RET == -1)
            return S_RET == -1;
        return true; */
int deq(queue *at)
{
    for (;;) {
        node *h = at->head.load(std::memory_order_acquire);
        node *n = h->next.load(std::memory_order_acquire);
        /** @OPClearDefine: true */
        if (!n)
            return -1;
        if (at->head.compare_exchange_strong(h, n, std::memory_order_release))
            return n->value;
    }
}

static queue q;
static void *producer(void *argument)
{
    enq(&q, 1);
    return argument;
}
static void *consumer(void *argument)
{
    deq(&q);
    return argument;
}
int main()
{
    node *dummy = new node{0, {nullptr}};
    q.head = dummy;
    q.tail = dummy;
    pthread_t a, b;
    pthread_create(&a, nullptr, producer, nullptr);
    pthread_create(&b, nullptr, consumer, nullptr);
    pthread_join(a, nullptr);
    pthread_join(b, nullptr);
    deq(&q);
    return 0;
}
