/* child_explain.h: why a history is not allowed, in words: the serial orders and where each
 * disagrees, and the nearest outcome that would be right. Written into the outcome that the tool
 * reads. */
#ifndef HEDDLE_CHECK_CHILD_EXPLAIN_H
#define HEDDLE_CHECK_CHILD_EXPLAIN_H
#include "check/testcase.h"
#include "check/verify.h"
#include "record/link.h"

typedef struct ExplainContext {
    LinkOutcome *outcome;
    const TestCase *test;
    Automaton *automaton;
    uint32_t (*label)(void *context, uint32_t k, Value result); /* as for verifier_begin */
    const char *(*call_text)(uint32_t k);                       /* "put(1)" */
    void (*print_value)(uint64_t word, Buffer *out);            /* "2" */
    /* What call K would have to give after the calls PREFIX, in that state of the automaton, rather
     * than WORD: "it gives 1". */
    void (*print_allowed)(const uint32_t *prefix, uint32_t length, uint32_t state, uint32_t k,
                          uint64_t word, Buffer *out);
} ExplainContext;
/* Fills explanation, orders and closest of the outcome. */
void child_explain(const ExplainContext *context, const GraphHistory *history,
                   const VerifyFailure *failure);
#endif
