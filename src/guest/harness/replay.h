/* replay.h: runs the record in the link again and judges it: the program must make the same
 * steps, the graph must be consistent by the axioms, and the same violation must show. */
#ifndef HEDDLE_HARNESS_REPLAY_H
#define HEDDLE_HARNESS_REPLAY_H
#include "record/link.h"
/* Fills the link's outcome and, with plain accesses and allocations, its record anew. */
void child_replay(Link *tool_link);
#endif
