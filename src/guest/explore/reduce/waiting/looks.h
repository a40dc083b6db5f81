/* looks.h: who looks at a lock that the program has made of atomics, without waiting for it. The
 * statement, and why no outcome is lost: doc/proofs/sections.md. */
#ifndef HEDDLE_EXPLORE_WAITING_LOOKS_H
#define HEDDLE_EXPLORE_WAITING_LOOKS_H
#include "guest/explore/reduce/waiting/arrivals.h"

static inline bool looks_are_noted(void)
{
    return facts_met[FACT_watched] && arrivals_have_turns;
}
/* Notes looks that are shown; may begin the exploration again. */
extern const Rule looks_rule;
bool looks_are_watched(const Location *x);
/* Does no other thread than T show a look at X, which is watched? */
bool looks_are_by(const Location *x, int thread);
/* The first store of another thread that stands between the write with which a section BEGINs and
 * its END in coherence order, or NULL. */
const Event *looks_hidden(const Event *begin, const Event *end);
/* The thread of HIDDEN counts as one that looks: begins the exploration again if that is new. */
void looks_learn(const Event *hidden);
/* Watches X from now on: begins the exploration again, unless there is no room. */
void looks_watch(const Location *x);
#endif
