/* sections.h: a lock that is taken only to look is a loop that waits, too: for (;;) { lock; d =
 * done; unlock; if (d) break; }. The statement, and why no outcome is lost:
 * doc/proofs/sections.md. */
#ifndef HEDDLE_EXPLORE_WAITING_SECTIONS_H
#define HEDDLE_EXPLORE_WAITING_SECTIONS_H
#include "guest/explore/search/rules.h"

/* Says where a round begins that a thread repeats by PS. */
extern const Rule sections_rule, sections_learnt_rule;
#endif
