/* closest.h: the allowed outcome that is nearest to one that no serial order explains: the fewest
 * results changed. It tells a person which call "should" have given what. Depends on libc only. */
#ifndef HEDDLE_GRAPH_CLOSEST_H
#define HEDDLE_GRAPH_CLOSEST_H
#include "judge/spec/automaton.h"

#define CLOSEST_MOST 32u

typedef struct ClosestProblem {
    Automaton *automaton;
    uint32_t count;              /* operations, at most CLOSEST_MOST */
    const uint32_t *labels;      /* with the results that were seen */
    const uint32_t *open_labels; /* with VALUE_UNKNOWN */
    const uint32_t *before;      /* bit j of before[i]: j must come before i */
    uint32_t
        stuck; /* open label of an operation that waits at the end but should not, or UINT32_MAX */
    uint64_t most_steps; /* when to give up; 0: 200000 */
} ClosestProblem;

typedef struct ClosestResult {
    uint32_t changes;           /* how many results differ; the stuck operation does not count */
    bool changed[CLOSEST_MOST]; /* by operation */
    Value result[CLOSEST_MOST]; /* of the changed ones */
    Value stuck_result;
    uint32_t order[CLOSEST_MOST]; /* a serial order that gives them */
} ClosestResult;

/* False if there is none, or it was not found within the limit. */
MUST_USE bool closest_outcome(const ClosestProblem *problem, ClosestResult *result);
#endif
