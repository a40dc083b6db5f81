/* by_hand.h: a program that was started without the tool: under a debugger, or by a test. It
 * explores with the options that HEDDLE_DEBUG names (record/hooks.h) and prints its counts. */
#ifndef HEDDLE_HARNESS_BY_HAND_H
#define HEDDLE_HARNESS_BY_HAND_H
#include "guest/explore/graph/finding.h"
#include "record/link.h"

/* Returns a link that no tool looks at, with the options. If a replay is asked for, the exploration
 * has taken place in another process then, and the link holds the record. */
Link *by_hand_begin(void);
/* Prints what the replay has shown. */
void by_hand_tell_replay(const Link *link);
/* Prints the counts, how often each reduction has left something out, and the graph of a violation.
 */
void by_hand_tell(const Link *link, FindingKind kind);
#endif
