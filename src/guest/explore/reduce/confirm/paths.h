/* paths.h: the ways that a thread may take between a read and the read that confirms it.
 *
 * confirm.h rests on this: once thread t has read E from location x by its event r1, each way on
 * which a read between r1 and t's present request gets another write leads to a read of x that
 * confirms r1, or round a loop for nothing. The ways are walked: t is put back to the request of
 * such a read and answered with a value that may still come (values.h), and from there on every
 * read is answered with every value that its location has ever had. Nothing of that remains.
 * A way is good if it ends
 *  - at a read or compare-exchange of x for which rule C of confirm.h holds, too, and, where
 *    synchronisation goes by order, with what the other write passes on acquired, or by a
 *    compare-exchange if x is written by read-modify-writes alone; or
 *  - at a request that t has made before, not after r1, in the same state (P0 of waiting.h).
 * Anything else is not: an effect, the end of the thread, a failure, plain memory that t does not
 * touch in its run of pure events (others may write it before), a location that has no values yet,
 * too many values or too many steps. */
#ifndef HEDDLE_EXPLORE_CONFIRM_PATHS_H
#define HEDDLE_EXPLORE_CONFIRM_PATHS_H
#include "guest/explore/graph/graph.h"

/* Is every such way of T good? FIRST is r1. STEPS becomes how many answers that took. */
bool paths_confirm(int thread, const Event *first, int *steps);
/* A number for all that the answer rests on besides T's run of pure events (waiting_run_key) and
 * values_version. */
uint64_t paths_key(int thread, const Event *first);
#endif
