#include "guest/explore/reduce/confirm/ordered.h"
#include "guest/explore/search/rules.h"
#include "guest/explore/facts/values.h"

static bool ordered_noted; /* is a weak race of interest, while values_mode.noted? */

static bool is_possible(void)
{
    return model_synchronises_by_order(options.model) && model_forbids_races(options.model) &&
           options.races != RACES_IGNORE;
}

void ordered_begin(bool closely)
{
    ordered_noted = closely && is_possible();
}

static void note_race(void)
{
    ordered_noted = false; /* until the next pass, which knows it */
    values_note_kind(VALUES_WEAK_RACE);
}

static bool is_weak(const Event *e)
{
    return e->plain || e->order != ORDER_SEQ_CST;
}

/* Is one of COUNT accesses, which conflict with the one that is requested, not before TIP, and one
 * of the two weak? */
static bool has_race(const EventId *ids, int count, int t, const Clock *tip, bool weak)
{
    for (int i = 0; i < count; i++) {
        const Event *e = &pool[ids[i]];
        if (e->thread != t && !before(e, tip) && (weak || is_weak(e)))
            return true;
    }
    return false;
}

static void note_access(int t, Location *x)
{
    if (!ordered_noted)
        return;
    bool weak = request.plain || request.order != ORDER_SEQ_CST ||
                (request.kind == REQUEST_CAS && request.failure_order != ORDER_SEQ_CST);
    x->weak |= weak;
    if (!x->weak)
        return;
    const Clock *tip = graph_tip(t);
    if (has_race(x->co + 1, x->writes - 1, t, tip, weak) ||
        (request.kind != REQUEST_LOAD && has_race(x->read, x->reads, t, tip, weak)))
        note_race();
}

bool ordered_is(void)
{
    return !model_synchronises_by_order(options.model) ||
           (is_possible() && values_use_absent(VALUES_WEAK_RACE));
}

/* ---- what the search asks ---- */

static bool is_noted(void)
{
    return ordered_noted && values_mode.noted;
}

const Rule ordered_rule = {.active = is_noted, .location = note_access};
