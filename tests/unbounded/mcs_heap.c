/* A counter under Mellor-Crummey and Scott's lock: its nodes lie on the stacks, which other threads
 * access, and what it counts is kept in a heap object that only the owner of the lock has. M1: the
 * lock is given back before the sum is published. M2: a late successor is never let in. */
// run: --unbounded=2 => holds
// run: -O0 --unbounded=2 => holds
// run: -O2 --unbounded=3 => holds
// run: --model=tso => holds
// run: -DM1 --unbounded=2 => violated linearizability
// run: -O0 -DM1 --unbounded=2 => violated linearizability
// run: -DM2 --unbounded=2 => violated stuck
#include <heddle.h>
#include <stdatomic.h>
#include <stdlib.h>
typedef struct Node {
    _Atomic(struct Node *) next;
    atomic_int locked;
} Node;
static _Atomic(Node *) tail;
static atomic_int value;
static void acquire(Node *own)
{
    atomic_init(&own->next, NULL);
    atomic_init(&own->locked, 1);
    Node *before = atomic_exchange(&tail, own);
    if (!before)
        return;
    atomic_store(&before->next, own);
    while (atomic_load(&own->locked))
        ;
}
static void release(Node *own)
{
    if (!atomic_load(&own->next)) {
        Node *me = own;
        if (atomic_compare_exchange_strong(&tail, &me, NULL))
            return;
        while (!atomic_load(&own->next))
            ;
#ifdef M2
        return;
#endif
    }
    atomic_store(&atomic_load(&own->next)->locked, 0);
}
HD_OP(increment)
{
    Node own;
    acquire(&own);
    atomic_int *sum = malloc(sizeof *sum);
    atomic_store(sum, atomic_load(&value));
    atomic_fetch_add(sum, 1);
    int now = atomic_load(sum) % 4;
#ifdef M1
    release(&own);
#endif
    atomic_store(&value, now);
    free(sum);
#ifndef M1
    release(&own);
#endif
    return HD_INT(now);
}
