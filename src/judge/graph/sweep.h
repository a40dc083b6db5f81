/* sweep.h: does every history that an order P on calls and returns admits have a witness? The same
 * question as realtime.h asks where the order is time (no `addable`), answered by dynamic
 * programming over the sets of operations called so far, not history by history: for executions
 * whose operations are concurrent enough to admit hundreds of histories. Depends on libc only. */
#ifndef HEDDLE_GRAPH_SWEEP_H
#define HEDDLE_GRAPH_SWEEP_H
#include "judge/graph/realtime.h"

Sweep *sweep_new(void);        /* keeps its memory from one question to the next */
void sweep_free(Sweep *sweep); /* NULL is allowed */

/* Checks all histories of ORDER in about MOST_STEPS steps of the automaton, or inconclusive; so,
 * too, if it would take much memory. Of PROBLEM only automaton, count, labels and stuck are looked
 * at. Violated: *BAD is ORDER with edges from returns to calls added, such that no serial order
 * keeps them. */
Verdict sweep_check(Sweep *sweep, const RealtimeProblem *problem, const RealtimeOrder *order,
                    uint64_t most_steps, RealtimeOrder *bad);
#endif
