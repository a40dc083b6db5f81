/* The bounded k-FIFO queue of C. M. Kirsch, M. Lippautz and H. Payer (Fast and Scalable, Lock-free k-FIFO Queues, PaCT
 * 2013; Technical report 2012-04, Salzburg): a ring of segments with K cells. Elements go to a free cell of the segment
 * at the tail and are taken from any cell of the one at the head, so they are out of order by at most K-1. An enqueue
 * that may have come too late, when the dequeues had left its segment already, finds out in committed() and tries again.
 *
 * -DUNCOMMITTED  an enqueue does not look whether its segment is still in the queue: its element may be lost, or
 *                overtaken by a whole turn of the ring */
#include "tagged.h"
#ifndef SEGMENTS
#define SEGMENTS 4
#endif

struct queue {
    _Atomic(Tagged) head, tail; /* the number of a segment's first cell */
    _Atomic(Tagged) cells[SEGMENTS * K]; /* 0: empty */
};

/* Some cell of the segment that is empty (or not empty): its number, and what it held. If there is none, a cell of the
 * other kind. */
static unsigned find_cell(struct queue *q, Tagged segment, bool empty, Tagged *found)
{
    unsigned first = random_place(K), cell = 0;
    for (unsigned i = 0; i < K; i++) {
        cell = (unsigned)tagged_value(segment) + (first + i) % K;
        *found = atomic_load(&q->cells[cell]);
        if (!tagged_value(*found) == empty)
            break;
    }
    return cell;
}

static bool segment_is_empty(struct queue *q, Tagged segment)
{
    for (unsigned i = 0; i < K; i++)
        if (tagged_value(atomic_load(&q->cells[tagged_value(segment) + i])))
            return false;
    return true;
}

static void advance(_Atomic(Tagged) *end, Tagged old)
{
    atomic_compare_exchange_strong(end, &old, tagged_next((tagged_value(old) + K) % (SEGMENTS * K), old));
}

/* Is SEGMENT behind the head, and not behind the tail? */
static bool in_queue_after_head(Tagged segment, Tagged tail, Tagged head)
{
    uint64_t s = tagged_value(segment), t = tagged_value(tail), h = tagged_value(head);
    return t < h ? h < s || s <= t : h < s && s <= t;
}

static bool not_in_queue(Tagged segment, Tagged tail, Tagged head)
{
    uint64_t s = tagged_value(segment), t = tagged_value(tail), h = tagged_value(head);
    return t < h ? t < s && s < h : s < h || t < s;
}

/* Is the new element where dequeues will find it? If not it is taken back. */
static bool committed(struct queue *q, Tagged segment, unsigned cell, Tagged element)
{
#ifdef UNCOMMITTED
    return true;
#endif
    if (atomic_load(&q->cells[cell]) != element)
        return true; /* it was dequeued */
    Tagged head = atomic_load(&q->head), tail = atomic_load(&q->tail);
    if (in_queue_after_head(segment, tail, head))
        return true;
    /* at the head: a change of its version makes a dequeue fail that found the segment empty */
    if (!not_in_queue(segment, tail, head) &&
        atomic_compare_exchange_strong(&q->head, &head, tagged_next(tagged_value(head), head)))
        return true;
    return !atomic_compare_exchange_strong(&q->cells[cell], &element, tagged_next(0, element));
}

/* False if the queue is full. */
static bool queue_enqueue(struct queue *q, int value)
{
    for (;;) {
        Tagged tail = atomic_load(&q->tail), head = atomic_load(&q->head), found;
        unsigned cell = find_cell(q, tail, true, &found);
        if (tail != atomic_load(&q->tail))
            continue;
        if (!tagged_value(found)) {
            Tagged element = tagged_next((uint64_t)value, found);
            if (atomic_compare_exchange_strong(&q->cells[cell], &found, element) && committed(q, tail, cell, element))
                return true;
            continue;
        }
        if ((tagged_value(tail) + K) % (SEGMENTS * K) == tagged_value(head) && head == atomic_load(&q->head)) {
            if (!segment_is_empty(q, head) && head == atomic_load(&q->head))
                return false;
            advance(&q->head, head);
        }
        advance(&q->tail, tail);
    }
}

static bool queue_dequeue(struct queue *q, int *value)
{
    for (;;) {
        Tagged head = atomic_load(&q->head), found;
        unsigned cell = find_cell(q, head, false, &found);
        Tagged tail = atomic_load(&q->tail);
        if (head != atomic_load(&q->head))
            continue;
        if (tagged_value(found)) {
            if (tagged_value(head) == tagged_value(tail))
                advance(&q->tail, tail);
            *value = (int)tagged_value(found);
            if (atomic_compare_exchange_strong(&q->cells[cell], &found, tagged_next(0, found)))
                return true;
        } else if (tagged_value(head) == tagged_value(tail) && tail == atomic_load(&q->tail)) {
            return false;
        } else {
            advance(&q->head, head);
        }
    }
}
