/* orders.h: where a history does not tell the order of some writes: is there an order in which a
 * level holds? First a serial order is looked for, as a scheduler would run the transactions; then
 * all orders are searched, by a solver that learns from the cycles that each of its proposals has
 * (polygraphs: Papadimitriou, 1979; the division of work is that of satisfiability modulo
 * theories). Depends on libc only. */
#ifndef HEDDLE_ISOLATION_ORDERS_H
#define HEDDLE_ISOLATION_ORDERS_H
#include "judge/isolation/cycles.h"
#include "judge/linear/linearize.h"

typedef struct OrderSearch {
    Vec(OrderPair) pairs;
    Vec(Cycle) cycles;  /* violated: one of them is there whichever way the pairs are ordered */
    const char *reason; /* inconclusive */
} OrderSearch;

/* Puts into order[write] the place of its transaction in a serial order that goes wrong as late as
 * it can. GRAPH has what is certain. */
void orders_guess(const Dependencies *graph, unsigned kinds, uint32_t *order);
/* Decides by search. GRAPH is built anew. */
Verdict orders_search(OrderSearch *search, Dependencies *graph, Level level, const uint32_t *order,
                      const LinearizeLimits *limits);
void orders_free(OrderSearch *search);
#endif
