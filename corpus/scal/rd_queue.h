/* The random dequeued queue of Y. Afek, G. Korland and E. Yanovsky (OPODIS 2010): a Michael-Scott list whose nodes are
 * marked as taken. A dequeue looks first at a random one of the K nodes that follow the head, and takes the first node
 * that is not taken if that one is. The head moves over taken nodes only, so its successor, if not taken, is overtaken
 * by at most K-1 others: those that stand in the K nodes behind the head.
 *
 * -DSLIDES  taken nodes are not counted, so that the window moves on without its first node: the fault that Round-Up
 *           describes (section II), where an element may be overtaken for ever */
#include "tagged.h"

struct node {
    _Atomic(struct node *) next;
    atomic_bool taken;
    int value;
};
struct queue {
    _Atomic(struct node *) head, tail; /* the head is a taken node */
};

static void queue_init(struct queue *q)
{
    struct node *first = calloc(1, sizeof *first);
    atomic_init(&first->taken, true);
    atomic_init(&q->head, first);
    atomic_init(&q->tail, first);
}

static void queue_enqueue(struct queue *q, int value)
{
    struct node *node = calloc(1, sizeof *node);
    node->value = value;
    for (;;) {
        struct node *tail = atomic_load(&q->tail), *next = NULL;
        if (atomic_compare_exchange_strong(&tail->next, &next, node)) {
            atomic_compare_exchange_strong(&q->tail, &tail, node);
            return;
        }
        atomic_compare_exchange_strong(&q->tail, &tail, next);
    }
}

static bool take(struct node *node, int *value)
{
    bool taken = false;
    *value = node->value;
    return atomic_compare_exchange_strong(&node->taken, &taken, true);
}

static bool queue_dequeue(struct queue *q, int *value)
{
    unsigned steps = random_place(K);
    for (;;) {
        struct node *head = atomic_load(&q->head), *first = atomic_load(&head->next), *node = first;
        if (!first)
            return false;
        if (atomic_load(&first->taken)) {
            atomic_compare_exchange_strong(&q->head, &head, first);
            continue;
        }
        for (struct node *next = atomic_load(&node->next); steps && next; next = atomic_load(&next->next)) {
#ifdef SLIDES
            if (atomic_load(&next->taken))
                continue;
#endif
            node = next;
            steps--;
        }
        if (take(node, value) || take(first, value))
            return true;
    }
}
