/* The list-based queueing lock of J. M. Mellor-Crummey and M. L. Scott (Algorithms for Scalable Synchronization on
 * Shared-Memory Multiprocessors, TOCS 1991, Figure 5) with the orders of C11. Each thread brings its own node. */
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

struct mcs_node {
    _Atomic(struct mcs_node *) next;
    atomic_bool waits;
};

/** @Structure_Define:
    @DeclareVar: bool _locked;
    @InitVar: _locked = false;
    @Happens_Before: Unlock -> Lock */
struct mcs_lock {
    _Atomic(struct mcs_node *) tail;
};

/** @Method: Lock
    @Ordering_Point_Set: Lock_Enter | Lock_Passed | Lock_Node
    @ID: lock
    @PreCondition: !_locked
    @SideEffect: _locked = true; */
static inline void mcs_acquire(struct mcs_lock *lock, struct mcs_node *node)
{
    atomic_store_explicit(&node->next, NULL, memory_order_relaxed);
    /** @Ordering_Point_Label_Check: true
        @Label: Lock_Node */
    atomic_store_explicit(&node->waits, true, memory_order_relaxed);
    struct mcs_node *before = atomic_exchange_explicit(&lock->tail, node, memory_order_acq_rel);
    /** @Ordering_Point_Label_Check: before == NULL
        @Label: Lock_Enter */
    if (!before)
        return;
    atomic_store_explicit(&before->next, node, memory_order_release);
    bool waits = true;
    while (waits) {
        waits = atomic_load_explicit(&node->waits, memory_order_acquire);
        /** @Ordering_Point_Label_Check: !waits
            @Label: Lock_Passed */
    }
}

/** @Method: Unlock
    @Ordering_Point_Set: Unlock_Free | Unlock_Pass | Unlock_Node
    @ID: lock
    @PreCondition: _locked
    @SideEffect: _locked = false; */
static inline void mcs_release(struct mcs_lock *lock, struct mcs_node *node)
{
    struct mcs_node *next = atomic_load_explicit(&node->next, memory_order_acquire);
    /** @Ordering_Point_Label_Check: true
        @Label: Unlock_Node */
    if (!next) {
        struct mcs_node *expected = node;
        bool freed = atomic_compare_exchange_strong_explicit(&lock->tail, &expected, NULL, memory_order_release,
                                                             memory_order_relaxed);
        /** @Ordering_Point_Label_Check: freed
            @Label: Unlock_Free */
        if (freed)
            return;
        while (!(next = atomic_load_explicit(&node->next, memory_order_acquire)))
            ;
    }
    atomic_store_explicit(&next->waits, false, memory_order_release);
    /** @Ordering_Point_Label_Check: true
        @Label: Unlock_Pass */
}
