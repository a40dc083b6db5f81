/* access.h: a plain access that is no event: the cells of its granules tell whether it races with
 * another plain one, the locations there whether it meets events, and the log (undo.h) how it is
 * taken back. Ends the exploration with a race, or begins again where races promote memory. */
#ifndef HEDDLE_EXPLORE_MEMORY_ACCESS_H
#define HEDDLE_EXPLORE_MEMORY_ACCESS_H
#include "base/common.h"

/* The present thread accesses bytes of which none is explored as an event. True if a write meets
 * locations that have events: it is one more event on each (memory_location_in). */
bool access_granules(char *address, size_t bytes, bool writes, const void *pc);
/* Bytes that a loop reads (spin.h) are explored as events under every model; where races are
 * errors, what races is one all the same. */
void access_check_promoted(char *address, size_t bytes, bool writes, const void *pc);
#endif
