/* observed.h: the serial runs of an implementation as its specification (Line-Up's first phase): a
 * trie whose states are the runs' beginnings. It must be deterministic: if the same calls once gave
 * one result and once another, or once waited for ever and once did not, the implementation has no
 * deterministic specification at all, and adding the run says so. */
#ifndef HEDDLE_SPEC_OBSERVED_H
#define HEDDLE_SPEC_OBSERVED_H
#include "spec/spec.h"

typedef struct ObservedCall {
    uint32_t name; /* symbol; give operations of different threads different names (or pass the
                      thread as an argument) if the object may tell threads apart */
    uint16_t count;
    const Value *arguments;
    Value result; /* VALUE_UNKNOWN: it waits for ever; then it is the last of the run */
} ObservedCall;

typedef struct ObservedConflict {
    uint32_t run;   /* the earlier run, numbered from 0 in the order of observed_add */
    uint32_t place; /* of the call in both runs */
    Value earlier;  /* its result there; VALUE_UNKNOWN: it waited */
} ObservedConflict;

typedef struct Observed Observed;
Observed *observed_new(Arena *arena, Values *values); /* free with observed_free */
void observed_free(Observed *observed);
/* Adds a run. False if it contradicts an earlier one; *conflict then says where (may be NULL). */
MUST_USE bool observed_add(Observed *observed, const ObservedCall *calls, size_t count,
                           ObservedConflict *conflict);
/* Follows CALL (its result is ignored) from STATE, 0 for the beginning, to the state after it: *result is
 * what it gave, VALUE_UNKNOWN if it waited. False if no run called it here. */
bool observed_find(const Observed *observed, uint32_t *state, const ObservedCall *call,
                   Value *result);
/* The specification: a call may go on as some run did that began in the same way. Lives as long as
 * OBSERVED; no run may be added once an Automaton works on it. */
Spec *observed_spec(Observed *observed);
#endif
