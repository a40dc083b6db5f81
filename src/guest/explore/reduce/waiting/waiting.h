/* waiting.h: loops that wait, found without annotation, and threads that are stuck.
 *
 * A pure event is a read, a failed compare-exchange, a fence, a light mark, a choice of the
 * program's (heddle_choose), or a silent RMW (it writes the value it read). Let S_j be the state of
 * thread t at its j-th request: stack bytes with the saved registers, the request, the heap cursor,
 * and the plain memory that t wrote. P0. A read request j with S_j = S_i and only pure events
 * i..j-1: the thread has gone once round a loop for nothing. It blocks; the request is not added.
 * Pk. S_j = run(S_i, answers of events d..j-1) for i < d, events i..d-1 pure, event d a read of the
 * same location with an order not weaker: the thread would be in the same state had it never done
 * i..d-1 and answered read i with d's value. It blocks. (CAS retry loops.) "Stop when P0 or Pk
 * holds" depends only on the thread's own trace, so what is explored is a program whose threads
 * stop early, and that program is explored exactly. Removing the dropped events from an execution
 * leaves a consistent graph with the same values, hence every outcome, failed assertion and final
 * state survives; a race survives because there is less happens-before, unless it is one with an
 * access inside a dropped round: reused.h sees to these. Pk is decided by
 * ghosts (ghost.h). So that a loop of n rounds costs n and not n^3, an answer is given to the
 * youngest reads of the location only, and a ghost that has not come to the thread's state after
 * some answers is dropped: a round that is not recognised is explored. */
#ifndef HEDDLE_EXPLORE_WAITING_H
#define HEDDLE_EXPLORE_WAITING_H
#include "base/hash.h"
#include "guest/explore/search/checkpoint.h"
#include "guest/explore/search/rules.h"
#include "guest/explore/graph/graph.h"
#include "guest/runtime/opaque.h"

#define MAX_GHOSTS 12

/* Are loops that wait looked for? Without checkpoints only where opaque calls are noted; a stretch
 * with such a call is then never taken for a round. */
static inline bool waiting_is_sought(void)
{
    return checkpoint_is_compared() && reduction_is_on(REDUCTION_waiting);
}

/* Is it a request of a kind that can be repeated by a loop that waits? */
static inline bool waiting_is_read(int kind)
{
    return kind == REQUEST_LOAD || kind == REQUEST_RMW || kind == REQUEST_CAS;
}

/* Is E never pure? (Others may be impure, too: see waiting_is_pure.) */
static inline bool waiting_is_effect(const Event *e)
{
    return e->kind == EVENT_CREATE || e->kind == EVENT_JOIN || (e->kind == EVENT_WRITE && !e->rmw);
}

extern const Rule waiting_rule, hopeless_rule;
/* For waiting_run_key: what was computed of the state before an access is kept with it. */
extern const Rule states_rule;
/* Told that T was found waiting, with its events from FROM on droppable; NULL: nobody is. */
extern void (*waiting_on_round)(int thread, int from);
/* Thread T has made `request`: does it only wait? Returns the index where the droppable part
 * begins, or -1 if the request is to be met. */
int waiting_detect(int thread);
/* How often T has made this very read since it last had an effect: the rounds of a loop that
 * changes local state, so that it can't be shown to wait. Counts no further than MOST. */
uint32_t waiting_rounds(int thread, uint32_t most);
uint32_t waiting_run(int thread); /* events since the thread's last effect */
/* T stands at the request of a read of the location that its event FIRST has read, with pure events
 * between. Would it be found waiting if the answer were V, with its events from FIRST on droppable?
 * False also if it would then touch plain memory that it does not touch in this run of pure events,
 * nor if FIRST had that answer. */
bool waiting_what_if(int thread, const Event *first, uint64_t v);
/* Makes ANSWER the present request, of the location of FIRST, as a read that has got V and no
 * write. The fields of ANSWER that this does not set must be zero. */
void waiting_suppose(Event *answer, const Event *first, uint64_t v);
/* The event of T that its present request repeats (P0), or -1. */
int waiting_repeats(int thread);
/* Does T's present request repeat its event number I: P0, or a lock that it asks for once more? */
bool waiting_repeats_event(int thread, int i);
/* Is T's event number I pure? */
bool waiting_is_pure(int thread, int i);
/* Where the pure events that end with T's last one begin. */
int waiting_pure_from(int thread);
/* Where those of them begin that come after T's last write to plain memory. */
int waiting_pure_state_from(int thread);
/* A hash of all that waiting_what_if rests on besides: T's request, and its stacks since event
 * number FROM, of its pure events; false if there is none, since T has written plain memory since.
 */
bool waiting_run_key(int thread, int from, Hash128 *key);
Hash128 waiting_run_hash(int thread, int from); /* the same, whatever T has written */
/* T is blocked, RUNNABLE are the threads that can take a step, JOINING those that wait for others
 * to end. True if nothing explored from here can free T, so that the present graph leads to no
 * execution: backtrack. Let r be T's last read, and let each runnable thread have in its porf
 * prefix a write z to r's location after rf(r) in coherence order. T is freed only if some write A
 * revisits r or deletes it, for which r must be maximal from A's view: no such z in A's prefix.
 * Claim: every A that would delete or revisit r has one there. Let A1 -> r1, A2 -> r2, ... be the
 * revisits from now on, and Ak the first that concerns r; the others keep r, so r1..r(k-1) are
 * younger than r (r has no successor, so no other thread has it in its prefix). If k = 1, A is a
 * later event of a thread that can run now. (A thread that waits to join gets the prefix of one
 * that ran.) Else r1 read from A1, which has a z in its prefix, and A1 is younger than r1. When r1
 * goes, or is revisited again, by Aj, it must be maximal, hence A1 and z are in Aj's prefix; now
 * take j for 1. If r1 is still there when Ak comes, it is younger than r, so Ak deletes it or has
 * it in its prefix; either way A1 and z are in Ak's prefix. No violation is lost either: the prefix
 * of a failing event, extended by letting every thread that waits read the last value after all
 * others have run, is an execution in which nobody waits with an outdated last read, so nothing on
 * the way to it is given up (A race with what t has touched since r: waiting/reused.h.)
 *
 * While confirm_active, a thread that has in no graph more effects (values.h: writes, and threads
 * that it creates) than now need not know a z: it makes none of the A. But one that waits to join
 * it gets a prefix without z then. So a thread of JOINING must know a z, or the one that it waits
 * for must, or that one must be blocked (it is freed by an A, if ever), or it must have no more
 * effects itself. */
#endif
