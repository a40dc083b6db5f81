/* Treiber's stack. Nodes leak (the default), are freed under a lock of the pops (LOCK), or under
 * hazard pointers (HAZARD). M1: nodes are freed with no protection. M2: push links a node before it
 * knows its successor. M3: the hazard pointer is not checked again after it was set. M4: only one of
 * the hazard pointers is looked at. M5: the lock is given up before the node is unlinked. M6: the node is
 * freed before its value is read. */
// run: --elements=2 => holds 659
// run: --model=tso --elements=2 => holds 659
// run: --unbounded=3 --elements=1 => holds
// run: -DLOCK --elements=2 => holds 431
// run: -DLOCK --unbounded=3 --elements=4 => holds
// run: -DLOCK --unbounded=3 --time=2s => holds
// run: HEDDLE_DEBUG=symmetry=always --elements=2 => holds 342
// run: HEDDLE_DEBUG=symmetry=always -DLOCK --elements=2 => holds 228
// run: -DHAZARD --elements=1 => holds
// run: --spec=observed --elements=2 => holds
// run: -DM1 => violated use-after-free
// run: -DM2 => violated
// run: -DHAZARD -DM3 => violated use-after-free
// run: -DHAZARD -DM4 => violated use-after-free
// run: -DLOCK -DM5 => violated use-after-free
// run: -DLOCK -DM6 => violated use-after-free
// A pop that fails has looked at a node which others have freed: the same by executions, in whatever order threads are named.
// run: HEDDLE_DEBUG=states=never -DHAZARD -DM4 --model=sc --scenario=pop()push(1)|pop()pop()|push(2)push(1) => violated use-after-free
// run: HEDDLE_DEBUG=states=never -DHAZARD -DM4 --model=rc11 --scenario=pop()push(1)|pop()pop()|push(2)push(1) => violated use-after-free
// run: HEDDLE_DEBUG=states=never -DHAZARD -DM4 --model=tso --scenario=pop()push(1)|pop()pop()|push(2)push(1) => violated use-after-free
#include <heddle.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
typedef struct Node { struct Node *next; int value; } Node;
static _Atomic(Node *) top;
static atomic_int popping;
static _Atomic(Node *) hazard[2], retired;
static atomic_int slots[2];
static void push(int v)
{
    Node *n = malloc(sizeof *n);
    n->value = v;
    n->next = atomic_load(&top);
#ifdef M2
    Node *seen = n->next;
    while (!atomic_compare_exchange_strong(&top, &seen, n))
        ;
#else
    while (!atomic_compare_exchange_strong(&top, &n->next, n))
        ;
#endif
}
#ifdef HAZARD
static bool pop(int *v)
{
    int own = atomic_exchange(&slots[0], 1) ? 1 : 0;
    Node *n;
    for (;;) {
        n = atomic_load(&top);
        atomic_store(&hazard[own], n);
#ifndef M3
        if (n != atomic_load(&top))
            continue;
#endif
        Node *seen = n;
        if (!n || atomic_compare_exchange_strong(&top, &seen, n->next))
            break;
    }
    atomic_store(&hazard[own], NULL);
    if (own == 0)
        atomic_store(&slots[0], 0);
    if (!n)
        return false;
    *v = n->value;
    Node *old = atomic_exchange(&retired, n); /* at most one waits to be freed */
#ifdef M4
    if (old && atomic_load(&hazard[0]) != old)
#else
    if (old && atomic_load(&hazard[0]) != old && atomic_load(&hazard[1]) != old)
#endif
        free(old);
    return true;
}
#else
static bool pop(int *v)
{
#ifdef LOCK
    while (atomic_exchange(&popping, 1))
        ;
#endif
    Node *n = atomic_load(&top);
#ifdef M5
    atomic_store(&popping, 0);
#endif
    while (n && !atomic_compare_exchange_strong(&top, &n, n->next))
        ;
#if defined LOCK && !defined M5
    atomic_store(&popping, 0);
#endif
    if (!n)
        return false;
#ifdef M6
    free(n);
    *v = n->value;
    return true;
#endif
    *v = n->value;
#if defined LOCK || defined M1
    free(n);
#endif
    return true;
}
#endif
HD_SPEC("lifo")
HD_OP(push, int, v, 1, 2) { push(v); return HD_VOID; }
HD_OP(pop)
{
    int v;
    return pop(&v) ? HD_INT(v) : HD_NONE;
}
