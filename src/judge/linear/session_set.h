/* session_set.h: session guarantees of a set that only grows, after Terry and others (1994): what a
 * process looks at shows some of the additions.
 *
 *   read your writes     among them those that the process made before;
 *   monotonic reads      and those that it saw before;
 *   monotonic writes     with an addition, those that its process had made before it;
 *   writes follow reads  with an addition, those that its process had seen before it.
 *
 * Elements may be added several times where only the first two are asked for. Time and memory grow
 * with looks times elements. Depends on libc only. */
#ifndef HEDDLE_LINEAR_SESSION_SET_H
#define HEDDLE_LINEAR_SESSION_SET_H
#include "judge/linear/linearize.h"
#include "judge/linear/monitor.h"

/* Decides like session_check. "values": it is no set, elements are removed, sizes are told, or
 * additions of an element can't be told apart. */
const char *session_check_set(const Plan *plan, const PlanGroup *group, unsigned guarantees,
                              const LinearizeLimits *limits, MonitorResult *result);
#endif
