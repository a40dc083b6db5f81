/* chain.h: what reads of an append log reveal. If all values put into or appended to one cell are
 * different texts, none of them the beginning of another, then a text that was read splits in one
 * way into the operations that made it, in their order, with nothing between them. Every serial
 * order has to agree with that, so the search need not try others: a key with a thousand
 * overlapping appends is then checked in about a thousand steps. */
#ifndef HEDDLE_LINEAR_CHAIN_H
#define HEDDLE_LINEAR_CHAIN_H
#include "judge/linear/plan.h"

typedef struct Chain {
    Vec(uint32_t) follows, leads, cells; /* by member of the group; as in LinearizeProblem */
    uint32_t cell_count;
    /* private */
    Vec(uint64_t) order;
    Vec(Str) texts;
    Vec(uint32_t) ops, tokens;
} Chain;
/* Fills follows, leads and cells for a group, which may hold one cell or several; false if nothing
 * can be known (other operations, values that repeat). Memory is reused. */
bool chain_find(Chain *chain, const Plan *plan, const PlanGroup *group);
void chain_free(Chain *chain);
#endif
