/* counters.h: rounds in which a thread counts itself in, looks, and counts itself out again:
 *     for (;;) { while (writer) ; add(&readers, 1); if (!writer) break; add(&readers, -1); }
 * Such a round is one of sections.c. The statement, and why no outcome is lost:
 * doc/proofs/counters.md. */
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
