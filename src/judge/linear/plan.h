/* plan.h: a history made ready for checking against a specification: every operation resolved to a
 * call, and the operations divided into groups that can be checked one by one. Objects never
 * influence each other (Herlihy and Wing: linearizability is local); nor do the parts that the
 * specification itself names, such as the keys of a map (Horn and Kroening: P-compositionality), as
 * long as no operation on that object touches all parts. */
#ifndef HEDDLE_LINEAR_PLAN_H
#define HEDDLE_LINEAR_PLAN_H
#include "judge/spec/spec.h"

typedef struct PlanGroup {
    uint32_t first, count; /* in Plan.members */
    uint32_t object;       /* symbol, 0 if there is only one */
    Value part;            /* VALUE_UNKNOWN: not divided into parts */
} PlanGroup;

typedef struct Plan {
    const History *history;
    const Spec *spec;
    Vec(uint32_t) methods; /* by operation: how to call it */
    Vec(PlanGroup) groups;
    Vec(Value) arguments;  /* with processes, if the specification wants them */
    Vec(uint32_t) members; /* operations by group, in the order of their calls */
} Plan;

/* False and a message (with line) if an operation is none of the specification's. */
MUST_USE bool plan_make(Plan *plan, const History *history, const Spec *spec, bool partition,
                        Error *error);
void plan_free(Plan *plan);
size_t plan_memory(const Plan *plan);
/* The call of an operation; cheap, since names were resolved. */
void plan_call(const Plan *plan, uint32_t operation, SpecCall *call);
#endif
