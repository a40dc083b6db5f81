/* Michael and Scott's queue, whose nodes leak; a thread that stands still holds an ever longer chain,
 * so that only a bound on the lag makes its states finite. M1: enq helps by a store (it needs one
 * call against five). M2: deq does not look whether the head moved. */
// run: --lag=2 --elements=2 => holds
// run: -DM1 --elements=3 => violated crash
// run: -DM2 --lag=3 --elements=2 => holds
// run: -DM3 --elements=2 => violated
#include <heddle.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
typedef struct Node { _Atomic(struct Node *) next; int value; } Node;
static _Atomic(Node *) head, tail;
HD_INIT
{
    Node *n = calloc(1, sizeof *n);
    atomic_store(&head, n);
    atomic_store(&tail, n);
}
static void put(int v)
{
    Node *n = malloc(sizeof *n);
    n->value = v;
    atomic_init(&n->next, NULL);
    for (;;) {
        Node *t = atomic_load(&tail), *x = atomic_load(&t->next);
        if (t != atomic_load(&tail))
            continue;
        if (x) {
#ifdef M1
            atomic_store(&tail, x);
#else
            atomic_compare_exchange_strong(&tail, &t, x);
#endif
            continue;
        }
#ifdef M3
        atomic_store(&t->next, n);
#else
        if (!atomic_compare_exchange_strong(&t->next, &x, n))
            continue;
#endif
        atomic_compare_exchange_strong(&tail, &t, n);
        return;
    }
}
static bool get(int *v)
{
    for (;;) {
        Node *h = atomic_load(&head), *t = atomic_load(&tail), *x = atomic_load(&h->next);
#ifndef M2
        if (h != atomic_load(&head))
            continue;
#endif
        if (h == t) {
            if (!x)
                return false;
            atomic_compare_exchange_strong(&tail, &t, x);
        } else {
            *v = x->value;
            if (atomic_compare_exchange_strong(&head, &h, x))
                return true;
        }
    }
}
HD_SPEC("fifo")
HD_OP(enq, int, v, 1, 2) { put(v); return HD_VOID; }
HD_OP(deq)
{
    int v;
    return get(&v) ? HD_INT(v) : HD_NONE;
}
