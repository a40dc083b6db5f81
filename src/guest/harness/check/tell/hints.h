/* hints.h: what a test may have meant, when a history is not allowed only because the test file
 * does not say it: calls that may fail beside others (HD_MAY_FAIL), and calls that meet each other,
 * which no serial run has. Inside the program under test. */
#ifndef HEDDLE_HARNESS_CHECK_TELL_HINTS_H
#define HEDDLE_HARNESS_CHECK_TELL_HINTS_H
#include "base/str.h"
#include "guest/harness/verify.h"
#include "judge/graph/orders.h"

/* COUNT serial orders that get no further, all of the failure's if ALL. Writes nothing if there is
 * nothing to say. */
void child_hint(const GraphHistory *history, const VerifyFailure *failure, const OrdersEnd *ends,
                size_t count, bool all, Buffer *out);
#endif
