/* counted.h: what this process has counted of the tests that it made, whatever counts it. */
#ifndef HEDDLE_HARNESS_CHECK_COUNTED_H
#define HEDDLE_HARNESS_CHECK_COUNTED_H
#include "record/outcome.h"
#include "record/units_shared.h"

void counted_get(UnitCounts *all);
/* The inverse: goes on from KEPT. */
void counted_set(const UnitCounts *kept);

/* One test that several processes explore together (guest/explore/scale/workers.h): all of them add
 * their counts up, so that whoever is forked begins with none. Whoever begins the test again is
 * alone, what the others have added is void, and what was counted before the test is its own. */
void counted_begin_test(void);  /* the present test, its serial runs made */
void counted_begin_share(void); /* this process has just been forked */
void counted_begin_again(void);
/* Adds what this process has counted to the answer. */
void counted_add(OutcomeMessage *outcome);
#endif
