/* way.h: the way from the root of the search tree to a place in it, as scale/units.h describes it:
 * for each frame how often it was advanced. The search follows one that it was given before it goes
 * on; and it may own only a part of the places at some depth (shares). */
#ifndef HEDDLE_EXPLORE_SEARCH_WAY_H
#define HEDDLE_EXPLORE_SEARCH_WAY_H
#include "base/common.h"

typedef struct SearchWay {
    const uint32_t *taken; /* by frame, LENGTH of them */
    int length;
    int next_frame; /* the frame that is on the way next; -1: none now */
    bool replaying; /* it is followed: nothing is counted, no leaf is visited */
    bool skipped;   /* a frame was advanced more than once since the loop last looked */
    bool arrived;   /* the newest frame was advanced for the last time on the way */
    /* Told by the search: the way is at its end (counts are as they were before it); it does not
     * fit the program, which ends the exploration. Set by whoever gives a way. */
    void (*on_arrival)(void);
    void (*on_refusal)(void);
    /* --- shares --- */
    int depth; /* of the places that are shared out; 0: everything is this process's */
    uint32_t shards, shard;
    bool measuring;    /* the depth is looked for: nothing is visited */
    bool decided;      /* the present way down to `depth` has been looked at */
    bool reached;      /* `depth`, in this measurement */
    uint64_t prefixes; /* places there so far */
} SearchWay;
extern SearchWay search_way;

/* It does not fit the program: the answer is inconclusive. */
NORETURN void way_refuse(void);
/* The present place is to be left: it belongs to another share. LEAF: nothing can run. */
bool way_leave(bool leaf);
bool way_is_owned(void);
/* Is what happens now this process's to count? */
static inline bool way_owns(void)
{
    return LIKELY(!search_way.depth) || way_is_owned();
}
#endif
