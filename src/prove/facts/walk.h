/* walk.h: the hindsight lemma as an obligation. An operation that walks from GLOBAL along FIELD
 * takes no lock and sees no state twice; yet the node it meets satisfied KEEP at some time since
 * the call. The tool checks the conditions under which that is a theorem. */
#ifndef HEDDLE_PROVE_FACTS_WALK_H
#define HEDDLE_PROVE_FACTS_WALK_H
#include "prove/prover.h"

/* NULL if the lemma holds for every walk of OPERATION, else why not. Needs the facts. */
const char *walk_check(Prover *prover, int operation);
/* Whether no step changes condition GUARD of the first step, while the nodes are allocated. */
bool walk_guard_is_immutable(Prover *prover, int operation, int walk, size_t guard);
#endif
