/* work.h: has the parts of histories checked, here or in worker processes. Parts get
 * growing budgets in turn, so that a violation in one is found however hard another is. */
#ifndef HEDDLE_CLI_HISTORY_WORK_H
#define HEDDLE_CLI_HISTORY_WORK_H
#include "tool/cli/history/kept.h"
#include "tool/cli/history/report.h"

typedef struct HistoryWork {
    const Spec *spec;
    HistoryRun *runs; /* with their plans; filled in */
    size_t run_count;
    bool monitors, witness;
    unsigned session;   /* guarantees to check instead of linearizability, or 0 */
    unsigned isolation; /* 1 + the isolation level of transactions, or 0 */
    NilReads nil_reads;
    long jobs;
    LinearizeLimits limits;
    HistoryKept *kept; /* what is decided is written down; NULL: it is not */
} HistoryWork;
/* False if what was written down does not fit. */
MUST_USE bool history_work(HistoryWork *work, Error *error);
#endif
