/* linearize.h: is there a serial order of the operations that respects their real-time order and
 * that the specification allows? Just-in-time linearization (Wing and Gong; Lowe) with a memo of
 * visited configurations, on any automaton: plain, observed, relaxed. Interval orders (recorded
 * histories) of any length and width, and general partial orders (execution graphs). Pending
 * operations may happen or not, with any result. A Linearizer keeps its memory between searches: in
 * steady state nothing is allocated. Depends on libc only. */
#ifndef HEDDLE_LINEAR_LINEARIZE_H
#define HEDDLE_LINEAR_LINEARIZE_H
#include "judge/linear/linearize_problem.h"
#include "record/kinds.h"

typedef struct LinearizeResult {
    Verdict verdict;         /* holds, violated or inconclusive */
    const char *reason;      /* of inconclusive: "time", "memory", "configurations" */
    uint64_t configurations; /* visited */
    /* holds: the serial order found. Valid until the next search. */
    const uint32_t *order;
    uint32_t order_count;
    /* otherwise, for interval orders: the operation at whose return no order was left; everything
     * that returned before it is linearizable. For partial orders: LINEARIZE_NONE. */
    uint32_t blocked;
    uint32_t settled; /* operations that had returned by then, or the most that were put in order */
    bool at_the_latest; /* there may have been none left before that */
} LinearizeResult;

typedef struct Linearizer Linearizer;
Linearizer *linearizer_new(void);
void linearizer_free(Linearizer *linearizer); /* NULL is allowed */
size_t linearizer_memory(const Linearizer *linearizer);
LinearizeResult linearize(Linearizer *linearizer, const LinearizeProblem *problem,
                          const LinearizeLimits *limits);

/* One of the orders that got as far as any: why the search ended there. */
typedef struct LinearizeDeadEnd {
    const uint32_t *order; /* valid until the next search */
    uint32_t count;
    uint32_t state; /* of the automaton, after the order */
} LinearizeDeadEnd;
/* After a violation: up to MOST orders that reach the furthest point, in different states, found by
 * searching again; *result then says where that is, if it did not. Returns how many there are in
 * dead_ends. */
size_t linearize_dead_ends(Linearizer *linearizer, const LinearizeProblem *problem,
                           const LinearizeLimits *limits, LinearizeResult *result,
                           LinearizeDeadEnd *dead_ends, size_t most);
#endif
