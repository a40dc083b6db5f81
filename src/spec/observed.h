/* observed.h: the specification that serial runs of one test show: a tree whose edges are operations
 * of the test with their results (Line-Up, Burckhardt, Dern, Musuvathi, Tan, PLDI 2010). An operation
 * is named by its number in the test, so a serial order explains an execution only if every thread did
 * the same with the same results in it. Where a run stopped because an operation blocked, that
 * operation must wait. Depends on libc only. */
#ifndef HEDDLE_SPEC_OBSERVED_H
#define HEDDLE_SPEC_OBSERVED_H
#include "spec/spec.h"

#define OBSERVED_MOST 32u /* operations of a test */
#define OBSERVED_NO_OP UINT32_MAX

typedef struct Observed Observed;
Observed *observed_new(Values *values);
void observed_free(Observed *observed); /* NULL is allowed */
void observed_clear(Observed *observed);
const Spec *observed_spec(const Observed *observed);

/* Two runs that did the same calls in the same order up to here, and differ. */
typedef struct ObservedConflict {
    uint32_t calls[OBSERVED_MOST]; /* the common part, the last is the call that differs */
    uint32_t count;
    Value first, second; /* its results; VALUE_UNKNOWN: it blocked */
} ObservedConflict;

/* Adds a serial run: COUNT operations with their results, then, unless it is OBSERVED_NO_OP, one that
 * blocked for ever. False if the runs so far are not deterministic with it. */
MUST_USE bool observed_add(Observed *observed, const uint32_t *operations, const Value *results,
                           uint32_t count, uint32_t blocked, ObservedConflict *conflict);
uint64_t observed_runs(const Observed *observed);
/* What operation K gives after the run PREFIX: false if no run has that prefix and call. *result is
 * VALUE_UNKNOWN if it blocks. */
bool observed_result(const Observed *observed, const uint32_t *prefix, uint32_t count, uint32_t k,
                     Value *result);
#endif
