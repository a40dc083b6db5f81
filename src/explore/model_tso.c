/* model_tso.c: x86-TSO, axiomatically (Owens, Sarkar, Sewell 2009; Alglave, Maranget, Tautschnig 2014):
 * no cycle in ppo U rfe U co U fr, where ppo is program order without the pairs store -> later load
 * that no locked event separates. Locked are the events of a compiled program that drain the store
 * buffer: read-modify-writes, seq_cst stores and seq_cst fences. Reading one's own store early (rfi) is
 * no edge. Coherence per location stands in graph.h: TSO is stronger than release/acquire.
 *
 * The search is that of model_sc.c with two numbers a thread: from where on all events were visited,
 * and from where on all but loads were (what a plain store is followed by). */
#include "explore/model.h"

static int all_from[MAX_THREADS], stores_from[MAX_THREADS];
static const Event *goal, *goal2;

static bool visit_all(int t, int i);
static bool visit_stores(int t, int i);

static bool is_plain_load(const Event *e)
{
    return e->kind == EVENT_READ && e->request != REQUEST_RMW && !e->rmw;
}

/* Does every later event of the thread follow E in the order that memory sees? */
static bool orders_all(const Event *e)
{
    if (e->kind == EVENT_WRITE)
        return e->rmw || e->order == ORDER_SEQ_CST;
    if (e->kind == EVENT_FENCE)
        return e->order == ORDER_SEQ_CST;
    return true; /* loads; creating, joining and ending threads drain the buffer */
}

static bool enter(const Event *e)
{
    return orders_all(e) ? visit_all(e->thread, e->index) : visit_stores(e->thread, e->index);
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
        return threads[e->other].count && visit_all((int)e->other, 0);
    } else if (e->kind == EVENT_END && e->other) {
        const Event *j = &pool[e->other];
        return j->kind == EVENT_JOIN && j->other == e->thread &&
               j->index < threads[j->thread].count &&
               threads[j->thread].po[j->index] == e->other && visit_all(j->thread, j->index);
    }
    return false;
}

static bool is_goal(const Event *e)
{
    return e == goal || e == goal2;
}

static bool visit_all(int t, int i)
{
    int end = MIN(all_from[t], threads[t].count);
    if (i >= all_from[t])
        return false;
    all_from[t] = i;
    for (; i < end; i++) {
        const Event *e = thread_event(t, i);
        if (is_goal(e))
            return true;
        if (i >= stores_from[t] && !is_plain_load(e))
            continue; /* visited with the stores */
        if (successors_reach(e))
            return true;
    }
    return false;
}

/* E itself and what follows a plain store: everything but loads, up to an event that orders all. */
static bool visit_stores(int t, int i)
{
    int end = MIN(stores_from[t], MIN(all_from[t], threads[t].count));
    if (i >= stores_from[t] || i >= all_from[t])
        return false;
    stores_from[t] = i;
    for (; i < end; i++) {
        const Event *e = thread_event(t, i);
        if (is_plain_load(e))
            continue;
        if (is_goal(e) || successors_reach(e))
            return true;
        if (orders_all(e) && visit_all(t, i + 1))
            return true;
    }
    return false;
}

bool model_tso_consistent(Event *e, Event *r)
{
    const Location *x = &locations[e->location];
    int position = e->kind == EVENT_WRITE ? e->co : rf_position(e);
    if (position + 1 >= x->writes)
        return true;
    for (int t = 0; t < MAX_THREADS; t++)
        all_from[t] = stores_from[t] = INT32_MAX;
    goal = e;
    goal2 = r;
    return !enter(&pool[x->co[position + 1]]);
}
