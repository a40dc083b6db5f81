/* second.h: `heddle check --second-opinion`. Tests that hold by their executions are decided once
 * more by their states, and the other way round: two ways that share neither search nor reductions
 * (by executions graphs are judged by the axioms of the memory model, by states memory is shown
 * through store buffers). They come when all tests have been made, so that they take no time from
 * the first answers, in rounds with growing budgets, by one process. Tests are kept in memory that
 * all processes of a check share. */
#ifndef HEDDLE_HARNESS_CHECK_SECOND_H
#define HEDDLE_HARNESS_CHECK_SECOND_H
#include "guest/explore/graph/finding.h"
#include "record/link.h"

/* Keeps the tests that hold from now on, if the options ask for it. Before processes are forked. */
void second_setup(void);
/* This process has the outcome. If all tests HOLD, and all other processes have ended: counts in
 * the outcome what is confirmed; FINDING_VIOLATION is a disagreement, with the execution that shows
 * it in place. Else the test that the outcome names is violated: says whether its states agree.
 * Returns early if exploration.poll says so. */
FindingKind second_check(OutcomeMessage *outcome, bool holds);
#endif
