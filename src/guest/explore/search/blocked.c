#include "guest/explore/search/blocked.h"
#include "guest/explore/graph/load_buffering.h"
#include "guest/explore/search/rules.h"

const Event *blocked_last_read(int t)
{
    for (int i = threads[t].count - 1; i >= 0; i--) {
        const Event *e = thread_event(t, i);
        if (e->kind == EVENT_READ && e->confirms && !e->rmw)
            continue;
        if (e->kind != EVENT_FENCE && !is_light_mark(e) && !is_choice(e))
            return e->kind == EVENT_READ && !e->rmw ? e : NULL;
    }
    return NULL;
}

bool blocked_was_maximal(const Event *r)
{
    const Location *x = &locations[r->location];
    for (int p = rf_position(r) + 1; p < x->writes; p++)
        if (pool[x->co[p]].stamp < r->stamp)
            return false;
    return true;
}

/* Returns the read of a silent RMW, if that is T's last event, else what blocked_last_read does. */
static const Event *last_choice(int t)
{
    const Event *last = last_event(t);
    if (!graph_is_silent(last))
        return blocked_last_read(t);
    const Event *r = thread_event(t, last->index - 1);
    return r->confirms ? NULL : r;
}

bool blocked_enter(int t, int from)
{
    DEBUG_ASSERT(from >= 0 && from <= threads[t].count && threads[t].count);
    buffering_note_left(t, from);
    /* Only a revisit of one of its reads can free T; it deletes T's last read, which must have been
     * added maximally. (Looking at any other read would lose executions.) */
    const Event *r = last_choice(t);
    if (r && !blocked_was_maximal(r))
        return false;
    Event *last = last_event(t);
    last->waits = WAITS_BLOCKED;
    last->wait_from = (EventIndex)from;
    last->settled = 0;
    threads_waiting |= thread_bit(t);
    return !rules_is_lost(t);
}

/* Is W of a round of a thread that waits: a silent RMW, or in an idle section (sections.c)? It
 * changes nothing for others. */
static bool changes_nothing(const Event *w)
{
    const Event *last = last_event(w->thread);
    return last->waits == WAITS_BLOCKED && w->index >= last->wait_from;
}

bool blocked_sees_last(int t)
{
    for (int i = last_event(t)->wait_from; i < threads[t].count; i++) {
        const Event *e = thread_event(t, i);
        if (is_choice(e) && e->test == CHOICE_PROGRAM)
            return false; /* another one may lead out of the loop; to be told needs others */
        if (e->kind != EVENT_READ)
            continue;
        if (e->spurious)
            return false; /* a weak compare-exchange does not fail for ever */
        if (e->request == REQUEST_AWAIT && operations_goes_on((AwaitTest)e->test))
            return false; /* it goes on elsewhere */
        if (rules_hides(e, last_event(t)->wait_from))
            return false;
        const Location *x = &locations[e->location];
        for (int p = rf_position(e) + 1; p < x->writes; p++)
            if (!changes_nothing(&pool[x->co[p]]))
                return false;
    }
    return true;
}

/* Did an assumption of T's fail? Its graph is no execution. */
static bool has_failed(int t)
{
    for (int i = threads[t].count - 1; i >= 0 && i >= threads[t].count - 2; i--) {
        const Event *e = thread_event(t, i);
        if (is_choice(e) && e->test == CHOICE_FAILS)
            return true;
    }
    return false;
}

bool blocked_by_time(void)
{
    for (ThreadSet left = threads_created & ~threads_ended; left; left &= left - 1) {
        int t = thread_first(left);
        if (!threads[t].count || last_event(t)->waits != WAITS_BLOCKED)
            continue;
        for (int i = last_event(t)->wait_from; i < threads[t].count; i++) {
            const Event *e = thread_event(t, i);
            if (is_choice(e) && e->test == CHOICE_TIME_OVER)
                return true;
        }
    }
    return false;
}

bool blocked_is_stuck(void)
{
    for (ThreadSet left = threads_created & ~threads_ended; left; left &= left - 1) {
        int t = thread_first(left);
        if (!threads[t].count)
            continue;
        if (has_failed(t))
            return false;
        uint8_t waits = last_event(t)->waits;
        if (waits == WAITS_CUT || (waits == WAITS_BLOCKED && !blocked_sees_last(t)))
            return false;
    }
    return true;
}
