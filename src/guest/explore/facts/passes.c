/* Passes of an exploration: when it begins again for what values.h has learnt. */
#include "guest/explore/search/explore.h"
#include "guest/explore/search/rules.h"
#include "guest/explore/facts/values_table.h"
#include "record/hooks.h"

/* See values_outdated: a pass with so few leaves is not worth going on with. */
#define OUTDATED_FEW 4
#define OUTDATED_PART 4
#define LATE_GRAPHS 4096 /* a fact comes late after so many leaves (values.h) */

bool values_outdated;
static uint64_t outdated_until; /* work: see values_outdated */
static uint64_t cut_branches;   /* of this pass */

void values_begin_work(void)
{
    cut_branches = 0;
}

uint64_t values_leaves(void)
{
    return exploration.earlier.executions + counts.executions + exploration.earlier.blocked +
           counts.blocked;
}

bool values_is_late(void)
{
    return values_leaves() > (hooks.late_graphs >= 0 ? (uint64_t)hooks.late_graphs : LATE_GRAPHS);
}

unsigned values_late_passes(void)
{
    return values_table->late_passes;
}

void values_wish(void)
{
    if (values_leaves() < OUTDATED_FEW)
        finding_restart();
    if (values_outdated)
        return;
    values_outdated = true;
    rules_link();
    outdated_until = values_leaves() + cut_branches + values_leaves() / OUTDATED_PART;
}

void values_outdate(void)
{
    values_table->late_passes += !values_outdated && values_is_late();
    values_wish();
}

void values_count_cut_branches(unsigned count)
{
    cut_branches += count;
    values_end_outdated(false);
}

void values_end_outdated(bool at_end)
{
    if (values_outdated && (at_end || values_leaves() + cut_branches >= outdated_until))
        finding_restart();
}
