/* check.h: the driver inside the program under test for `heddle check`: makes tests of the declared
 * operations, runs each serially to learn its specification, then explores it and judges every
 * history that every execution admits. */
#ifndef HEDDLE_HARNESS_CHECK_CHECK_H
#define HEDDLE_HARNESS_CHECK_CHECK_H
#include "guest/explore/search/explore.h"
#include "record/link.h"

/* Checks what link->options.check asks for; fills the check part of the outcome. The rest of the
 * outcome is as after an exploration: the finding, with its graph in place. */
FindingKind child_check(Link *tool_link);
/* For a replay: makes the test of options.check.scenario the program, its serial runs known. False
 * if that is not possible (outcome.reason says why). */
bool child_check_prepare(Link *tool_link);
/* After a replay with all steps done: judges the history in the graph once more, slowly. May call
 * op_violation. */
void child_check_judge_again(bool stuck);
/* This process has just been forked: what was counted before it is counted by others. AGAIN: all
 * others have ended, their counts are void, and the exploration is begun again. */
void child_check_begin(Link *tool_link, bool again);
/* When all processes have ended, and nothing went wrong: writes into the outcome which tests were
 * explored completely, and makes it inconclusive where something is left open. */
void child_check_end(Link *tool_link);
bool child_check_sampled(void); /* some tests were left out */
#endif
