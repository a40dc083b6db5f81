/* lost.h: threads that wait and that nobody will free, because of what is written, and by whom.
 *
 * Thread t waits with everything from its event number `from` on droppable (waiting.h). Let nm be
 * the last of its reads, not older than `from`, that was not added maximally: a write z that stands
 * after rf(nm) in coherence order is older than nm. Let B be t's reads after nm that have a choice
 * (those that confirm have none), and let only fences, light marks and reads of t stand after nm in
 * the order of the graph.
 * (1) nm stays. No event has nm in its porf prefix, for t has written nothing since. So a revisit
 *     deletes nm, or revisits it, only if nm is maximal, which z forbids; to delete z it would have
 *     to delete nm, which is younger.
 * (2) So t goes on only if some write A of another thread u revisits a read b of B: nobody else's
 *     read stands between nm and t's last event, so no other revisit deletes any of B. A is a later
 *     event of u.
 * So nothing below the present graph frees t, if for every b of B one of these is true:
 * W. in no graph does a thread u write b's location by an effect that is not among those that u has
 *    now (values.h);
 * F. every value that was ever written to b's location is there now, and no graph has one of them
 *    twice in its coherence order: A would have to bring another one. (All writes that are there
 *    now are older than nm, and stay as z does.)
 * Then the graph is left. No complete execution lies below it, and none in which threads are stuck:
 * nm, or what confirms the same value, does not see the last one. A violation of another thread
 * does not have nm in its prefix, and is found where t has not read nm (waiting_is_hopeless has the
 * argument). A race with t itself could be found only here if t has touched plain memory since nm:
 * then it is not marked.
 * What is written, and by whom, is learnt while graphs are explored (values.h), and a write that a
 * decision did not know begins the exploration again. When a pass ends without one, let A be a
 * write that a decision did not know and that no explored graph has, with a smallest prefix: that
 * prefix contains no read of a lost thread, so it was explored, and A was added to it.
 *
 * It is not enough that t, whatever A brings, comes to the compare-exchange that it can't make: the
 * write of that may revisit the read of the thread that has won, with A in its prefix, and this is
 * the only way to some executions ("A1 W0D1 v0" of tests/twin/waits.c has 12, not 11). */
#ifndef HEDDLE_EXPLORE_LOST_H
#define HEDDLE_EXPLORE_LOST_H
#include "guest/explore/search/rules.h"

extern const Rule lost_rule;
#endif
