/* houdini.h: keeps of the candidate facts those that hold initially and that every sub-operation of
 * every instance keeps, all of them together being assumed (the largest inductive subset). */
#ifndef HEDDLE_PROVE_FACTS_HOUDINI_H
#define HEDDLE_PROVE_FACTS_HOUDINI_H
#include "prove/prover.h"

/* Expects candidates in prover->facts; leaves the facts that hold. */
void houdini_run(Prover *prover);
/* Does the same without dropping first what short executions contradict (sift.h): slower. */
void houdini_keep(Prover *prover);
/* Goes once more over all obligations, e.g. to write their certificates; true if nothing fails. */
bool houdini_verify(Prover *prover);
#endif
