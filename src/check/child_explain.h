/* child_explain.h: why a history is not allowed, in words: the serial orders and where each
 * disagrees, and the nearest outcome that would be right. Written into the outcome that the tool
 * reads. */
#ifndef HEDDLE_CHECK_CHILD_EXPLAIN_H
#define HEDDLE_CHECK_CHILD_EXPLAIN_H
#include "check/declared.h"
#include "check/verify.h"
#include "record/link.h"
#include "spec/serial.h"

typedef struct ExplainContext {
    LinkOutcome *outcome;
    const Declared *declared;
    const TestCase *test;
    Values *values;
    const SerialRuns *runs_seen; /* NULL: the specification was given */
    Automaton *automaton;
    uint32_t (*label)(void *context, uint32_t k, Value result);
} ExplainContext;
/* Fills explanation and closest of the outcome. */
void child_explain(const ExplainContext *context, const GraphHistory *history,
                   const VerifyFailure *failure);

/* Operation K of the test, and the thread that does it (unless NULL). */
const DeclaredCall *child_explain_call(const Declared *declared, const TestCase *test, uint32_t k,
                                       uint32_t *thread);
/* "2", or "waits" */
void child_explain_value(Values *values, uint64_t word, Buffer *out);
/* " = 2", or nothing for an operation that gives nothing. */
void child_explain_result(Values *values, uint64_t word, Buffer *out);
#endif
