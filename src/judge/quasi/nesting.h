/* nesting.h: decides histories of stacks and priority queues whose puts and takes are both relaxed,
 * by the order of pairs. A search that writes p' place by place (quasi.h, def4_long.c) must know
 * the order of what is inside, and a wrong choice among the puts shows only when much later takes
 * come: it tries all choices in between again. Here the unknown is for every two operations which
 * of them p' has first. What is certain of some pairs makes others certain, wherever in the history
 * they are: most histories that are wrong are contradictory at once, and few pairs are guessed.
 *
 * Every operation must surely have happened, with a known result, and put, take, or find nothing;
 * no element may be put twice or taken twice. Depends on libc only. */
#ifndef HEDDLE_QUASI_NESTING_H
#define HEDDLE_QUASI_NESTING_H
#include "judge/quasi/ranks.h"

#define NESTING_MOST 512u /* operations */

typedef struct NestingProblem {
    const RanksOp *ops;
    uint32_t count;
    uint32_t put_factor, take_factor;
    RelaxSemantics semantics;
    const LinearizeLimits *limits; /* of which deadline and stop are heeded */
    const uint32_t *priority; /* by element, all different: the least goes first; NULL: a stack */
} NestingProblem;

/* Returns violated, if no p' can be. For def4 also holds; for slot and kooo only what p' alone must
 * satisfy is looked at, so what is not violated is inconclusive. Inconclusive too after MOST
 * guesses, when the limits ask for an end, or if there are more than NESTING_MOST operations.
 * GUESSES: NULL, or how many there were is added. */
Verdict nesting_decide(const NestingProblem *problem, uint64_t most, uint64_t *guesses);
#endif
