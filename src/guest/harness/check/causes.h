/* causes.h: `heddle check --keep-going` inside the program under test: tests that fail are counted,
 * and told apart by why they fail: the kind of violation, the calls that are to blame with their
 * results, and the place of the last access that the first of these made. Two tests may fail for
 * one cause that shows differently in them; so the first test of a cause is made smaller, and what
 * its smallest form shows is the cause. */
#ifndef HEDDLE_HARNESS_CHECK_CAUSES_H
#define HEDDLE_HARNESS_CHECK_CAUSES_H
#include "guest/harness/verify.h"
#include "guest/harness/check/testcase.h"
#include "record/link.h"

typedef struct Cause {
    uint32_t violation;
    uint64_t pc;
    char operations[sizeof((SharedCause){0}.operations)];
} Cause;

/* Remembers the calls that are to blame for the violation which is reported next. */
void causes_blame(const GraphHistory *history, const VerifyFailure *failure);
/* Forgets them: a new test begins. */
void causes_begin_test(void);
/* Describes the violation in `finding`, with its graph in place. */
void causes_describe(Cause *cause);
/* A test fails for CAUSE. True if that is known: it is counted. */
MUST_USE bool causes_count(Link *link, const Cause *cause);
/* It is not: it was found to be SMALL, as SMALLEST shows, which may be known. It is counted, and
 * CAUSE is known from now on. */
void causes_add(Link *link, const Cause *cause, const Cause *small, const TestCase *smallest);
/* Writes "2x2", or "2x2+3" with the calls of main. */
void causes_print_shape(const TestCase *test, char *text, size_t bytes);
#endif
