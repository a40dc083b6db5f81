/* generate.h: the tests that `heddle check` makes itself: all of the small shapes, random ones of
 * the larger shapes, within fair budgets (rounds.h). */
#ifndef HEDDLE_HARNESS_CHECK_GENERATE_H
#define HEDDLE_HARNESS_CHECK_GENERATE_H
#include "guest/explore/graph/finding.h"
#include "record/options.h"

/* A check that is not told how long to go on, or of which tests, makes no random tests after so
 * many seconds; one with a limit that is no shorter, not after nearly that. 0: all that are planned
 * are made, and a limit that is reached says that they were not. */
double generate_seconds(void);

/* Makes tests until one fails, all are made, or exploration.stopped. The first process with a
 * violation makes its test smaller and keeps FINDING_VIOLATION. */
FindingKind generate_tests(const CheckOptions *check);
bool generate_sampled(void); /* random tests were made: there are more */
#endif
