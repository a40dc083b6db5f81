/* sift.h: drops candidate facts that some short random execution contradicts, before a solver is
 * asked about them. Dropping a candidate is always sound. */
#ifndef HEDDLE_PROVE_FACTS_SIFT_H
#define HEDDLE_PROVE_FACTS_SIFT_H
#include "prove/prover.h"

/* Facts of the user's are left: they are refused with a reason. The same on every call. */
void sift_facts(Prover *prover);
#endif
