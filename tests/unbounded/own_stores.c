// A thread reads what it has stored last, from its buffer; but a load that the store covers in part waits until the store
// is in memory, so that `left` and `right` can't both miss what the other has stored. All tests of 2x2 by states and by
// executions: 37_unbounded.sh. PUBLISH: a node is marked behind the store that publishes it; though that is still in the
// buffer, the node is not only its owner's any more, and the mark waits behind it.
// FREES: a store to a node that its owner frees has no effect any more.
// run: --model=tso => holds
// run: => holds
// run: -DFREES --model=tso => holds
// run: -DPUBLISH --model=tso => violated linearizability
// run: -DPUBLISH => violated linearizability
#include <heddle.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#if !defined PUBLISH && !defined FREES
static union {
    _Atomic uint64_t whole;
    _Atomic uint32_t half[2];
} u;
static atomic_int lock, x, missed[2];
HD_OP(twice)
{
    while (atomic_exchange(&lock, 1))
        ;
    atomic_store_explicit(&x, 1, memory_order_release);
    atomic_store_explicit(&x, 2, memory_order_release);
    int seen = atomic_load_explicit(&x, memory_order_acquire);
    atomic_store_explicit(&lock, 0, memory_order_release);
    return HD_INT(seen);
}
HD_OP(left)
{
    atomic_store_explicit(&u.half[0], 1, memory_order_release);
    if (!(atomic_load_explicit(&u.whole, memory_order_acquire) >> 32))
        atomic_exchange(&missed[0], 1);
    return HD_BOOL(1);
}
HD_OP(right)
{
    atomic_store_explicit(&u.half[1], 1, memory_order_release);
    if (!(uint32_t)atomic_load_explicit(&u.whole, memory_order_acquire))
        atomic_exchange(&missed[1], 1);
    return HD_BOOL(1);
}
HD_OP(check)
{
    return HD_BOOL(atomic_load(&missed[0]) && atomic_load(&missed[1]));
}
#else
typedef struct Node {
    atomic_int mark;
} Node;
static _Atomic(Node *) box;
#ifdef FREES
static atomic_int turn;
HD_OP(put)
{
    Node *n = calloc(1, sizeof *n), *none = NULL;
    if (!atomic_compare_exchange_strong(&box, &none, n))
        free(n);
    return HD_BOOL(1);
}
HD_OP(look) /* while it holds the node, others can reach it */
{
    Node *n = atomic_load_explicit(&box, memory_order_acquire);
    return HD_BOOL(atomic_load_explicit(&turn, memory_order_acquire) >= 0 || n);
}
HD_OP(take)
{
    Node *n = atomic_exchange(&box, NULL);
    if (n) {
        atomic_store_explicit(&n->mark, 1, memory_order_relaxed);
        free(n);
    }
    return HD_BOOL(1);
}
#else
HD_OP(put)
{
    Node *n = malloc(sizeof *n);
    atomic_init(&n->mark, 0);
    atomic_store_explicit(&box, n, memory_order_release);
    atomic_store_explicit(&n->mark, 1, memory_order_release);
    return HD_BOOL(1);
}
HD_OP(get)
{
    Node *n = atomic_load_explicit(&box, memory_order_acquire);
    return HD_BOOL(!n || atomic_load_explicit(&n->mark, memory_order_acquire));
}
#endif
#endif
