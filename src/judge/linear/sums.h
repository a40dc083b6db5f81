/* sums.h: a serial order of operations on numbers that are added to (counters, banks: amounts.h),
 * where there are too many overlapping ones for a search. Which of the open additions come next is
 * a subset sum; the operations that saw the numbers tell, most often, which few it can be. So it
 * walks from what one operation saw to what another saw, and goes back where an operation would
 * have to return that saw something else. What it finds is an order for certain; if it finds none,
 * nothing is known. Depends on libc only. */
#ifndef HEDDLE_LINEAR_SUMS_H
#define HEDDLE_LINEAR_SUMS_H
#include "judge/linear/amounts.h"
#include "judge/linear/linearize.h"

typedef struct Sums Sums;
void sums_free(Sums *sums); /* NULL is allowed */
/* The serial order of GROUP, as *count members, valid until the next call; NULL if there is none,
 * or it was not found within the limits. *sums is made when it is first needed, and may be NULL.
 * The caller checks that the specification allows the order. */
const uint32_t *sums_order(Sums **sums, const Plan *plan, const PlanGroup *group,
                           const LinearizeLimits *limits, uint32_t *count);
#endif
