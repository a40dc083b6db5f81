/* The queue of M. M. Michael and M. L. Scott (PODC 1996, Figure 1) with counted pointers, as in the paper and in Scal. */
#include "tagged.h"

struct node {
    _Atomic(Tagged) next;
    int value;
};
struct queue {
    _Atomic(Tagged) head, tail;
};

static struct node *node_of(Tagged t)
{
    return (struct node *)(uintptr_t)tagged_value(t);
}

static void queue_init(struct queue *q)
{
    Tagged first = tagged_next((uintptr_t)calloc(1, sizeof(struct node)), 0);
    atomic_init(&q->head, first);
    atomic_init(&q->tail, first);
}

static void queue_enqueue(struct queue *q, int value)
{
    struct node *node = calloc(1, sizeof *node);
    node->value = value;
    for (;;) {
        Tagged tail = atomic_load(&q->tail);
        Tagged next = atomic_load(&node_of(tail)->next);
        if (tail != atomic_load(&q->tail))
            continue;
        if (node_of(next)) {
            atomic_compare_exchange_strong(&q->tail, &tail, tagged_next(tagged_value(next), tail));
        } else if (atomic_compare_exchange_strong(&node_of(tail)->next, &next, tagged_next((uintptr_t)node, next))) {
            atomic_compare_exchange_strong(&q->tail, &tail, tagged_next((uintptr_t)node, tail));
            return;
        }
    }
}

static bool queue_dequeue(struct queue *q, int *value)
{
    for (;;) {
        Tagged head = atomic_load(&q->head);
        Tagged tail = atomic_load(&q->tail);
        Tagged next = atomic_load(&node_of(head)->next);
        if (head != atomic_load(&q->head))
            continue;
        if (node_of(head) == node_of(tail)) {
            if (!node_of(next))
                return false;
            atomic_compare_exchange_strong(&q->tail, &tail, tagged_next(tagged_value(next), tail));
        } else {
            *value = node_of(next)->value;
            if (atomic_compare_exchange_strong(&q->head, &head, tagged_next(tagged_value(next), head)))
                return true;
        }
    }
}
