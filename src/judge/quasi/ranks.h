/* ranks.h: decides whether a history of a queue is quasi linearizable where puts and takes are in
 * classes of their own, without the contents of the queue. A search that writes p' place by place
 * must know in which order the elements inside were put, and there are many orders where both
 * classes are relaxed. But the element that p' puts r-th is the one it takes r-th: so the puts and
 * the takes are read by two heads that go on together, rank by rank, wherever in time each of them
 * is (ranks.c has the argument). What has to be remembered is near the heads: the time to decide a
 * history grows with its length, not with the orders of what is inside.
 *
 * Every operation must surely have happened, with a known result, and put, take, or find nothing;
 * no element may be put twice or taken twice. Used by quasi.c and def4_long.c. Depends on libc
 * only. */
#ifndef HEDDLE_QUASI_RANKS_H
#define HEDDLE_QUASI_RANKS_H
#include "judge/linear/linearize_problem.h"
#include "judge/quasi/relax.h"
#include "record/kinds.h"

#define RANKS_NOTHING UINT32_MAX /* in place of an element: a take that finds none */

typedef struct RanksOp {
    uint32_t called, returned;
    uint32_t element; /* below the count of operations, or RANKS_NOTHING */
    bool puts;
} RanksOp;

typedef struct RanksProblem {
    const RanksOp *ops;
    uint32_t count;
    uint32_t put_factor, take_factor;
    RelaxSemantics semantics;
    const LinearizeLimits *limits; /* of which deadline and stop are heeded */
} RanksProblem;

typedef Vec(uint32_t) RanksOrder;

/* Returns holds or violated; inconclusive if MOST states were not enough, the limits ask
 * for an end, or more than 64 operations of a class overlap one. STATES: NULL, or how many there
 * were is added. ORDER: NULL, or if it holds, a serial order p of the operations (slot and kooo).
 */
Verdict ranks_decide(const RanksProblem *problem, uint64_t most, uint64_t *states,
                     RanksOrder *order);
#endif
