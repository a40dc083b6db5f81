#include "guest/explore/reduce/table.h"
#include "guest/explore/facts/noting.h"
#include "guest/explore/reduce/confirm/confirm.h"
#include "guest/explore/reduce/confirm/doomed.h"
#include "guest/explore/reduce/confirm/ordered.h"
#include "guest/explore/reduce/confirm/returning.h"
#include "guest/explore/reduce/endless.h"
#include "guest/explore/reduce/lost.h"
#include "guest/explore/reduce/rest.h"
#include "guest/explore/reduce/symmetry/alike.h"
#include "guest/explore/reduce/symmetry/copies.h"
#include "guest/explore/reduce/symmetry/pasts.h"
#include "guest/explore/reduce/symmetry/placements.h"
#include "guest/explore/reduce/waiting/arrivals.h"
#include "guest/explore/reduce/waiting/counters.h"
#include "guest/explore/reduce/waiting/hopeless.h"
#include "guest/explore/reduce/waiting/looks.h"
#include "guest/explore/reduce/waiting/owned.h"
#include "guest/explore/reduce/waiting/reused.h"
#include "guest/explore/reduce/waiting/sections.h"
#include "guest/explore/reduce/waiting/waiting.h"

/* Some rows leave nothing out themselves: others rest on them. Where facts of several rows begin
 * an exploration again, the first one does, so their order shows in the number of passes. */
static const Rule *const table[] = {
    /* what threads were told and did; memory that is used again */
    &pasts_rule, &pasts_kept_rule, &reused_rule, &reused_noted_rule,
    /* what was met in any graph */
    &facts_rule, &contents_rule, &ordered_rule, &looks_rule, &counters_rule, &counted_rule,
    &owned_rule, &owned_noted_rule,
    /* iterations that are left out; threads that nobody frees; the end of an outdated pass */
    &waiting_rule, &states_rule, &sections_rule, &sections_learnt_rule, &hopeless_rule, &lost_rule,
    &passes_rule, &outdated_rule,
    /* reads that have one candidate, or fewer revisits */
    &confirm_rule, &confirm_active_rule, &doomed_rule, &returning_rule,
    /* threads */
    &barriers_rule, &alike_rule, &alike_active_rule, &alike_met_rule, &copies_rule,
    &placements_rule, &rest_rule, &rest_active_rule, &endless_rule};

void table_setup(void)
{
    rules_take(table, COUNT_OF(table));
}
