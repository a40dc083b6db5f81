/* claims.h: assertions of a model. They are conditions of their steps, so that facts may rest on
 * them; here it is shown that they never fail.
 *
 * Why this is no circle: take an execution of the model up to the first assertion that fails. All
 * before it held, so it is an execution of the operations as they were read, and the facts hold in
 * the state where the step starts; from these the assertion follows. */
#ifndef HEDDLE_PROVE_FACTS_CLAIMS_H
#define HEDDLE_PROVE_FACTS_CLAIMS_H
#include "prove/prover.h"

bool claims_exist(const SubOp *subop);
/* NULL if no assertion of OPERATION can fail, else which may. Needs the facts. */
const char *claims_check(Prover *prover, int operation);
#endif
