/* parts.h: the groups of one or several histories (plan.h), judged in turn with budgets that grow,
 * so that a violation in one is found however hard another is. Used by libheddle-history and by
 * `heddle history`. The table of parts may lie in memory that several processes share; each of them
 * then calls parts_take_turns. */
#ifndef HEDDLE_LIBRARY_PARTS_H
#define HEDDLE_LIBRARY_PARTS_H
#include "judge/isolation/isolation.h"
#include "judge/linear/checker.h"
#include <stdatomic.h>

/* The parts to be judged. Plans and specification are not owned. */
typedef struct PartsTask {
    const Spec *spec;
    const Plan *const *plans; /* one a history */
    size_t plan_count;
    bool monitors;
    unsigned session;   /* guarantees to check instead of linearizability (session.h), or 0 */
    unsigned isolation; /* 1 + the isolation level of transactions (isolation.h), or 0 */
} PartsTask;
/* With LEVEL_AUTO, a group is not judged: parts_judge_isolation tells all there is. */

typedef enum PartStatus { PART_OPEN, PART_BUSY, PART_DONE, PART_SKIPPED } PartStatus;
typedef struct Part {
    uint32_t history, group;
    atomic_int status; /* PART_SKIPPED: another part of its history is violated */
    GroupVerdict verdict;
} Part;
#define PARTS_ROUNDS 12u
typedef struct Parts {
    atomic_size_t next[PARTS_ROUNDS]; /* by round: the next part */
    atomic_size_t decided;
    size_t count;
    atomic_bool *violated; /* by history */
    Part parts[];
} Parts;

size_t parts_bytes(const PartsTask *task);
/* Lays the table out in MEMORY, which is zero and has parts_bytes bytes. */
Parts *parts_start(void *memory, const PartsTask *task);
/* Judges a group by the isolation level of TASK; false if a search has to decide instead. */
bool parts_judge_isolation(const PartsTask *task, const Plan *plan, const PlanGroup *group,
                           const LinearizeLimits *limits, GroupVerdict *verdict);
/* Judges parts until all are decided, by this process or others, or the limits are reached. */
void parts_take_turns(Parts *parts, const PartsTask *task, const LinearizeLimits *limits);
/* The answer for the history of PLAN if nobody knows what its reads of nil gave: they are left out.
 * TASK's own plans are not looked at. */
Verdict parts_without_nil(const PartsTask *task, const Plan *plan, const LinearizeLimits *limits);
#endif
