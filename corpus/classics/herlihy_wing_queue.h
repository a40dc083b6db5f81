/* The queue of M. P. Herlihy and J. M. Wing (Linearizability: A Correctness Condition for Concurrent Objects,
 * TOPLAS 1990, section 4.2): an endless array; a dequeue takes the first element it finds, and goes round as
 * long as there is none. Orders as in Compass (Dang et al., PLDI 2022).
 *
 * With these orders it meets the specification there, which asks for no serial order of all calls; there is none for some
 * clients: a dequeue that finds a slot already taken does not learn what the taker has enqueued before.
 * -DSWAP_ORDER=memory_order_acq_rel     it does
 *
 * -DLOOK_FIRST                          a slot is looked at before it is exchanged, so that empty ones are left alone
 *
 * -DRESERVE_ORDER=memory_order_relaxed  a slot is reserved without telling what was stored before
 * -DSTORE_ORDER=memory_order_relaxed    no mutant: what an element points to was written before its slot was reserved,
 *                                       so the release there covers it
 * -DLATE_RANGE                          the range is read again for every slot, not once a round
 * -DNO_SWAP                             an element is read and then cleared, in two steps */
#include <stdatomic.h>
#include <stddef.h>
#ifndef RESERVE_ORDER
#define RESERVE_ORDER memory_order_release
#endif
#ifndef STORE_ORDER
#define STORE_ORDER memory_order_release
#endif
#ifndef SWAP_ORDER
#define SWAP_ORDER memory_order_acquire
#endif
#define SLOTS 16

struct queue {
    atomic_int back;
    _Atomic(int *) items[SLOTS];
};

static void queue_enqueue(struct queue *q, int *element)
{
    int slot = atomic_fetch_add_explicit(&q->back, 1, RESERVE_ORDER);
    atomic_store_explicit(&q->items[slot], element, STORE_ORDER);
}

static int *queue_dequeue(struct queue *q)
{
    for (;;) {
        int range = atomic_load_explicit(&q->back, memory_order_acquire);
        for (int i = 0; i < range; i++) {
#ifdef LOOK_FIRST
            if (!atomic_load_explicit(&q->items[i], memory_order_acquire))
                continue;
#endif
#ifdef NO_SWAP
            int *element = atomic_load_explicit(&q->items[i], memory_order_acquire);
            if (element)
                atomic_store_explicit(&q->items[i], NULL, memory_order_release);
#else
            int *element = atomic_exchange_explicit(&q->items[i], NULL, SWAP_ORDER);
#endif
            if (element)
                return element;
#ifdef LATE_RANGE
            range = atomic_load_explicit(&q->back, memory_order_acquire);
#endif
        }
    }
}
