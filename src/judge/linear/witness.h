/* witness.h: the check of a serial order that something clever found: step by step, by the
 * specification alone. Depends on libc only. */
#ifndef HEDDLE_LINEAR_WITNESS_H
#define HEDDLE_LINEAR_WITNESS_H
#include "judge/linear/plan.h"

typedef struct WitnessWalk {
    bool decided;   /* no step left a choice */
    bool fits;      /* every operation has its step */
    uint32_t taken; /* steps */
} WitnessWalk;
/* Takes the COUNT operations of the history in the order given, from the initial state. */
WitnessWalk witness_walk(const Plan *plan, const uint32_t *order, uint32_t count);
/* Is ORDER, of members of the group, a linearization? Every one that returned is in it, none twice,
 * none after one that was called when it had returned, and the specification allows it. False where
 * a step leaves a choice. */
bool witness_check(const Plan *plan, const PlanGroup *group, const uint32_t *order, uint32_t count);
#endif
