/* preempt.h: how many preemptions an execution needs.
 *
 * A preemption is a switch away from a thread that could go on; a switch is free when the thread
 * has ended, joins a thread that has not, or waits in the runtime (mutex, condition, semaphore,
 * barrier) for a value that is not there. A thread in a loop that spins could go on. An execution
 * graph needs as many preemptions as the best of its linearisations: sc         orders of po U rf U
 * co U fr, i.e. the interleavings that produce the graph; tso, rc11  orders of po U rf: such a
 * graph need not come from any interleaving. A thread waits while the write that ends its wait in
 * this graph is still to come.
 *
 * Decided exactly, by breadth-first search over (how far each thread is, who ran last), level by
 * level in the number of preemptions. Running a thread as far as it goes before switching would be
 * faster but is not always best: being past a wait can turn a later free switch into a preemption.
 */
#ifndef HEDDLE_EXPLORE_SCHEDULES_PREEMPT_H
#define HEDDLE_EXPLORE_SCHEDULES_PREEMPT_H
#include "base/common.h"

/* In the questions that follow, the first event of each of these pairs comes before the second,
 * too. They live as long as the caller says. */
typedef struct PreemptPair {
    uint32_t before, after; /* events of the graph */
} PreemptPair;
void preempt_order(const PreemptPair *pairs, uint32_t count);
/* Can the present graph, complete or stuck, come about with at most MOST preemptions? True also
 * when that would take too long to find out: then nothing is left out. */
bool preempt_within(int most);
/* Is nothing that the present, incomplete graph leads to within options.preemptions? */
bool preempt_hopeless(void);
/* Does the present graph, complete or stuck, need more than options.preemptions? (Not asked where
 * bounded.h searches: it counts them itself.) */
bool preempt_is_beyond(void);
extern int preempt_slack; /* so many more are allowed there; tests set a large number */
#endif
