/* The list-based queueing lock of J. M. Mellor-Crummey and M. L. Scott (Algorithms for Scalable Synchronization on
 * Shared-Memory Multiprocessors, TOCS 1991, Figure 5).
 *
 * -DHAND_ORDER=memory_order_relaxed  the lock is handed over without what was done under it
 * -DFREE_ORDER=memory_order_relaxed  the lock is set free without what was done under it
 * -DNO_NEXT_WAIT                     the release does not wait for a successor that has swapped but not linked yet
 * -DLATE_LOCKED                      a waiter says that it waits after it has linked itself */
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#ifndef HAND_ORDER
#define HAND_ORDER memory_order_release
#endif
#ifndef FREE_ORDER
#define FREE_ORDER memory_order_release
#endif

struct mcs_node {
    _Atomic(struct mcs_node *) next;
    atomic_bool locked;
};
struct mcs_lock {
    _Atomic(struct mcs_node *) tail;
};

static void mcs_acquire(struct mcs_lock *lock, struct mcs_node *node)
{
    atomic_store_explicit(&node->next, NULL, memory_order_relaxed);
    atomic_store_explicit(&node->locked, true, memory_order_relaxed);
    struct mcs_node *before = atomic_exchange_explicit(&lock->tail, node, memory_order_acq_rel);
    if (!before)
        return;
    atomic_store_explicit(&before->next, node, memory_order_release);
#ifdef LATE_LOCKED
    atomic_store_explicit(&node->locked, true, memory_order_relaxed);
#endif
    while (atomic_load_explicit(&node->locked, memory_order_acquire))
        ;
}

static void mcs_release(struct mcs_lock *lock, struct mcs_node *node)
{
    struct mcs_node *next = atomic_load_explicit(&node->next, memory_order_acquire);
    if (!next) {
        struct mcs_node *expected = node;
        if (atomic_compare_exchange_strong_explicit(&lock->tail, &expected, NULL, FREE_ORDER,
                                                    memory_order_relaxed))
            return;
#ifdef NO_NEXT_WAIT
        return;
#endif
        while (!(next = atomic_load_explicit(&node->next, memory_order_acquire)))
            ;
    }
    atomic_store_explicit(&next->locked, false, HAND_ORDER);
}
