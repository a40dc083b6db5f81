/* alike.h: states of a thread that differ in bytes which it will not look at.
 *
 * After a failed round, leftovers of it may stay in the stack that the next round overwrites before
 * it reads them: variables whose address was taken, registers that inline assembly saves. The
 * liveness table (scrub.h) does not call these dead, and so the thread's state is not the same as
 * before the round (P0 and P1 of waiting.h). Here the two states are run side by side with the same
 * answers, every value that a location has had in any graph (values.h) for a read of it, until they
 * are the same. They are alike if they make the same requests on every such way and become the same
 * on each.
 *
 * Alike states are as good as the same one: whatever the thread does from one, it does from the
 * other with the same answers, and once they are the same they stay so. The answers are all that
 * can come; where a value comes that was not known, the exploration begins again. Nothing is
 * concluded where the two write plain memory in different ways, or touch some that the thread does
 * not touch in its run of pure events, or where a way is too long. */
#ifndef HEDDLE_EXPLORE_CONFIRM_ALIKE_H
#define HEDDLE_EXPLORE_CONFIRM_ALIKE_H
#include "guest/explore/graph.h"

/* T stands at the request of a read of the location that its event FIRST has read, with pure events
 * between. Would it, answered V, come to a state that is alike to one at a request of its own that
 * is not younger than FIRST, or to the one that it would have come to had FIRST got that answer? */
bool alike_what_if(int thread, const Event *first, uint64_t v);
#endif
