/* deque.h: what any two values of a deque tell about the order of their operations. For deques
 * whose values are distinct. Deciding these histories needs a search; with the facts found here it
 * seldom has to go back. */
#ifndef HEDDLE_LINEAR_DEQUE_H
#define HEDDLE_LINEAR_DEQUE_H
#include "judge/linear/linearize.h"
#include "judge/linear/monitor_internal.h"

typedef struct Deque {
    /* by member x of the group: earlier.at[first.at[x] .. first.at[x + 1]) come before it */
    Vec(uint32_t) first, earlier;
    /* private */
    Vec(uint64_t) facts; /* x << 32 | y: member y comes before member x */
} Deque;
/* Finds the facts about GROUP, whose members are OPS. False if there can be none: the specification
 * is no deque, values repeat. Memory is reused. */
bool deque_find(Deque *deque, const Plan *plan, const PlanGroup *group, const LinearizeOp *ops);
void deque_free(Deque *deque);
/* Sets RESULT if two values of TABLE contradict each other. */
void deque_check(const MonitorTable *table, MonitorResult *result);
#endif
