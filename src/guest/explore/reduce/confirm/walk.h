/* walk.h: a thread that is run on with answers that are only supposed, one way after the other:
 * what the rules of confirm.h are decided by. It may be put back to any place on the way that it
 * goes at present; nothing of all that remains. */
#ifndef HEDDLE_EXPLORE_CONFIRM_WALK_H
#define HEDDLE_EXPLORE_CONFIRM_WALK_H
#include "guest/explore/graph/graph.h"
#include "guest/explore/search/ghost.h"

#define WALK_DEPTH 6 /* reads on one way */

typedef struct GhostWalk {
    int thread;
    int steps; /* that may still be taken, on all ways together */
    bool races_were_off;
    bool touched; /* it has touched plain memory */
    GhostPlace place[WALK_DEPTH + 1];
} GhostWalk;

/* T stands at its present request, which becomes place 0 of the walk. */
void walk_begin(GhostWalk *walk, int thread);
/* Puts everything back as it was. */
void walk_end(GhostWalk *walk);
/* The thread's present request becomes place NUMBER. */
void walk_save(GhostWalk *walk, int number);
void walk_restore(GhostWalk *walk, int number);
/* The thread stands at the request of its event READ again, as it did then; plain memory is as it
 * is now. */
void walk_to_event(const GhostWalk *walk, const Event *read);
/* Answers the present request with V and runs the thread to its next one. False if nothing is to be
 * concluded from that: too many steps, a failure, a plain write, or plain memory that the thread
 * does not touch in its run of pure events (others may write it before). */
bool walk_step(GhostWalk *walk, uint64_t v);
/* Is the present request one of an atomic access that reads, in one piece of eight bytes at most?
 */
bool walk_is_read(void);
/* Would the present request, a read, write something else than what is there if answered with V? */
bool walk_has_effect(uint64_t v);
/* Its location, or NULL if there is none yet. */
Location *walk_location(void);
/* Y, what walk_location has returned: the values that the request may be answered with. NULL if
 * nothing is known. */
const uint64_t *walk_values(Location *y, int *count);
/* Does the thread stand where it stood at place NUMBER, in the same state? */
bool walk_is_at(const GhostWalk *walk, int number);
#endif
