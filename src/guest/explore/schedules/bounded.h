/* bounded.h: the executions under sc that need at most options.preemptions preemptions, each once.
 *
 * A search over interleavings in the manner of CHESS (Musuvathi and Qadeer, PLDI 2007): a thread
 * runs on until it waits or ends, when any other may go on, or it is preempted, which counts.
 * Graphs serve to see that two interleavings are the same: what can follow depends only on the
 * graph so far, on the thread that runs and on the preemptions that are left. A place that was
 * reached before with no fewer preemptions left is not gone on from.
 *
 * A thread is preempted only before an access that conflicts with one of another thread, as far as
 * seen in any execution. Nothing is lost: let T be preempted before an event e that is independent
 * of all that others do until T goes on. Performing e first gives the same graph. The switch after
 * e costs no more (nothing if e was T's last); and if e was all that T did when it went on, two
 * switches became one. This moves every preemption forward to a conflicting access, or away. If a
 * conflict is seen where earlier there was none, the search begins again.
 *
 * Reads get the last value, so there are no revisits, and backtracking is a matter of the newest
 * choice: graph, memory log and snapshots are cut; a thread's stack is put back when it runs next,
 * from a copy made where it stood (a Park, or the event that it performed there).
 *
 * Compared with all interleavings of random programs (tests/twin). */
#ifndef HEDDLE_EXPLORE_SCHEDULES_BOUNDED_H
#define HEDDLE_EXPLORE_SCHEDULES_BOUNDED_H
#include "guest/explore/graph/finding.h"

/* Can the program be searched in this way? Not under weak models, without checkpoints, with
 * spurious failures, or where threads write into each other's stacks. */
bool bounded_applies(void);
/* Explores in place of explore_all, after explore_begin has been called. Returns when nothing is
 * left. */
void bounded_search(void);
typedef struct BoundedState {
    bool active; /* what is at a leaf now is within the bound */
    /* Tests and measurements: preempt before every access; count what a search that does not see
     * that two interleavings are the same would perform. */
    bool counts;
    double schedules;
} BoundedState;
extern BoundedState in_bound;
#endif
