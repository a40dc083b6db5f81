/* model_sc.c: sequential consistency: no cycle in po U rf U co U fr. A depth-first search from the
 * new event's successor in coherence order. Program order makes the visited part of each thread a
 * suffix, so one number a thread says what was seen; nothing is cleared per event. */
#include "guest/explore/models/model.h"

static int seen_from[MAX_THREADS]; /* events from this index on were visited */
static const Event *goal, *goal2;

static bool reaches(int t, int i);

static bool successors_reach(const Event *e)
{
    if (e->kind == EVENT_WRITE) {
        const Location *x = &locations[e->location];
        EventId id = event_id(e);
        for (int j = 0; j < x->reads; j++) {
            const Event *r = &pool[x->read[j]];
            if (r->rf == id && reaches(r->thread, r->index))
                return true;
        }
        if (e->co >= 0 && e->co + 1 < x->writes) {
            const Event *w = &pool[x->co[e->co + 1]];
            return reaches(w->thread, w->index);
        }
    } else if (e->kind == EVENT_READ) {
        const Location *x = &locations[e->location];
        int position = rf_position(e);
        if (position >= 0 && position + 1 < x->writes) {
            const Event *w = &pool[x->co[position + 1]];
            if (!(w->thread == e->thread && w->index == e->index + 1)) /* its own RMW write */
                return reaches(w->thread, w->index);
        }
    } else if (e->kind == EVENT_CREATE) {
        return threads[e->other].count && reaches((int)e->other, 0);
    } else if (e->kind == EVENT_END && e->other) {
        const Event *j = &pool[e->other];
        return j->kind == EVENT_JOIN && j->other == e->thread &&
               j->index < threads[j->thread].count && threads[j->thread].po[j->index] == e->other &&
               reaches(j->thread, j->index);
    }
    return false;
}

/* Visits event I of thread T and all after it. */
static bool reaches(int t, int i)
{
    int end = seen_from[t];
    if (i >= end)
        return false;
    end = MIN(end, threads[t].count);
    seen_from[t] = i;
    if (goal->thread == t && goal->index >= i && goal->index < end)
        return true;
    if (goal2 && goal2->thread == t && goal2->index >= i && goal2->index < end)
        return true;
    for (; i < end; i++)
        if (successors_reach(thread_event(t, i)))
            return true;
    return false;
}

void model_sc_reach_from(int thread, int index, int from[MAX_THREADS])
{
    static const Event nowhere = {.thread = MAX_THREADS};
    for (int t = 0; t < MAX_THREADS; t++)
        seen_from[t] = INT32_MAX;
    goal = &nowhere;
    goal2 = NULL;
    reaches(thread, index);
    for (int t = 0; t < MAX_THREADS; t++)
        from[t] = seen_from[t];
}

/* A mark has no edges but to what follows in its thread. */
void model_sc_reach(const Event *mark, int from[MAX_THREADS])
{
    model_sc_reach_from(mark->thread, mark->index + 1, from);
}

bool model_sc_consistent(Event *e, Event *r)
{
    const Location *x = &locations[e->location];
    int position = e->kind == EVENT_WRITE ? e->co : rf_position(e);
    if (position + 1 >= x->writes)
        return true;
    for (int t = 0; t < MAX_THREADS; t++)
        seen_from[t] = INT32_MAX;
    goal = e;
    goal2 = r;
    const Event *w = &pool[x->co[position + 1]];
    return !reaches(w->thread, w->index);
}
