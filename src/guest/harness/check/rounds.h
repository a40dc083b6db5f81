/* rounds.h: fair budgets for the tests of `heddle check`. A test is explored within a budget; one
 * that does not end is put off, and gets four times as much in the next round, from the beginning.
 * So one hard test does not keep the others from being made, and the time that is lost is at most a
 * third of the time that the last attempts take. Budgets are counted in graphs, and in requests of
 * threads where a graph takes many, not in time: what is put off does not depend on the machine or
 * on --jobs.
 *
 * Tests of the larger shapes are put off for good when the default check has gone on for a while:
 * the answer counts only those that were explored completely. Tests of the smaller shapes are never
 * left out. Processes that share out the tests (workers_split) have lists of their own. */
#ifndef HEDDLE_HARNESS_CHECK_ROUNDS_H
#define HEDDLE_HARNESS_CHECK_ROUNDS_H
#include "base/str.h"
#include "guest/explore/graph/finding.h"
#include "guest/harness/check/testcase.h"
#include "record/link.h"

/* Runs a test, from the beginning. */
typedef FindingKind RoundsRun(const TestCase *test);

/* Fills in what this process has counted, of tests that have ended and of the present one. */
typedef void RoundsCount(UnitCounts *all);

/* Before the first test. LIMITED: tests have budgets; SECONDS > 0: tests that have not ended after
 * so long are left out, if their shape allows it. LINK: where all processes count what is put off.
 */
void rounds_begin(Link *link, RoundsCount *count, bool limited, double seconds);
/* The number of a shape of which tests follow; MAY_STAY: those that take too long may be left out.
 */
uint32_t rounds_begin_shape(const TestShape *shape, bool may_stay);
/* Begins a shape whose tests may be left out and are chosen on the way (choose.h). ALL: how many it
 * has, if all are wanted, else 0. BEGUN, in shared memory, counts those that were begun, in all
 * processes. */
uint32_t rounds_begin_counted(const TestShape *shape, uint64_t all, uint64_t *begun);
/* Makes such a test within BUDGET; AGAIN: it was begun before. True if it has ended. */
bool rounds_attempt(uint32_t shape, const TestCase *test, bool again, uint64_t budget,
                    RoundsRun *run, FindingKind *kind);
bool rounds_are_late(void); /* tests that may be left out are */
/* Executions and blocked graphs of the last test, whether it has ended or not. */
uint64_t rounds_leaves(void);
/* Makes a test of a shape, or puts it off. */
FindingKind rounds_try(uint32_t shape, const TestCase *test, RoundsRun *run);
/* The test that is being made fails: what is still done with it has no budget. */
void rounds_unlimit(void);
/* To be asked by RoundsRun: has the test not ended within its budget? */
bool rounds_are_over(void);
/* The number, from 1 on, of the test that is made within a budget; 0: there is none. */
uint64_t rounds_test(void);
/* COUNT tests of a shape were made or put off; ALL: these are all that it has. */
void rounds_end_shape(uint32_t shape, uint64_t count, bool all, bool sampled);
/* Makes what was put off, round after round. */
FindingKind rounds_finish(RoundsRun *run);
/* When all processes have ended, or one has a test that fails: calls FORGET with what this process
 * had counted before the first of its tests that come after that one, if there are such. The counts
 * of an answer are then those of the tests up to the one that fails, whatever --jobs. */
void rounds_forget_later(void (*forget)(const UnitCounts *kept));
/* Says what is covered, in words: "all 10 tests of 2x2, 93 of 100 random tests of 3x3". */
void rounds_describe(Buffer *out);
/* Tests that were left out, by all processes. */
uint64_t rounds_left_out(void);
#endif
