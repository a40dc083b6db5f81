/* all.h: the exploration of the program under test, as its driver (guest/harness) begins it: the
 * layers of guest/explore, put together. search/explore.h has what is asked and told meanwhile. */
#ifndef HEDDLE_EXPLORE_ALL_H
#define HEDDLE_EXPLORE_ALL_H
#include "guest/explore/graph/finding.h"
#include "record/options.h"

void explore_setup(const ExploreOptions *wanted); /* once, before anything else runs */
/* Does an exploration begin with checkpoints? options.checkpoints tells whether the present one, or
 * the last, could go on with them (op_needs_replay). */
bool explore_may_checkpoint(void);
/* Explores everything, knowing nothing from explorations before. Returns what ended it:
 * FINDING_NONE when nothing is left to explore; FINDING_RESTART is handled inside.
 * exploration.stopped tells that exploration.poll asked for the end.
 */
FindingKind explore_all(void);
#endif
