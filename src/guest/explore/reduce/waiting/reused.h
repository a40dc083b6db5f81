/* reused.h: rounds that a thread goes for nothing, and in which it looks at memory that others use
 * again. The statement, and why no outcome is lost: doc/proofs/waiting.md. */
#ifndef HEDDLE_EXPLORE_WAITING_REUSED_H
#define HEDDLE_EXPLORE_WAITING_REUSED_H
#include "guest/explore/search/rules.h"
#include "guest/explore/memory/cells.h"

/* Notes what is used again, once some round has asked; keeps rounds that touch it; begins the
 * exploration again when there is news. */
extern const Rule reused_rule, reused_noted_rule;
/* Does T look at such memory from its event number FROM on, at which what would be left out begins,
 * other than the location EXEMPT (0: none), and has not kept a round yet? Then its present request
 * must not be decided by what T would do after it. */
bool reused_looks(int thread, int from, LocationId exempt);
#endif
