/* overtaking.h: what is wrong with the elements of a container in a history that is not
 * allowed, in a sentence: taken twice, taken and never put, overtaken too often. Inside the program
 * under test. */
#ifndef HEDDLE_HARNESS_CHECK_TELL_OVERTAKING_H
#define HEDDLE_HARNESS_CHECK_TELL_OVERTAKING_H
#include "base/str.h"
#include "guest/harness/verify.h"

/* Writes nothing if there is nothing to say. */
void child_overtaking_explain(Verifier *verifier, const GraphHistory *history,
                              const VerifyFailure *failure, Buffer *out);
#endif
