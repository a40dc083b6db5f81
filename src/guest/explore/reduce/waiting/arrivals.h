/* arrivals.h: the order in which threads arrive at a barrier is not explored.
 *
 * A barrier for N (entry/sync/barrier.c) counts arrivals in one word, by a read-modify-write each
 * that acquires and releases; the N-th of a round opens it by a store to a second word, for which
 * the others wait. All executions differ in the orders of arrivals: N! a round. Let S be the
 * threads that arrive at the barrier in any graph of this exploration, |S| <= N, with ranks 1 to
 * |S| by their numbers. Then a thread waits until it is its turn: its read-modify-write is an await
 * (AWAIT_TURN). What is explored is the program P' in which arrivals come by rank. Executions of P'
 * are executions of the program P itself.
 *
 * Why no outcome is lost. Each round of an execution of P that is complete consists of one arrival
 * of each thread of S, since none arrives again before the round is open. Nobody but arrivals and
 * pthread_barrier_destroy reads the first word. Put the arrivals of each such round in the order of
 * ranks and let the last of them open it: values, other than those of arrivals, are the same. Every
 * arrival of the round happens before every departure, before and after, and between its arrival
 * and its departure a thread does nothing: so happens-before between all other events is the same,
 * as are the stores that are in memory when a thread departs (each arrival drains its thread's
 * buffer before any departure). The graph is consistent: in the order of the execution, arrivals
 * move down to the last of their round, and nothing of their threads lies between. What shows is
 * who was last: its call returns PTHREAD_BARRIER_SERIAL_THREAD. Unless it is known that nobody
 * looks at the result (scrub_result_is_dead), each thread may be the last (LAST_IS_FREE): the rest
 * come by rank, and N executions stand for N!.
 * In a round that never becomes complete each thread that arrives is stuck, in P where it waits for
 * the others, in P' there or where it waits for its turn; in P' a thread that waits for its turn
 * lacks one that never arrives, so the round is never complete in P either. A destruction while
 * threads wait is misuse in P, by whoever comes second. In P' a thread that waits for its turn is
 * freed by the word of a destroyed barrier, and finds the same misuse.
 *
 * S is learnt: a thread that arrives and is not known to do so makes the exploration begin again.
 * When a pass has ended without that, S is right: let F be an execution of P and u its first thread
 * that arrives though it is not in S. The porf prefix of that request has whole rounds only (a
 * thread of another round has not gone on), so P' has the same prefix with their arrivals by rank;
 * it was explored, and u met. If |S| > N, which threads make up a round is a choice, and arrivals
 * come in any order, as they do without reductions, under a preemption bound (waiting for a turn
 * changes who is preempted), in schedules, states and replays. A replay takes the turns that its
 * record names. What is known of barriers is carried by units (units.h), for the ranks shape the
 * search tree. Threads that have ranks are told apart (symmetry/alike.h). */
#ifndef HEDDLE_EXPLORE_WAITING_ARRIVALS_H
#define HEDDLE_EXPLORE_WAITING_ARRIVALS_H
#include "record/units_shared.h"
#include "guest/explore/graph/graph.h"
#include "guest/explore/search/rules.h"

extern const Rule barriers_rule;

/* A search begins, or has ended: turns are given in it alone. */
extern bool arrivals_have_turns;
/* Does no other thread than T look at the lock X without waiting? Has anybody tried it, or any
 * lock? (sections.h) */
bool arrivals_nobody_looks(const Location *x, int thread);
bool arrivals_is_tried(const Location *x);
bool arrivals_any_tried(void);
/* The entry of a word that is watched, or the free one that may become its own; NULL: there is no
 * room (looks.h). */
KnownTried *arrivals_watched(const void *word);
extern bool arrivals_any_watched; /* is any word watched? */
extern bool arrivals_any_counted; /* is any location known to be counted (counters.h)? */
/* LOCK, a free entry of arrivals_watched, becomes that of WORD. */
void arrivals_watch(KnownTried *lock, const void *word);
/* Adds THREAD to those that look at a lock, with all that may be like it. False if it was there. */
bool arrivals_add_thread(KnownTried *lock, int thread);
/* The entry of the counter at ADDRESS (counters.h), or the one that will be its own, with address
 * 0; NULL: there is no room. The one that has a byte of these SIZE bytes; NULL: there is none. */
KnownCounter *arrivals_counter(uintptr_t address);
KnownCounter *arrivals_counter_at(uintptr_t address, unsigned size);
/* The table as units carry it; and back again, in a process that knows less. */
void arrivals_get(KnownArrivals *to);
void arrivals_put(const KnownArrivals *from);
bool arrivals_know_more(const KnownArrivals *from);
#endif
