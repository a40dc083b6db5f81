/* serial.h: the specification that serial runs of one test show: a tree whose edges are operations
 * of the test with their results (Line-Up, Burckhardt, Dern, Musuvathi, Tan, PLDI 2010). An
 * operation is named by its number in the test, so a serial order explains an execution only if
 * every thread did the same with the same results in it. Where a run stopped because an operation
 * blocked, that operation must wait. Runs of one implementation must be deterministic; those of
 * golden code, which says what is allowed, need not be. Depends on libc only. */
#ifndef HEDDLE_SPEC_SERIAL_H
#define HEDDLE_SPEC_SERIAL_H
#include "judge/spec/spec.h"

#define SERIAL_MOST 32u /* operations of a test */
#define SERIAL_NO_OP UINT32_MAX

typedef struct SerialRuns SerialRuns;
SerialRuns *serial_new(Values *values);
void serial_free(SerialRuns *runs_seen); /* NULL is allowed */
/* Forgets all runs: a new test of COUNT operations, whose names are NAMES (they must outlive it).
 * MAY_CHOOSE: the same calls may give several results. */
void serial_begin(SerialRuns *runs_seen, const char *const *names, uint32_t count, bool may_choose);
/* Its operations are found by name; a call of one has a single argument, its number in the test. */
const Spec *serial_spec(const SerialRuns *runs_seen);
/* The call of operation K with RESULT; its argument lives as long as the runs. */
SpecCall serial_call(const SerialRuns *runs_seen, uint32_t k, Value result);

/* Two runs that did the same calls in the same order up to here, and differ. */
typedef struct SerialConflict {
    uint32_t calls[SERIAL_MOST]; /* the common part, the last is the call that differs */
    uint32_t count;
    Value first, second; /* its results; VALUE_UNKNOWN: it blocked */
} SerialConflict;

/* Adds a serial run: COUNT operations with their results, then, unless it is SERIAL_NO_OP, one that
 * blocked for ever. False if the runs so far are not deterministic with it and have to be. */
MUST_USE bool serial_add(SerialRuns *runs_seen, const uint32_t *operations, const Value *results,
                         uint32_t count, uint32_t blocked, SerialConflict *conflict);
/* Finds what operation K gives after the run PREFIX: false if no run has that prefix and call.
 * *result is VALUE_UNKNOWN if it blocks. For deterministic runs. */
bool serial_result(const SerialRuns *runs_seen, const uint32_t *prefix, uint32_t count, uint32_t k,
                   Value *result);
/* Step by step: operation K after the run that ends in NODE (0: the empty one). False if no run has
 * it; *result as above. */
bool serial_child(const SerialRuns *runs_seen, uint32_t node, uint32_t k, uint32_t *child,
                  Value *result);
#endif
