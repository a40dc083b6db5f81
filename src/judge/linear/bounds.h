/* bounds.h: contradictions that can be seen without a search, in linear passes over a history of
 * any size: a value taken that was never put, taken twice or taken before it was put; a peek of
 * what can't be there; a size, sum or total out of its bounds; a set that lists what is not in it.
 * What they find is a violation for certain; if they find nothing, nothing is known. The
 * specification says what each operation tells (SpecFacts). Depends on libc only. */
#ifndef HEDDLE_LINEAR_BOUNDS_H
#define HEDDLE_LINEAR_BOUNDS_H
#include "judge/linear/monitor.h"

/* Sets result->answer to MONITOR_VIOLATED, with core and context, or to MONITOR_UNABLE. The core
 * contradicts itself even if every other operation of the group may have happened or not, and none
 * of it can be left out. */
void bounds_check(const Plan *plan, const PlanGroup *group, MonitorResult *result);
#endif
