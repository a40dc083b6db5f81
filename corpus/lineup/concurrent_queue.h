/* concurrent_queue.h: a queue of linked segments without locks. To add, a thread reserves a slot by
 * fetch-and-add, fills it and marks it as filled; to take, a thread claims the first reserved slot by
 * compare-and-swap and waits until it is filled.
 *
 * -DROOT_B: the preview takes a slot that is reserved but not filled yet for the end of the queue, so a
 * thread may fail to take even what it added itself. */
#ifndef CONCURRENT_QUEUE_H
#define CONCURRENT_QUEUE_H
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

#ifndef QUEUE_SEGMENT
#define QUEUE_SEGMENT 2
#endif

struct queue_segment {
    int value[QUEUE_SEGMENT];
    atomic_bool filled[QUEUE_SEGMENT];
    atomic_int low;  /* the first slot that is not taken */
    atomic_int high; /* the last slot that is reserved; beyond the end when threads found it full */
    int index;
    _Atomic(struct queue_segment *) next;
};

struct queue {
    _Atomic(struct queue_segment *) head, tail;
};

static inline struct queue_segment *queue_new_segment(int index)
{
    struct queue_segment *s = calloc(1, sizeof *s);
    s->index = index;
    atomic_init(&s->high, -1);
    return s;
}

static inline void queue_init(struct queue *q)
{
    struct queue_segment *s = queue_new_segment(0);
    atomic_init(&q->head, s);
    atomic_init(&q->tail, s);
}

static inline int queue_low(struct queue_segment *s)
{
    int low = atomic_load(&s->low);
    return low < QUEUE_SEGMENT ? low : QUEUE_SEGMENT;
}

static inline int queue_high(struct queue_segment *s)
{
    int high = atomic_load(&s->high);
    return high < QUEUE_SEGMENT ? high : QUEUE_SEGMENT - 1;
}

static inline void queue_enqueue(struct queue *q, int value)
{
    for (;;) {
        struct queue_segment *s = atomic_load(&q->tail);
        if (atomic_load(&s->high) < QUEUE_SEGMENT - 1) {
            int slot = atomic_fetch_add(&s->high, 1) + 1;
            if (slot < QUEUE_SEGMENT) {
                s->value[slot] = value;
                atomic_store(&s->filled[slot], true);
                if (slot == QUEUE_SEGMENT - 1) { /* the last one makes the next segment */
                    struct queue_segment *next = queue_new_segment(s->index + 1);
                    atomic_store(&s->next, next);
                    atomic_store(&q->tail, next);
                }
                return;
            }
        }
        while (atomic_load(&q->tail) == s)
            sched_yield();
    }
}

static inline int queue_value(struct queue_segment *s, int slot)
{
    while (!atomic_load(&s->filled[slot]))
        sched_yield();
    return s->value[slot];
}

/* Takes the first of a segment; false if it has none. */
static inline bool queue_remove(struct queue *q, struct queue_segment *s, int *value)
{
    int low = queue_low(s);
    while (low <= queue_high(s)) {
#ifdef ROOT_B
        if (!atomic_load(&s->filled[low]))
            return false;
#endif
        if (atomic_compare_exchange_strong(&s->low, &low, low + 1)) {
            *value = queue_value(s, low);
            if (low == QUEUE_SEGMENT - 1) {
                struct queue_segment *next;
                while (!(next = atomic_load(&s->next)))
                    sched_yield();
                atomic_store(&q->head, next);
            }
            return true;
        }
    }
    return false;
}

static inline bool queue_is_empty(struct queue *q)
{
    for (;;) {
        struct queue_segment *s = atomic_load(&q->head);
        if (queue_low(s) <= queue_high(s))
            return false;
        if (queue_low(s) < QUEUE_SEGMENT)
            return true;
        while (atomic_load(&q->head) == s) /* all taken: the next segment comes */
            sched_yield();
    }
}

static inline bool queue_try_dequeue(struct queue *q, int *value)
{
    while (!queue_is_empty(q)) {
        if (queue_remove(q, atomic_load(&q->head), value))
            return true;
#ifdef ROOT_B
        return false;
#endif
    }
    return false;
}

static inline bool queue_try_peek(struct queue *q, int *value)
{
    while (!queue_is_empty(q)) {
        struct queue_segment *s = atomic_load(&q->head);
        int low = queue_low(s);
        if (low <= queue_high(s)) {
            *value = queue_value(s, low);
            return true;
        }
    }
    return false;
}

/* Both ends at one time: read until nothing has changed in between. */
static inline void queue_ends(struct queue *q, struct queue_segment **head, int *low,
                              struct queue_segment **tail, int *high)
{
    do {
        *head = atomic_load(&q->head);
        *tail = atomic_load(&q->tail);
        *low = queue_low(*head);
        *high = queue_high(*tail);
    } while (*head != atomic_load(&q->head) || *tail != atomic_load(&q->tail) ||
             *low != queue_low(*head) || *high != queue_high(*tail) ||
             (*head)->index > (*tail)->index);
}

static inline int queue_count(struct queue *q)
{
    struct queue_segment *head, *tail;
    int low, high;
    queue_ends(q, &head, &low, &tail, &high);
    return (tail->index - head->index) * QUEUE_SEGMENT + high + 1 - low;
}

/* A copy of at most MOST values; gives their number. */
static inline int queue_to_array(struct queue *q, int *values, int most)
{
    struct queue_segment *head, *tail;
    int low, high, count = 0;
    queue_ends(q, &head, &low, &tail, &high);
    for (struct queue_segment *s = head;; s = atomic_load(&s->next)) {
        int last = s == tail ? high : QUEUE_SEGMENT - 1;
        for (int i = s == head ? low : 0; i <= last && count < most; i++)
            values[count++] = queue_value(s, i);
        if (s == tail)
            return count;
    }
}
#endif
