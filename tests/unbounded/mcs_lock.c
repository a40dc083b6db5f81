/* Mellor-Crummey and Scott's lock, its nodes on the stacks. M1: a successor that
 * came late is waited for, but not let in. M2: a node says that it is locked after it was linked
 * in, so that the wake-up may be lost. */
// run: --unbounded=3 => holds
// run: -DM1 --unbounded=2 => violated stuck
// run: -DM2 --unbounded=2 => violated stuck
#include "lock.h"
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
        atomic_store(&before->next, &own);
#ifdef M2
        atomic_store(&own.locked, 1);
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
    atomic_store(&atomic_load(&own.next)->locked, 0);
    return HD_INT(was);
}
