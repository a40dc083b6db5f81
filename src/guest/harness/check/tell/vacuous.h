/* vacuous.h: tests in which every call of an operation gives the same result say little: no result
 * could be wrong. All processes that make tests note what calls give; when everything holds, it is
 * said. Inside the program under test. */
#ifndef HEDDLE_HARNESS_CHECK_TELL_VACUOUS_H
#define HEDDLE_HARNESS_CHECK_TELL_VACUOUS_H
#include "guest/harness/graph_history.h"
#include "record/link.h"

/* About a history of child_test.test. */
void child_vacuous_note(const GraphHistory *history);
/* Warns if no operation has given two different results. Nothing is known of tests that were
 * decided by their states: if they are many, nothing is said. */
void child_vacuous_tell(const OutcomeMessage *outcome);
#endif
