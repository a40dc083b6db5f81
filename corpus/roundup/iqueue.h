/* A queue in an array, in the manner of Herlihy and Wing, but without waiting: the dequeue looks once at the part of
 * the array that was in use when it began, and returns nothing if it finds nothing. That is wrong: meanwhile an
 * element may have been added behind that part and another taken inside it, and the queue was never empty. */
#include <stdatomic.h>
#include <stdbool.h>
#define SLOTS 16

struct queue {
    atomic_int back;
    atomic_int items[SLOTS]; /* 0: none */
};

static void queue_enqueue(struct queue *q, int value)
{
    int slot = atomic_fetch_add(&q->back, 1);
    atomic_store(&q->items[slot], value);
}

static bool queue_dequeue(struct queue *q, int *value)
{
    int range = atomic_load(&q->back);
    for (int i = 0; i < range; i++) {
        *value = atomic_exchange(&q->items[i], 0);
        if (*value)
            return true;
    }
    return false;
}
