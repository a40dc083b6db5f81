/* session_txn.h: session guarantees of transactions: each step counts as a read or write of its
 * process, in the order of its transaction, and each key has its own order of versions. A list
 * shows the order of its elements, and an element that a read does not show comes after those it
 * shows. Transactions that aborted, or whose outcome is unknown, did nothing that others must come
 * after; what was read from them is a version like others. Depends on libc only. */
#ifndef HEDDLE_LINEAR_SESSION_TXN_H
#define HEDDLE_LINEAR_SESSION_TXN_H
#include "judge/linear/monitor.h"

/* Decides like session_check, for the four guarantees. "values": values repeat, keys are both
 * written and appended to, texts are joined. */
const char *session_check_transactions(const Plan *plan, const PlanGroup *group,
                                       unsigned guarantees, MonitorResult *result);
#endif
