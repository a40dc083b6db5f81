#include "guest/explore/reduce/table.h"
#include "guest/explore/search/rules.h"

/* Rows are defined by files of this folder and of facts/. */
extern const Rule pasts_rule, pasts_kept_rule, reused_rule, reused_noted_rule, facts_rule,
    contents_rule, ordered_rule, looks_rule, counters_rule, counted_rule, waiting_rule, states_rule,
    sections_rule, sections_learnt_rule, hopeless_rule, lost_rule, passes_rule, outdated_rule,
    confirm_rule, confirm_active_rule, doomed_rule, returning_rule, barriers_rule, alike_rule,
    alike_active_rule, alike_met_rule, copies_rule, placements_rule, rest_rule, rest_active_rule,
    endless_rule, owned_rule, owned_noted_rule, awaits_rule, awaits_noted_rule, together_rule,
    together_found_rule;

/* Some rows leave nothing out themselves: others rest on them. Where facts of several rows begin
 * an exploration again, the first one does, so their order shows in the number of passes. */
static const Rule *const table[] = {
    /* what threads were told and did; memory that is used again */
    &pasts_rule, &pasts_kept_rule, &reused_rule, &reused_noted_rule,
    /* what was met in any graph */
    &facts_rule, &contents_rule, &ordered_rule, &looks_rule, &counters_rule, &counted_rule,
    &owned_rule, &owned_noted_rule, &together_rule, &together_found_rule,
    /* iterations that are left out; threads that nobody frees; the end of an outdated pass */
    &waiting_rule, &awaits_rule, &awaits_noted_rule, &states_rule, &sections_rule,
    &sections_learnt_rule, &hopeless_rule, &lost_rule, &passes_rule, &outdated_rule,
    /* reads that have one candidate, or fewer revisits */
    &confirm_rule, &confirm_active_rule, &doomed_rule, &returning_rule,
    /* threads */
    &barriers_rule, &alike_rule, &alike_active_rule, &alike_met_rule, &copies_rule,
    &placements_rule, &rest_rule, &rest_active_rule, &endless_rule};

void table_setup(void)
{
    rules_take(table, COUNT_OF(table));
}
