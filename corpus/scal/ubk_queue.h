/* The unbounded k-FIFO queue of C. M. Kirsch, M. Lippautz and H. Payer (Fast and Scalable, Lock-free k-FIFO Queues, PaCT
 * 2013; Technical report 2012-04, Salzburg): a linked list of segments with K cells, otherwise as bk_queue.h. A segment
 * that the head has left is marked as deleted first, so that an enqueue into it finds out.
 *
 * -DPUT_ORDER=memory_order_relaxed  an element is put into its cell without what it points to
 * -DUNCOMMITTED                     an enqueue does not look whether its segment is still in the queue */
#include "tagged.h"
#ifndef PUT_ORDER
#define PUT_ORDER memory_order_seq_cst
#endif

struct segment {
    _Atomic(Tagged) next;
    atomic_bool deleted;
    _Atomic(Tagged) cells[K]; /* 0: empty; else a pointer or a number */
};
struct queue {
    _Atomic(Tagged) head, tail;
};

static struct segment *segment_of(Tagged t)
{
    return (struct segment *)(uintptr_t)tagged_value(t);
}

static void queue_init(struct queue *q)
{
    Tagged first = tagged_next((uintptr_t)calloc(1, sizeof(struct segment)), 0);
    atomic_init(&q->head, first);
    atomic_init(&q->tail, first);
}

/* Some cell of the segment that is empty (or not empty), and what it held; if there is none, one of the other kind. */
static _Atomic(Tagged) *find_cell(Tagged segment, bool empty, Tagged *found)
{
    unsigned first = random_place(K), cell = 0;
    for (unsigned i = 0; i < K; i++) {
        cell = (first + i) % K;
        *found = atomic_load(&segment_of(segment)->cells[cell]);
        if (!tagged_value(*found) == empty)
            break;
    }
    return &segment_of(segment)->cells[cell];
}

static void advance_tail(struct queue *q, Tagged tail)
{
    Tagged next = atomic_load(&segment_of(tail)->next);
    if (tail != atomic_load(&q->tail))
        return;
    if (!segment_of(next)) {
        Tagged fresh = tagged_next((uintptr_t)calloc(1, sizeof(struct segment)), next);
        if (!atomic_compare_exchange_strong(&segment_of(tail)->next, &next, fresh)) {
            free(segment_of(fresh));
            return;
        }
        next = fresh;
    }
    atomic_compare_exchange_strong(&q->tail, &tail, tagged_next(tagged_value(next), tail));
}

static void advance_head(struct queue *q, Tagged head)
{
    Tagged tail = atomic_load(&q->tail);
    Tagged tail_next = atomic_load(&segment_of(tail)->next);
    Tagged head_next = atomic_load(&segment_of(head)->next);
    if (head != atomic_load(&q->head))
        return;
    if (tagged_value(head) == tagged_value(tail)) {
        if (!segment_of(tail_next))
            return;
        if (tail == atomic_load(&q->tail))
            atomic_compare_exchange_strong(&q->tail, &tail, tagged_next(tagged_value(tail_next), tail));
    }
    atomic_store(&segment_of(head)->deleted, true);
    atomic_compare_exchange_strong(&q->head, &head, tagged_next(tagged_value(head_next), head));
}

/* Is the new element where dequeues will find it? If not it is taken back. */
static bool committed(struct queue *q, Tagged segment, _Atomic(Tagged) *cell, Tagged element)
{
#ifdef UNCOMMITTED
    return true;
#endif
    if (atomic_load(cell) != element)
        return true; /* it was dequeued */
    Tagged head = atomic_load(&q->head);
    if (!atomic_load(&segment_of(segment)->deleted)) {
        if (tagged_value(head) != tagged_value(segment))
            return true; /* behind the head */
        /* at the head: a change of its version makes a dequeue fail that found the segment empty */
        if (atomic_compare_exchange_strong(&q->head, &head, tagged_next(tagged_value(head), head)))
            return true;
    }
    return !atomic_compare_exchange_strong(cell, &element, tagged_next(0, element));
}

static void queue_enqueue(struct queue *q, uint64_t value)
{
    for (;;) {
        Tagged tail = atomic_load(&q->tail), found;
        _Atomic(Tagged) *cell = find_cell(tail, true, &found);
        if (tail != atomic_load(&q->tail))
            continue;
        if (tagged_value(found)) {
            advance_tail(q, tail);
            continue;
        }
        Tagged element = tagged_next(value, found);
        if (atomic_compare_exchange_strong_explicit(cell, &found, element, PUT_ORDER, memory_order_relaxed) &&
            committed(q, tail, cell, element))
            return;
    }
}

static bool queue_dequeue(struct queue *q, uint64_t *value)
{
    for (;;) {
        Tagged head = atomic_load(&q->head), found;
        _Atomic(Tagged) *cell = find_cell(head, false, &found);
        Tagged tail = atomic_load(&q->tail);
        if (head != atomic_load(&q->head))
            continue;
        if (tagged_value(found)) {
            if (tagged_value(head) == tagged_value(tail))
                advance_tail(q, tail);
            *value = tagged_value(found);
            if (atomic_compare_exchange_strong(cell, &found, tagged_next(0, found)))
                return true;
        } else if (tagged_value(head) == tagged_value(tail) && tail == atomic_load(&q->tail)) {
            return false;
        } else {
            advance_head(q, head);
        }
    }
}
