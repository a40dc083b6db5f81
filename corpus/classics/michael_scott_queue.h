/* The non-blocking queue of M. M. Michael and M. L. Scott (Simple, Fast, and Practical Non-Blocking and Blocking
 * Concurrent Queue Algorithms, PODC 1996, Figure 1), with release and acquire as in Compass (Dang et al., PLDI
 * 2022). Nodes are never used again, so pointers need no counts.
 *
 * -DLINK_ORDER=memory_order_relaxed  a node is linked without its contents
 * -DNEXT_ORDER=memory_order_relaxed  a node is followed without its contents
 * -DHEAD_ORDER=memory_order_relaxed  the head is moved without telling that the tail was moved before
 * -DHEAD_STORE                       the head is moved by a store: a lost update
 * -DTAIL_STORE                       the tail is moved by a store: it may move back behind the head */
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#ifndef LINK_ORDER
#define LINK_ORDER memory_order_release
#endif
#ifndef NEXT_ORDER
#define NEXT_ORDER memory_order_acquire
#endif
#ifndef HEAD_ORDER
#define HEAD_ORDER memory_order_release
#endif

struct node {
    int value;
    _Atomic(struct node *) next;
};
struct queue {
    _Atomic(struct node *) head, tail;
};

static struct node *node_new(int value)
{
    struct node *node = malloc(sizeof *node);
    node->value = value;
    atomic_init(&node->next, NULL);
    return node;
}

static void queue_init(struct queue *q)
{
    struct node *dummy = node_new(0);
    atomic_init(&q->head, dummy);
    atomic_init(&q->tail, dummy);
}

static void queue_enqueue(struct queue *q, int value)
{
    struct node *node = node_new(value), *tail;
    for (;;) {
        tail = atomic_load_explicit(&q->tail, memory_order_acquire);
        struct node *next = atomic_load_explicit(&tail->next, NEXT_ORDER);
        if (tail != atomic_load_explicit(&q->tail, memory_order_acquire))
            continue;
        if (next) {
            atomic_compare_exchange_strong_explicit(&q->tail, &tail, next, memory_order_release,
                                                    memory_order_relaxed);
            continue;
        }
        if (atomic_compare_exchange_strong_explicit(&tail->next, &next, node, LINK_ORDER, memory_order_relaxed))
            break;
    }
#ifdef TAIL_STORE
    atomic_store_explicit(&q->tail, node, memory_order_release);
#else
    atomic_compare_exchange_strong_explicit(&q->tail, &tail, node, memory_order_release, memory_order_relaxed);
#endif
}

static bool queue_dequeue(struct queue *q, int *value)
{
    for (;;) {
        struct node *head = atomic_load_explicit(&q->head, memory_order_acquire);
        struct node *tail = atomic_load_explicit(&q->tail, memory_order_acquire);
        struct node *next = atomic_load_explicit(&head->next, NEXT_ORDER);
        if (head != atomic_load_explicit(&q->head, memory_order_acquire))
            continue;
        if (head == tail) {
            if (!next)
                return false;
            atomic_compare_exchange_strong_explicit(&q->tail, &tail, next, memory_order_release,
                                                    memory_order_relaxed); /* it lags behind */
            continue;
        }
        *value = next->value;
#ifdef HEAD_STORE
        atomic_store_explicit(&q->head, next, HEAD_ORDER);
        return true;
#endif
        if (atomic_compare_exchange_strong_explicit(&q->head, &head, next, HEAD_ORDER, memory_order_relaxed))
            return true;
    }
}
