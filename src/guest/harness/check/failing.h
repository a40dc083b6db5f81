/* failing.h: what the end of a test means for the others. Usually a violation ends the check; with
 * --keep-going a test that fails is counted with its cause (causes.h), and with --all its histories
 * are counted as well (tally.h). */
#ifndef HEDDLE_HARNESS_CHECK_FAILING_H
#define HEDDLE_HARNESS_CHECK_FAILING_H
#include "guest/harness/check/test.h"
#include "record/outcome.h"

/* Makes TEST, as decide_test does; a violation is FINDING_NONE if the check goes on after it. */
FindingKind failing_decide(const TestCase *test);
/* Adds what this process has counted to the outcome. */
void failing_publish(OutcomeMessage *outcome);
#endif
