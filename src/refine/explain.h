/* explain.h: what worker.c, explain.c and standstill.c share: configurations and their calls. */
#ifndef HEDDLE_REFINE_EXPLAIN_H
#define HEDDLE_REFINE_EXPLAIN_H
#include "refine/worker.h"

/* ---- the status of a call in a configuration ---- */
enum { STATUS_IDLE = 0, STATUS_PENDING = 1, STATUS_LATE = 3, STATUS_DONE_TAG = 2 };

static inline uint32_t status_done(int64_t result)
{
    uint32_t zigzag = ((uint32_t)result << 1) ^ (uint32_t)((int32_t)result >> 31);
    return zigzag << 2 | STATUS_DONE_TAG;
}

static inline bool status_is_done(uint32_t status)
{
    return (status & 3) == STATUS_DONE_TAG;
}

static inline int status_result(uint32_t status)
{
    uint32_t zigzag = status >> 2;
    return (int)((zigzag >> 1) ^ (~(zigzag & 1) + 1));
}

/* The operation a thread is in; -1: none. */
int worker_operation(const Worker *worker, const unsigned char *state, int thread);
/* Does the call of a thread return a data value? */
bool worker_returns_data(const Worker *worker, const unsigned char *state, int thread);
/* Notes a fault of the specification as the finding; returns false. */
bool worker_specification_failed(Worker *worker);
/* An order of configurations of *(size_t *)width words, for qsort_r. */
int config_compare(const void *left, const void *right, void *width);
/* False when the loaded pair is, or may become by idle threads calling, a standstill that the
 * specification does not have. */
bool worker_judge_standstill(Worker *worker, uint32_t index);
#endif
