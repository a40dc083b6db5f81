/* def4.h: quasi linearizability by Definition 4 of the papers, literally: some run that the
 * specification allows has, inside each class of operations, no operation displaced by more than
 * the class's factor from some order that respects real time; how classes interleave is free. See
 * relax.h for the semantics that should be preferred, and why. */
#ifndef HEDDLE_CHECK_DEF4_H
#define HEDDLE_CHECK_DEF4_H
#include "check/linearize.h"
#include "check/plan.h"

/* Decides a group; plan->spec is relaxed with RELAX_DEF4. Groups of more than 64 operations, or
 * with more than 12 pending ones, are inconclusive ("size"). */
LinearizeResult def4_check(const Plan *plan, const PlanGroup *group, const LinearizeLimits *limits);
#endif
