/* done.h: which tests of a check are done, for --journal, which goes on with the others, and for
 * --shard, which makes some of them. A test counts when it has ended; how far one has come that has
 * not is a unit of work (record/units_shared.h), from which whoever goes on after a kill takes it
 * up.
 *
 * Tests have numbers in the order in which they are made up, from 0. The order depends on the
 * declared operations and the options only, and nothing that one test leaves behind concerns
 * another, so a check that is made in parts has the counts of one that is made at once. */
#ifndef HEDDLE_HARNESS_CHECK_DONE_H
#define HEDDLE_HARNESS_CHECK_DONE_H
#include "record/link.h"

typedef enum DoneState {
    DONE_NO,
    DONE_PUT_OFF, /* it did not end within a budget, in an earlier session */
    DONE_YES      /* or it is of another share */
} DoneState;

/* Once, before processes are forked. */
void done_setup(Link *link);
/* Is anything written down at all? */
bool done_is_kept(void);
bool done_is_shared(void);          /* among the ranks of a job */
DoneState done_look(uint64_t test); /* TEST < UNITS_TESTS, if anything is written down */
/* TEST has ended, and these are its counts. */
void done_end(uint64_t test, const UnitCounts *of_test);
/* TEST did not end within BUDGET. */
void done_put_off(uint64_t test, uint64_t budget);
/* The largest budget within which a test did not end in an earlier session; 0: there was none. */
uint64_t done_budget(void);
/* The number of the next test that this process is to make: of those that no other process takes,
 * and in a job of several ranks (UNITS_WAIT) of those that rank 0 gives. UINT64_MAX: none. */
uint64_t done_take(void);
/* This process has nothing left to do: waits until that is true of all ranks. */
void done_wait(void);
/* Every test has ended. */
void done_all(void);
#endif
