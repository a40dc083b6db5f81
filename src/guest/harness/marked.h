/* marked.h: the driver inside the program under test for `heddle check` of a program with a
 * main() that marks its calls (harness/calls.h): it is one test. Phase 1 explores it with the calls
 * on each object made atomic and learns what they give; phase 2 explores it as it is and judges,
 * object by object, every history that every execution admits. With a specification there is no
 * phase 1. */
#ifndef HEDDLE_HARNESS_MARKED_H
#define HEDDLE_HARNESS_MARKED_H
#include "guest/explore/graph/finding.h"
#include "record/link.h"

/* These do for marked programs what those of harness/check/check.h with like names do for declared
 * ones. */
FindingKind child_marked(Link *tool_link);
bool child_marked_prepare(Link *tool_link);
void child_marked_judge_again(bool stuck);
void child_marked_begin(bool again);
void child_marked_end(Link *tool_link);
#endif
