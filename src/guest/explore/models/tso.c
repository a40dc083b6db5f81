/* model_tso.c: x86-TSO, axiomatically (Owens, Sarkar, Sewell 2009; Alglave, Maranget, Tautschnig
 * 2014): no cycle in ppo U rfe U co U fr, where ppo is program order without the pairs store ->
 * later load, except that a store is before a later load when a seq_cst fence or a
 * read-modify-write (a locked instruction) stands between them, or when both are seq_cst (compilers
 * put the fence after the store or before the load; only what holds either way is assumed). Reading
 * one's own store early (rfi) is no edge. Coherence per location stands in graph.h: TSO is stronger
 * than release/acquire.
 *
 * The search is that of model_sc.c. What follows an event in its thread has three levels: all later
 * events; all but loads that are not seq_cst (after a seq_cst store); all but loads (after another
 * store). For each level and thread one number says from where on it was visited. */
#include "guest/explore/models/model.h"

typedef enum Level { AFTER_STORE, AFTER_SC_STORE, AFTER_ANY, LEVELS } Level;

static int seen_from[LEVELS][MAX_THREADS];
static const Event *goal, *goal2;
static bool visit(Level level, int t, int i);

static bool is_load(const Event *e)
{
    return e->kind == EVENT_READ && !e->rmw && e->request != REQUEST_RMW;
}

/* What of the later part of its thread is ordered after E? */
static Level level_after(const Event *e)
{
    if (e->kind == EVENT_WRITE && !e->rmw)
        return e->order == ORDER_SEQ_CST && !e->plain ? AFTER_SC_STORE : AFTER_STORE;
    if (e->kind == EVENT_FENCE)
        return e->order == ORDER_SEQ_CST ? AFTER_ANY : AFTER_STORE;
    if (e->kind == EVENT_MARK || e->kind == EVENT_CHOOSE)
        return AFTER_STORE; /* no instruction: where an operation returns, its stores may be in the
                               buffer */
    return AFTER_ANY;       /* loads; creating, joining and ending threads drain the buffer */
}

static bool enter(const Event *e)
{
    return visit(level_after(e), e->thread, e->index);
}

static bool successors_reach(const Event *e)
{
    if (e->kind == EVENT_WRITE) {
        const Location *x = &locations[e->location];
        EventId id = event_id(e);
        for (int j = 0; j < x->reads; j++) {
            const Event *r = &pool[x->read[j]];
            if (r->rf == id && r->thread != e->thread && enter(r))
                return true;
        }
        if (e->co >= 0 && e->co + 1 < x->writes)
            return enter(&pool[x->co[e->co + 1]]);
    } else if (e->kind == EVENT_READ) {
        const Location *x = &locations[e->location];
        int position = rf_position(e);
        if (position >= 0 && position + 1 < x->writes) {
            const Event *w = &pool[x->co[position + 1]];
            if (!(w->thread == e->thread && w->index == e->index + 1))
                return enter(w);
        }
    } else if (e->kind == EVENT_CREATE) {
        return threads[e->other].count && visit(AFTER_ANY, (int)e->other, 0);
    } else if (e->kind == EVENT_END && e->other) {
        const Event *j = &pool[e->other];
        return j->kind == EVENT_JOIN && j->other == e->thread &&
               j->index < threads[j->thread].count && threads[j->thread].po[j->index] == e->other &&
               visit(AFTER_ANY, j->thread, j->index);
    }
    return false;
}

/* Is E, which stands after an event of this level, ordered after it? */
static bool follows(Level level, const Event *e)
{
    return level == AFTER_ANY || !is_load(e) ||
           (level == AFTER_SC_STORE && e->order == ORDER_SEQ_CST && !e->plain);
}

/* Visits what LEVEL orders among the events of T from I on; event I itself in any case if ENTERED.
 */
static bool visit_from(Level level, int t, int i, bool entered)
{
    int end = threads[t].count;
    for (Level l = level; l < LEVELS; l++)
        end = MIN(end, seen_from[l][t]);
    if (i >= end)
        return false;
    seen_from[level][t] = i;
    for (; i < end; i++, entered = false) {
        const Event *e = thread_event(t, i);
        if (!entered && !follows(level, e))
            continue;
        if (e == goal || e == goal2 || successors_reach(e))
            return true;
        Level own = level_after(e);
        if (own > level) /* from here on more is ordered */
            return visit_from(own, t, i + 1, false);
    }
    return false;
}

/* Visits event I of T, and after it what this level orders after it. */
static bool visit(Level level, int t, int i)
{
    return visit_from(level, t, i, true);
}

bool model_tso_consistent(Event *e, Event *r)
{
    const Location *x = &locations[e->location];
    int position = e->kind == EVENT_WRITE ? e->co : rf_position(e);
    if (position + 1 >= x->writes)
        return true;
    for (int t = 0; t < MAX_THREADS; t++)
        for (Level l = 0; l < LEVELS; l++)
            seen_from[l][t] = INT32_MAX;
    goal = e;
    goal2 = r;
    return !enter(&pool[x->co[position + 1]]);
}
