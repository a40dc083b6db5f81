/* doomed.h: a compare-exchange without which its thread only waits, whatever it sees instead.
 *
 * Thread t stands at the request of a compare-exchange q of location x that expects E; t's last
 * access to x wrote E, and no graph has a write of E to x by another thread (values.h). (The owner
 * of an MCS lock has seen no successor and tries to leave: q expects t's own node, which t has put
 * there.) V(x) are the values of x in any graph.
 * D. For every v in V(x) other than E, t answered v at q has an effect on no way on, each further
 *    read answered with every value that its location has had in any graph. Each way ends
 *    (a) at a request where t would be found waiting (waiting.h) with its events from number i on
 *        droppable, i before q; or
 *    (b) at a request that t has made on this way after q, in the same state: it spins.
 *    There is a way of kind (a), and `from` is the least of their i. There is no choice of the
 *    program's from there on.
 * R. Every read of t from number `from` on that is before the round of a way ((a): before i; (b):
 *    before q) has a location and value that some read of that round has as well.
 * Then t blocks as soon as q has got a value other than E: with this read, and its events from
 * number `from` on droppable.
 *
 * Why no execution is lost. Whether t stops there depends on its own trace and on V, so what is
 * explored is a program whose threads stop earlier, and it is explored exactly, as in waiting.h.
 * Had t gone on, it would have been found waiting in every case: no complete execution goes. On
 * none of the ways does t touch plain memory that it does not touch in its run of pure events, or
 * fail: no failure goes, nor a race, since t must not have looked at memory that others use again
 * (waiting/reused.h).
 *
 * A stuck execution G, in which t waits on such a way, is found otherwise. All reads of the round
 * that t repeats see the last writes. Take away what t did from number `from` on, which is pure,
 * and let t read the last writes instead: by R it gets the same values up to q. There it sees the
 * last write to x: not E, since what q read in G stands after t's own write of E, and nobody else
 * writes E. So t blocks at q and every read since `from` sees the last write: this graph, too, is
 * found stuck. It is consistent, since nothing is ordered after t's reads.
 *
 * A value that is not the last one is not tried (blocked_enter has the argument). And where a read
 * of t before q was not added maximally, and the events after it are t's, the graph is left at
 * once: that read stays, and whatever q may get instead is doomed as well (lost.h, with q as a read
 * that has no choice). */
#ifndef HEDDLE_EXPLORE_CONFIRM_DOOMED_H
#define HEDDLE_EXPLORE_CONFIRM_DOOMED_H
#include "guest/explore/search/rules.h"

extern const Rule doomed_rule;
/* T was found waiting, with its events from FROM on droppable: perhaps there is a compare-exchange
 * among them to ask doomed_from about, and the exploration begins again. */
void doomed_learn(int thread, int from);
#endif
