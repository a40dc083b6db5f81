/* A ring for one producer and one consumer (L. Lamport, Specifying Concurrent Program Modules, TOPLAS 1983), with
 * the orders of N. M. Le, A. Guatto, A. Cohen and A. Pop (Correct and Efficient Bounded FIFO Queues, SBAC-PAD 2013).
 * Slots are plain memory: each index hands them over to the other side. As a queue that says when it is full and when
 * it is empty this is not linearizable on weak memory, x86 included: both sides may miss the other's latest step.
 * -DSEQ_CST mends that.
 *
 * -DPUT_ORDER=memory_order_relaxed   an element is handed over without its value
 * -DGET_ORDER=memory_order_relaxed   a slot is given back before it is read
 * -DSEEN_ORDER=memory_order_relaxed  an element is taken over without its value
 * -DEARLY_TAIL                       the index is moved before the slot is written */
#include <stdatomic.h>
#include <stdbool.h>
#ifdef SEQ_CST
#define PUT_ORDER memory_order_seq_cst
#define GET_ORDER memory_order_seq_cst
#define SEEN_ORDER memory_order_seq_cst
#define ROOM_ORDER memory_order_seq_cst
#endif
#ifndef PUT_ORDER
#define PUT_ORDER memory_order_release
#endif
#ifndef GET_ORDER
#define GET_ORDER memory_order_release
#endif
#ifndef SEEN_ORDER
#define SEEN_ORDER memory_order_acquire
#endif
#ifndef ROOM_ORDER
#define ROOM_ORDER memory_order_acquire
#endif
#define SIZE 2

struct ring {
    atomic_uint head, tail; /* of the consumer, of the producer */
    int slots[SIZE];
};

static bool ring_put(struct ring *r, int value)
{
    unsigned tail = atomic_load_explicit(&r->tail, memory_order_relaxed);
    if (tail - atomic_load_explicit(&r->head, ROOM_ORDER) == SIZE)
        return false;
#ifdef EARLY_TAIL
    atomic_store_explicit(&r->tail, tail + 1, PUT_ORDER);
    r->slots[tail % SIZE] = value;
#else
    r->slots[tail % SIZE] = value;
    atomic_store_explicit(&r->tail, tail + 1, PUT_ORDER);
#endif
    return true;
}

static bool ring_get(struct ring *r, int *value)
{
    unsigned head = atomic_load_explicit(&r->head, memory_order_relaxed);
    if (head == atomic_load_explicit(&r->tail, SEEN_ORDER))
        return false;
    *value = r->slots[head % SIZE];
    atomic_store_explicit(&r->head, head + 1, GET_ORDER);
    return true;
}
