/* monitor.h: near-linear decisions for queues, stacks, priority queues, bags and registers whose
 * values are distinct: each value is put (enqueued, pushed, written) at most once. Such histories
 * of a million operations take a fraction of a second, where the general search may be exponential.
 * (Sets need no monitor: divided by element, the general search is linear on them.) The theorems
 * are proved in monitor.c and monitor_stack.c; both are tested against the general search. */
#ifndef HEDDLE_LINEAR_MONITOR_H
#define HEDDLE_LINEAR_MONITOR_H
#include "judge/linear/plan.h"

typedef enum MonitorAnswer {
    MONITOR_HOLDS,
    MONITOR_VIOLATED,
    MONITOR_UNABLE /* not of this kind: values repeat, other operations, certain pending ones */
} MonitorAnswer;

typedef struct MonitorResult {
    MonitorAnswer answer;
    const char *why;       /* of a violation, in a few words; NULL if a search must tell */
    Vec(uint32_t) core;    /* violated: operations of the history that contradict each other */
    Vec(uint32_t) context; /* of bounds.h: others that explain it */
} MonitorResult;

#define MONITOR_NONE UINT32_MAX /* no operation */
#define MONITOR_WHOLE UINT32_MAX
/* Decides group GROUP of the plan, as it was before position CUT: what is called later is not
 * there, what returns later is pending. result->core is cleared first, its memory reused. */
void monitor_check(const Plan *plan, const PlanGroup *group, uint32_t cut, MonitorResult *result);
void monitor_result_free(MonitorResult *result);
#endif
