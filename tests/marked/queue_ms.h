// The queue of Michael and Scott (PODC 1996) for a few nodes that are never reused.
#include <heddle.h>
#include <stdatomic.h>
#include <stdlib.h>
struct node {
    int value;
    _Atomic(struct node *) next;
};
struct queue {
    _Atomic(struct node *) head, tail;
};
static struct node *queue_node(int value)
{
    struct node *node = malloc(sizeof *node);
    node->value = value;
    atomic_init(&node->next, NULL);
    return node;
}
static void queue_init(struct queue *q)
{
    struct node *node = queue_node(0);
    atomic_init(&q->head, node);
    atomic_init(&q->tail, node);
}
static void queue_put(struct queue *q, int value)
{
    HD_BEGIN(q, "put", HD_INT(value));
    struct node *node = queue_node(value);
    for (;;) {
        struct node *tail = atomic_load(&q->tail), *next = atomic_load(&tail->next);
        if (next) {
            atomic_compare_exchange_strong(&q->tail, &tail, next);
            continue;
        }
#ifdef LOST /* whoever comes second overwrites the link of the first */
        atomic_store(&tail->next, node);
#else
        struct node *none = NULL;
        if (!atomic_compare_exchange_strong(&tail->next, &none, node))
            continue;
#endif
        atomic_compare_exchange_strong(&q->tail, &tail, node);
        break;
    }
    HD_END(HD_VOID);
}
static int queue_get(struct queue *q)
{
    HD_BEGIN(q, "get");
    int value = -1;
    for (;;) {
        struct node *head = atomic_load(&q->head), *tail = atomic_load(&q->tail),
                    *next = atomic_load(&head->next);
        if (!next)
            break;
        if (head == tail) {
            atomic_compare_exchange_strong(&q->tail, &tail, next);
            continue;
        }
        value = next->value;
#ifdef TWICE /* two may take the same element */
        atomic_store(&q->head, next);
        break;
#else
        if (atomic_compare_exchange_strong(&q->head, &head, next))
            break;
#endif
    }
    HD_END(value < 0 ? HD_NONE : HD_INT(value));
    return value;
}
