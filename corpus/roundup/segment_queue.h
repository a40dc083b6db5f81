/* The segmented queue of Y. Afek, G. Korland and E. Yanovsky (Quasi-Linearizability: Relaxed Consistency for Improved
 * Concurrency, OPODIS 2010): a linked list of segments with K+1 cells. A cell is used once: empty, then a value, then
 * taken. An enqueue fills some cell of the last segment; a dequeue takes some cell of the first one, beginning at a
 * random place, and goes to the next segment when all its cells are taken. So an element is overtaken by at most
 * the K others of its segment.
 *
 * -DK=N      the quasi factor (2)
 * -DFAR      a dequeue whose cell is taken goes to the next segment instead of the next cell (b1: removes values
 *            more than K away from the head)
 * -DTWICE    a value is read and then marked as taken, in two steps (b2: removes values that were removed before)
 * -DGIVES_UP a dequeue that loses the race for a cell returns nothing (b3: null although the queue is not empty) */
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#ifndef K
#define K 2
#endif
enum { CELLS = K + 1, TAKEN = -1 };

struct segment {
    atomic_int cells[CELLS]; /* 0: empty; values are positive */
    _Atomic(struct segment *) next;
};
struct queue {
    _Atomic(struct segment *) head, tail;
};

static void queue_init(struct queue *q)
{
    struct segment *first = calloc(1, sizeof *first);
    atomic_init(&q->head, first);
    atomic_init(&q->tail, first);
}

/* The segment after this one, which is made if need be. */
static struct segment *segment_after(struct segment *segment)
{
    struct segment *next = atomic_load(&segment->next);
    if (next)
        return next;
    struct segment *fresh = calloc(1, sizeof *fresh);
    if (atomic_compare_exchange_strong(&segment->next, &next, fresh))
        return fresh;
    free(fresh);
    return next;
}

static void queue_enqueue(struct queue *q, int value)
{
    for (;;) {
        struct segment *tail = atomic_load(&q->tail);
        for (int i = 0; i < CELLS; i++) {
            int empty = 0;
            if (atomic_load(&tail->cells[i]) == 0 && atomic_compare_exchange_strong(&tail->cells[i], &empty, value))
                return;
        }
        struct segment *next = segment_after(tail);
        atomic_compare_exchange_strong(&q->tail, &tail, next);
    }
}

static bool take(atomic_int *cell, int value)
{
#ifdef TWICE
    atomic_store(cell, TAKEN);
    return value > 0;
#else
    return atomic_compare_exchange_strong(cell, &value, TAKEN);
#endif
}

/* Cells that were empty in a first look and still are show that all were empty or taken in between. */
static bool still_empty(struct segment *segment, unsigned cells)
{
    for (int i = 0; i < CELLS; i++)
        if (cells >> i & 1 && atomic_load(&segment->cells[i]) != 0)
            return false;
    return true;
}

/* FIRST is the cell to begin with. */
static bool queue_dequeue(struct queue *q, unsigned first, int *value)
{
    struct segment *head = atomic_load(&q->head);
    for (;;) {
        unsigned empty = 0;
        for (unsigned i = 0; i < CELLS; i++) {
            unsigned cell = (first + i) % CELLS;
            *value = atomic_load(&head->cells[cell]);
            if (*value > 0 && take(&head->cells[cell], *value))
                return true;
#ifdef GIVES_UP
            if (*value > 0)
                return false;
#endif
            if (*value == 0)
                empty |= 1u << cell;
#ifdef FAR
            struct segment *other = atomic_load(&head->next);
            if (*value == TAKEN && other) {
                int far = atomic_load(&other->cells[0]);
                if (far > 0 && take(&other->cells[0], far)) {
                    *value = far;
                    return true;
                }
            }
#endif
        }
        if (empty && still_empty(head, empty))
            return false;
        struct segment *next = atomic_load(&head->next);
        if (!empty && !next)
            return false;
        if (!empty)
            atomic_compare_exchange_strong(&q->head, &head, next);
        head = atomic_load(&q->head);
    }
}
