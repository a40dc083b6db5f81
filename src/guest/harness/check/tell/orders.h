/* orders.h: why a history is not allowed, in words: the serial orders and where each
 * disagrees, the nearest outcome that would be right, and under --quasi which element was
 * overtaken. Written into the outcome that the tool reads. */
#ifndef HEDDLE_HARNESS_CHECK_TELL_ORDERS_H
#define HEDDLE_HARNESS_CHECK_TELL_ORDERS_H
#include "guest/harness/verify.h"
#include "record/link.h"

/* About child_test.test: says explanation, orders, closest and overtaking, in place of all texts
 * that the outcome has. */
void child_explain(Verifier *verifier, OutcomeMessage *outcome, const GraphHistory *history,
                   const VerifyFailure *failure);
/* The calls that are to blame, a set of numbers of the test: the one that waits, or those whose
 * results the nearest allowed outcome changes; where that is not known, those that the serial order
 * which gets furthest refuses. 0 if neither is known. */
uint32_t child_blame(const GraphHistory *history, const VerifyFailure *failure);
#endif
