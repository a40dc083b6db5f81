/* def4.h: quasi linearizability by Definition 4 of the papers, literally: some run that the
 * specification allows has, inside each class of operations, no operation displaced by more than
 * the class's factor from some order that respects real time; how classes interleave is free. See
 * relax.h for the semantics that should be preferred, and why.
 *
 * Three searches: def4.c takes any partial order of at most 64 operations; def4_long.c takes
 * interval orders of any length, with reductions that hold only there; def4_slow.c is the
 * definition word for word, the twin that both are compared with. */
#ifndef HEDDLE_QUASI_DEF4_H
#define HEDDLE_QUASI_DEF4_H
#include "judge/linear/linearize.h"
#include "judge/linear/plan.h"
#include "judge/quasi/relax.h"

/* The search itself, for at most 64 operations and for general orders. For those the answer is
 * about the orders inside the classes only: in an interval order they always extend to one order of
 * all (def4.c), in a general one they need not. */
typedef struct Def4Problem {
    Automaton *automaton; /* of the specification that is not relaxed */
    const RelaxClasses *classes;
    const uint32_t *labels; /* by operation */
    const uint8_t *class;   /* by operation; or RELAX_NO_CLASS */
    const uint64_t *before; /* row x has bit y if y precedes x */
    uint32_t count;
    uint64_t all;   /* operations that take part */
    uint32_t stuck; /* as in LinearizeProblem */
} Def4Problem;
/* places: NULL, or where each operation stands in the order of its class, if there is one. */
LinearizeResult def4_search(const Def4Problem *problem, const LinearizeLimits *limits,
                            uint32_t *places);

/* Decides the same by trying everything (def4_slow.c); inconclusive after STEPS. */
Verdict def4_slow(const Def4Problem *problem, uint64_t steps);

/* Decides a group; plan->spec is relaxed with RELAX_DEF4. Inconclusive ("size") if more than
 * DEF4_LONGEST operations (64 where the history has an order of its own), or more than 12 pending
 * ones. */
#define DEF4_LONGEST 512u
LinearizeResult def4_check(const Plan *plan, const PlanGroup *group, const LinearizeLimits *limits);
/* Decides the same for interval orders (def4_long.c). */
LinearizeResult def4_check_long(const Plan *plan, const PlanGroup *group,
                                const LinearizeLimits *limits, uint32_t most_pending);
#endif
