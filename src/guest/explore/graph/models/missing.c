#include "guest/explore/graph/models/missing.h"
#include <string.h>

MissingState missing;

void missing_note(void)
{
    if (!blocks_incomplete && missing.on_news)
        missing.on_news();
    blocks_incomplete = missing.any = true;
}

/* The writes that gave READ its bytes, and what their threads did before, belong to the prefix. */
static bool extend_to_sources(const Event *read, Clock *prefix)
{
    unsigned left = is_merge_read(read) ? 0 : event_bytes(read);
    bool grown = false;
    for (EventId w = read->rf; w && left; w = pool[w].part ? pool[w].rf : 0) {
        const Event *e = &pool[w];
        if (event_bytes(e) & left && !before(e, prefix)) {
            prefix->at[e->thread] = (ClockEntry)(e->index + 1);
            grown = true;
        }
        left &= ~event_bytes(e);
    }
    return grown;
}

static bool extend_to(const Event *e, Clock *prefix)
{
    if (before(e, prefix))
        return false;
    prefix->at[e->thread] = (ClockEntry)(e->index + 1);
    return true;
}

void missing_real_prefix(const Event *last, Clock *prefix)
{
    memset(prefix, 0, sizeof *prefix);
    extend_to(last, prefix);
    for (bool grown = true; grown;) {
        grown = false;
        for (int t = 0; t < graph_thread_room(); t++) {
            if (prefix->at[t] && t)
                grown |= extend_to(&pool[threads[t].create], prefix);
            for (int i = 0; i < prefix->at[t]; i++) {
                const Event *e = thread_event(t, i);
                if (e->kind == EVENT_READ)
                    grown |= extend_to_sources(e, prefix);
                else if (e->kind == EVENT_JOIN)
                    grown |= extend_to(last_event((int)e->other), prefix);
                else if ((e->kind == EVENT_MARK || e->kind == EVENT_CHOOSE) && e->operand)
                    grown |= extend_to(&pool[e->operand], prefix);
            }
        }
    }
}

/* The event before E in its thread, or the creation of the thread; NULL at the beginning of main.
 * An RMW is one access. */
static const Event *event_before(const Event *e)
{
    int index = e->index - (e->kind == EVENT_WRITE && e->rmw);
    return index       ? thread_event(e->thread, index - 1)
           : e->thread ? &pool[threads[e->thread].create]
                       : NULL;
}

/* M happens before W, and they share no byte. May Z make a difference between M before W and W
 * before M in the order of the block? It has bytes of both, or of M and of another such access; its
 * thread does not know M before it reads, and W does not know it. In a machine, pso, bytes of M do:
 * Z may come before M and after something that has seen W, since the order of the block takes part
 * in cycles there. */
static bool tells_apart(const Event *z, const Event *m, const Event *w)
{
    const Event *last = event_before(z);
    return z != m && z != w && !is_merge_read(z) && event_bytes(z) & event_bytes(m) &&
           (event_bytes(z) & ~event_bytes(m) || !model_forbids_races(options.model)) &&
           !(last && before(m, &last->hb)) && !before(z, &w->hb);
}

static bool anybody_tells_apart(const Location *x, const Event *m, const Event *w)
{
    for (int p = 1; p < x->writes; p++)
        if (tells_apart(&pool[x->co[p]], m, w))
            return true;
    for (int j = 0; j < x->reads; j++)
        if (tells_apart(&pool[x->read[j]], m, w))
            return true;
    return false;
}

void missing_note_write(const Event *w)
{
    const Event *last = event_before(w);
    const Location *x = &locations[w->location];
    Clock prefix;
    bool known = false;
    for (int p = 1; last && p < x->writes && !blocks_incomplete; p++) {
        const Event *m = &pool[x->co[p]];
        if (!m->part || m == w || !before(m, &last->porf))
            continue;
        if (before(m, &last->hb)) {
            if (!(event_bytes(m) & event_bytes(w)) && anybody_tells_apart(x, m, w))
                missing_note();
            continue;
        }
        if (!known)
            missing_real_prefix(last, &prefix);
        known = true;
        if (before(m, &prefix))
            missing_note();
    }
}

void missing_note_access(const Event *z)
{
    const Location *x = &locations[z->location];
    for (int q = 1; q < x->writes && !blocks_incomplete; q++) {
        const Event *w = &pool[x->co[q]];
        for (int p = 1; p < x->writes; p++) {
            const Event *m = &pool[x->co[p]];
            if (m->part && m != w && before(m, &w->hb) && !(event_bytes(m) & event_bytes(w)) &&
                tells_apart(z, m, w))
                missing_note();
        }
    }
}
