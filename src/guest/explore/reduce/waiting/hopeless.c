/* hopeless.c: a thread waits, and nothing explored from here can free it: the writes that it has
 * yet to see are all in what the others know already (doc/proofs/hopeless.md). */
#include "guest/explore/search/rules.h"
#include "guest/explore/facts/values.h"
#include "guest/explore/reduce/confirm/confirm.h"
#include "guest/explore/search/blocked.h"

/* Is a write after the one that R reads in the prefix of what thread U adds from now on? */
static bool knows_newer(int u, const Event *r)
{
    const Location *x = &locations[r->location];
    const Event *last = threads[u].count ? last_event(u) : &pool[threads[u].create];
    for (int p = rf_position(r) + 1; p < x->writes; p++) {
        const Event *z = &pool[x->co[p]];
        if (z->thread == u || in_prefix(z, last))
            return true;
    }
    return false;
}

static bool leads_nowhere(int t, ThreadSet runnable, ThreadSet joining)
{
    const Event *r = blocked_last_read(t);
    if (!r || rf_position(r) == locations[r->location].writes - 1)
        return false;
    for (ThreadSet left = runnable; left; left &= left - 1) {
        int u = thread_first(left);
        if (!knows_newer(u, r) && (!confirming.active || values_may_affect(u, values_effects(u))))
            return false;
    }
    if (!confirming.active)
        return true;
    for (ThreadSet left = joining; left; left &= left - 1) {
        int u = thread_first(left), child = blocked_joins(u);
        if (threads[child].count && last_event(child)->waits == WAITS_BLOCKED)
            continue;
        if (!knows_newer(u, r) && !knows_newer(child, r) && values_may_affect(u, values_effects(u)))
            return false;
    }
    return true;
}

static bool is_hopeless_on(void)
{
    return reduction_is_on(REDUCTION_hopeless);
}

static bool hopeless(int t, ThreadSet able, ThreadSet joining)
{
    bool left = leads_nowhere(t, able, joining);
    reductions_used[REDUCTION_hopeless] += left;
    return left;
}

const Rule hopeless_rule = {.active = is_hopeless_on, .is_hopeless = hopeless};
