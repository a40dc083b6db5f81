/* Mellor-Crummey and Scott's lock, its nodes on the stacks. M1: a successor that
 * came late is waited for, but not let in. M2: a node says that it is locked after it was linked
 * in, so that the wake-up may be lost. WEAK: with the weakest orders that it needs; under tso its
 * stores, some of them to other stacks and its own, wait in store buffers. */
// run: --unbounded=3 => holds
// run: --model=tso => holds
// run: --model=tso -DWEAK => holds
// run: --model=tso -DM1 => violated stuck
// run: --model=tso -DWEAK -DM2 => violated stuck
// run: -DM1 --unbounded=2 => violated stuck
// run: -DM2 --unbounded=2 => violated stuck
#include "lock.h"
#ifdef WEAK
#define STORE(to, value) atomic_store_explicit(to, value, memory_order_release)
#else
#define STORE(to, value) atomic_store(to, value)
#endif
typedef struct Node {
    _Atomic(struct Node *) next;
    atomic_int locked;
} Node;
static _Atomic(Node *) tail;
HD_OP(enter)
{
    Node own;
    atomic_init(&own.next, NULL);
#ifdef M2
    atomic_init(&own.locked, 0);
#else
    atomic_init(&own.locked, 1);
#endif
    Node *before = atomic_exchange(&tail, &own);
    if (before) {
        STORE(&before->next, &own);
#ifdef M2
        STORE(&own.locked, 1);
#endif
        while (atomic_load(&own.locked))
            ;
    }
    int was = critical();
    Node *me = &own;
    if (!atomic_load(&own.next)) {
        if (atomic_compare_exchange_strong(&tail, &me, NULL))
            return HD_INT(was);
        while (!atomic_load(&own.next))
            ;
#ifdef M1
        return HD_INT(was);
#endif
    }
    STORE(&atomic_load(&own.next)->locked, 0);
    return HD_INT(was);
}
