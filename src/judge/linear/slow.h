/* slow.h: the obvious check: tries every serial order, one operation at a time, with no
 * reduction but not to go on twice from the same operations and state. Judges violations again
 * before a person sees them. */
#ifndef HEDDLE_LINEAR_SLOW_H
#define HEDDLE_LINEAR_SLOW_H
#include "judge/linear/linearize.h"

/* Interval orders of at most 64 operations. VERDICT_INCONCLUSIVE if there are more, or after STEPS
 * steps. */
Verdict slow_check(const LinearizeProblem *problem, uint64_t steps);
#endif
