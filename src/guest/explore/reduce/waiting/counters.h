/* counters.h: rounds in which a thread counts itself in, looks, and counts itself out again:
 *     for (;;) { while (writer) ; add(&readers, 1); if (!writer) break; add(&readers, -1); }
 * Such a round is one of sections.h: what it leaves behind is as before. Who sees it?
 *
 * A location x is *counted* with the number k and the value v0 if in every graph of the exploration
 * K1. x begins with v0, is accessed as a whole and never plainly, and each write to it is an atomic
 *     read-modify-write that adds k or subtracts it (as numbers of x's size);
 * K2. the ones of each thread, in program order, are an addition, a subtraction, an addition, ...:
 *     so x is v0 + k * m, where m is the number of threads that are *inside*, between the two;
 * K3. each is blind: let n be the number of threads that there are. Whichever of the values
 *     v0 + k * m, 0 <= m <= n, it gets, its thread comes to the same request in the same state, and
 *     touches and writes the same plain memory on the way;
 * K4. every other read of x is a load that is blind, too (K3: it tells how long to pause), or that
 *     spins unless it gets v0: whichever v0 + k * m, 1 <= m <= n, it gets, its thread comes back to
 *     it at once, has touched no plain memory, and is in the same state; or in one from which each
 *     of the values leads to where it leads from the first, so that the two can't be told apart.
 * K2 depends on the trace of the thread alone, K3 and K4 on its state alone: they are decided
 * before the access, by ghosts (ghost.h), whatever it then reads.
 *
 * An addition and the next subtraction of t, with pure events and idle sections between, are then
 * an idle section: if t goes round for nothing so, it blocks. Why no outcome is lost. Take such
 * rounds, and those of waiting.h, out of an execution: first those of loads of K4 that do not see
 * v0. Let l and u be the writes of a section that goes. All writes from l up to u have t inside, so
 * their values are not v0, and none but blind read-modify-writes and blind loads reads them. The
 * former make a chain of reads-from; without l and u the ones between see k less, as do the loads,
 * a value that K3 has tried, since m threads other than t are inside, m >= 0; whoever has read l or
 * u reads what was before it in coherence order, and for u that is the same value. What is ordered
 * then was ordered before, as in sections.h: all writes to x are read-modify-writes, so who reads l
 * or u learns what the writes before them release. A
 * thread that is stuck sees the last write of what it waits for, so it is stuck without these
 * rounds, too; the last value of x is the same.
 *
 * Whether x is counted is learnt. The first round that asks makes x counted and begins the
 * exploration again; an access against K1 to K4 makes it refused for good, and begins it again.
 * When a pass has ended without that, x is counted: let F be a smallest graph of the program with
 * an access e against K1 to K4, or with more threads than n; F without e has none. Take all rounds
 * out of F without e, as above. What is left was explored, and the thread of e stands at its
 * request in the same state, with its additions and subtractions in the same turn: e was met. (A
 * thread that is inside in the prefix of a write is so after rounds have gone: the subtraction that
 * ends its section is not in that prefix.) Main's look at last values, when all threads are joined
 * (rest.h), sees the same. */
#ifndef HEDDLE_EXPLORE_WAITING_COUNTERS_H
#define HEDDLE_EXPLORE_WAITING_COUNTERS_H
#include "guest/explore/search/rules.h"

/* May BEGIN and END, the reads of two read-modify-writes of one thread, be those of an idle
 * section? LEARNS: their location must be counted for that, and it is not known whether it is. */
bool counters_may_be(const Event *begin, const Event *end, bool *learns);
/* The location of BEGIN, an addition, becomes counted, and the exploration begins again; returns
 * only if there is no room. */
void counters_learn(const Event *begin);
/* Accesses to what is counted are looked at: that may begin the exploration again. */
extern const Rule counters_rule, counted_rule;
/* Is X counted, as far as is known? */
bool counters_are_at(const Location *x);
#endif
