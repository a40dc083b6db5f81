/* overlap.h: an access to bytes of which a location with events holds a part. Either its memory is
 * another object's by now, or the two become a block, or are cut into pieces, and the exploration
 * begins again. */
#ifndef HEDDLE_EXPLORE_MEMORY_OVERLAP_H
#define HEDDLE_EXPLORE_MEMORY_OVERLAP_H
#include "guest/explore/graph/graph.h"

/* `request` of THREAD, for these bytes, overlaps X without being equal; returns if X has ended. (To
 * be a GraphHooks.overlap.) */
void overlap_meet(const Location *x, const char *address, unsigned size, int thread);
#endif
