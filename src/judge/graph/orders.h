/* orders.h: the serial orders of a few operations, as far as the specification follows each: why a
 * history has none. Depends on libc only. */
#ifndef HEDDLE_GRAPH_ORDERS_H
#define HEDDLE_GRAPH_ORDERS_H
#include "judge/spec/automaton.h"

#define ORDERS_MOST 32u
#define ORDERS_TOLD 8u     /* that many are shown to a person, */
#define ORDERS_APART 1000u /* from that many steps on not one by one */

typedef struct OrdersProblem {
    Automaton *automaton;
    uint32_t count;         /* operations, at most ORDERS_MOST */
    const uint32_t *labels; /* with their results */
    const uint32_t *before; /* bit j of before[i]: j must come before i */
    uint32_t apart;         /* tells all orders apart if that takes fewer steps */
} OrdersProblem;

typedef struct OrdersEnd { /* the specification follows these operations, and none that may be
                            * next */
    uint32_t order[ORDERS_MOST];
    uint32_t length, state;
    uint32_t next; /* bit set: the operations that may be next, and disagree */
} OrdersEnd;

/* The longest MOST ends, longest first; returns how many are there. Unless they are
 * told apart, the first of several orders of the same operations that lead to the same state stands
 * for all. *all is the number of ends that there are, UINT64_MAX if that was not found out. */
size_t orders_find(const OrdersProblem *problem, OrdersEnd *ends, size_t most, uint64_t *all);
#endif
