/* sections.h: a lock that is taken only to look is a loop that waits, too:
 *     for (;;) { lock; d = done; unlock; if (d) break; }
 *
 * A section is a thread's taking of a lock and its giving back, with pure events (waiting.h) and
 * sections between. It is idle if it leaves the word of the lock as it was: the store with which a
 * mutex, a spin lock or a write lock is given back has the value that was found when it was taken;
 * a read lock is counted up by one and down by one. PS. Thread t stands at a read request, or at
 * the request of a lock, in the state in which it was at its event i, and what it did since is pure
 * events and idle sections, which were all begun after i. Whenever it gave a lock back, plain
 * memory that it had written since i was as before (but for the runtime's notes of who holds a
 * lock, which others do not look at). Then t has gone round for nothing: it blocks, and the request
 * is not added. P1 of waiting.h, too, counts idle sections as pure: the read that follows the round
 * is answered at event i instead.
 *
 * Why no outcome is lost. As in waiting.h, what is explored is a program whose threads stop early.
 * Take the events of such a round out of an execution, as often as there is one: reads of what gave
 * the lock back read what was found when it was taken. Let w0 be that write, l and u the writes of
 * the section. Who reads from l? Locks that wait never do, unless they are read locks in the
 * section of a read lock (below); a lock that is tried may: that it fails shows. So let T(x) be the
 * threads that try to take the lock x, or look at it otherwise without waiting, in any graph of
 * this exploration: its sections are idle for t only if T(x) is empty or {t}. Then nobody else
 * reads from l, and l and u stand next to each other in coherence order: whoever read from u reads
 * from w0, the same value. What is ordered then was ordered before by w0 -> l -> u, so that
 * coherence, and the orders of every model, have no new cycle; happens-before has lost edges, but
 * the execution is one of the program, and what races in it races. Sections of read locks on x that
 * overlap read from each other's writes; without one of them the others count one less in between,
 * and a word that was not negative for a read lock or its end is not negative then either, as that
 * of a lock is 0 if nobody else holds it. Nothing else of these values shows. Plain memory was as
 * before whenever another thread could have learnt of it. The rest is as in waiting.h: t is freed
 * when a read of it, mostly that of the lock, is revisited.
 *
 * T is learnt like the threads that arrive at a barrier (arrivals.h): a thread that tries a lock
 * and is not known to do so makes the exploration begin again. A try after whose prefix a round is
 * left out is met after the prefix without the round. If others than t try a mutex or a spin lock,
 * its word is watched as that of a lock made of atomics is, below: an attempt that fails shows only
 * if its thread does not go round for nothing with it, so that T(x) are the threads of looks.h.
 * (Threads that poll a flag, and each try the lock to look at something else, leave out each
 * other's rounds. Locks of the runtime acquire and release.)
 *
 * Locks that the program makes of atomics: a section begins with any read-modify-write that changes
 * the word, and ends with a store that brings the value back. Others may read from l here, while
 * they wait: an exchange that fails writes the same value again, a load may look before each
 * attempt. Such rounds are left out themselves; T(x) are the threads that look otherwise (looks.h).
 * Two things are not given as they are for locks of the runtime. Whoever read from u reads from w0,
 * and may so learn what w0 releases, where it did not from u: then happens-before would have grown.
 * So l, or a fence after it, must acquire, and u, or a fence between that and u, release. And a
 * thread that waits with what it has read inside a section that is over does not see the last value
 * (blocked_sees_last).
 *
 * A program's own counters of who is inside are sections as well, where nobody looks at them
 * (counters.h).
 *
 * Not recognised, hence explored: ticket locks and others whose words do not come back, locks that
 * are given back by another read-modify-write, semaphores, rounds that hold a lock when they begin
 * and another when they end. Where steps are taken for good (schedules, the
 * search within a preemption bound) it is not looked for. The idea that a lock may be dropped with
 * its section is that of Kokologiannakis and Vafeiadis on lock-aware exploration (LAPOR, OOPSLA
 * 2019), there for sections that do not conflict. */
#ifndef HEDDLE_EXPLORE_WAITING_SECTIONS_H
#define HEDDLE_EXPLORE_WAITING_SECTIONS_H
#include "guest/explore/search/rules.h"

/* Says where a round begins that a thread repeats by PS. */
extern const Rule sections_rule;
#endif
