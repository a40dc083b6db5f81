/* A quasi priority queue: a list sorted by priority, whose nodes are marked as taken and never unlinked. deqmin begins
 * at the first node that is not taken, the head, and takes it or one of the K nodes that follow it, taken ones counted:
 * so the head is overtaken at most K times. That holds as long as no priority is added below one that was taken early:
 * if 4 is taken before 1 and 2, it is two places early, and every 3 that is added before 1 and 2 are taken makes it one
 * more, since a run of a priority queue takes 4 after all of them. A queue that lets takes overtake can't know who will
 * come: this is so for every one, the paper's too. So the tests add priorities in ascending order, and equal ones where
 * two threads add at once.
 *
 * -DFAR  deqmin takes one of the K+1 nodes that are not taken behind the head (b2: more than K away from the head) */
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#ifndef K
#define K 2
#endif
#ifdef FAR
enum { CHOICES = K + 2 };
#else
enum { CHOICES = K + 1 };
#endif

struct node {
    int value, priority;
    _Atomic(struct node *) next;
    atomic_bool taken;
};
struct queue {
    _Atomic(struct node *) first;
};

static void queue_enqueue(struct queue *q, int value, int priority)
{
    struct node *node = calloc(1, sizeof *node);
    node->value = value;
    node->priority = priority;
    for (;;) {
        _Atomic(struct node *) *place = &q->first;
        struct node *next = atomic_load(place);
        while (next && next->priority <= priority) {
            place = &next->next;
            next = atomic_load(place);
        }
        atomic_store(&node->next, next);
        if (atomic_compare_exchange_strong(place, &next, node))
            return;
    }
}

static bool take(struct node *node, int *value)
{
    bool taken = false;
    *value = node->value;
    return atomic_compare_exchange_strong(&node->taken, &taken, true);
}

/* STEPS, less than CHOICES: how far from the head to look first. */
static bool queue_dequeue(struct queue *q, unsigned steps, int *value)
{
    for (;;) {
        struct node *head = atomic_load(&q->first);
        while (head && atomic_load(&head->taken))
            head = atomic_load(&head->next);
        if (!head)
            return false;
        struct node *node = head;
        for (struct node *next = atomic_load(&node->next); steps && next; next = atomic_load(&next->next)) {
#ifdef FAR
            if (atomic_load(&next->taken))
                continue;
#endif
            node = next;
            steps--;
        }
        steps = 0;
        if (take(node, value) || take(head, value))
            return true;
    }
}
