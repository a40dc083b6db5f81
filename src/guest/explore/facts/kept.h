/* kept.h: what the exploration has learnt for confirming reads, as bytes that a unit of work
 * carries (units.h): the tables of values.h and passing.h, and whether the search is reduced by
 * them.
 *
 * A process that puts these bytes back decides as the one that got them: every decision rests on
 * the thread's own trace and on the tables, and a pass begins again when a fact comes that one of
 * its decisions did not know. So while a pass is not outdated, whatever it has decided it would
 * decide again with the tables of now, and the way to its present place stays the same. */
#ifndef HEDDLE_EXPLORE_CONFIRM_KEPT_H
#define HEDDLE_EXPLORE_CONFIRM_KEPT_H
#include "base/common.h"

/* Writes the bytes and returns how many; 0 if they are more than ROOM. */
size_t kept_get(unsigned char *to, size_t room, bool wanted);
/* Replaces what is known. False if the bytes make no sense: then nothing is known. */
MUST_USE bool kept_put(const unsigned char *from, size_t bytes, bool *wanted);
#endif
