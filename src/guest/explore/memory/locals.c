#include "guest/explore/memory/locals.h"
#include "guest/explore/memory/memory.h"
#include <string.h>
#include "guest/explore/graph/finding.h"
#include "guest/explore/memory/blocks.h"
#include "guest/explore/memory/divert.h"
#include "guest/explore/memory/cells.h"
#include "guest/runtime/fiber.h"

bool locals_on;

bool locals_is_own(const char *address)
{
    const Fiber *self = &fibers[fiber_current];
    return address >= self->limit && address < self->base;
}

void locals_note_atomic(const void *address, int thread)
{
    bool first = !locals_on && !memory_divert;
    locals_on |= first;
    blocks_asked |= first;
    if (first && fiber_of_stack(address) == thread)
        finding_restart();
}

bool locals_is_foreign(const char *address, unsigned bytes)
{
    for (uintptr_t a = (uintptr_t)address & ~(uintptr_t)7; a < (uintptr_t)address + bytes; a += 8) {
        uint32_t g = granules_find((const void *)a);
        if (g && granules[g].shared & STACK_FOREIGN)
            return true;
    }
    return false;
}

/* Racing bytes are restored after every event (deferred.h), so that memory does not follow. */
static bool is_promoted(const char *address, unsigned bytes)
{
    return facts_met[FACT_races] && memory_races_in(address, bytes);
}

/* Does memory hold what write number PLACE of X wrote? */
static bool holds(const Location *x, int place)
{
    DEBUG_ASSERT(place >= 0 && place < x->writes);
    uint64_t words[2] = {write_value(x->co[place], x), graph_value_high(x->co[place], x)};
    return !memcmp(x->address, words, x->size);
}

static bool happened_before(const Location *x, const Clock *h)
{
    for (int p = 1; p < x->writes; p++)
        if (!before(&pool[x->co[p]], h) && graph_reached(&pool[x->co[p]]))
            return false;
    for (int j = 0; j < x->reads; j++)
        if (!before(&pool[x->read[j]], h) && graph_reached(&pool[x->read[j]]))
            return false;
    return true;
}

/* The place in X's coherence order of what T's last event on X wrote or read; 0 if it has none. */
static int last_own_place(const Location *x, int t)
{
    int place = 0, index = -1;
    for (int p = 1; p < x->writes; p++) {
        const Event *w = &pool[x->co[p]];
        if (w->thread == t && w->index > index && graph_reached(w))
            index = w->index, place = p;
    }
    for (int j = 0; j < x->reads; j++) {
        const Event *r = &pool[x->read[j]];
        if (r->thread == t && r->index > index && graph_reached(r))
            index = r->index, place = rf_position(r);
    }
    return place;
}

/* Does memory hold what thread T, the owner, knows of X, or a later write? */
static bool holds_known(const Location *x, int t)
{
    for (int p = last_own_place(x, t); p < x->writes; p++)
        if (holds(x, p) && (!p || graph_reached(&pool[x->co[p]])))
            return true;
    return false;
}

/* The place of the last write to X that is there. */
static int newest(const Location *x)
{
    int p = x->writes - 1;
    while (p && !graph_reached(&pool[x->co[p]]))
        p--;
    return p;
}

/* Was the last write put into X's memory when T went on after the first of its events that all
 * events of X, which happen before T's next one, happen before? */
static bool has_caught_up(const Location *x, int t)
{
    int count = graphs.replaying ? graphs.replayed[t] : threads[t].count, i = count;
    while (i > 0 && happened_before(x, &thread_event(t, i - 1)->hb))
        i--;
    if (i == count)
        return false;
    if (thread_event(t, i)->kind == EVENT_READ && thread_event(t, i)->rmw && i + 1 < count)
        i++;
    return x->caught_up == threads[t].po[i];
}

/* Other threads have touched X. Does its memory belong to another object of the present thread by
 * now? */
static bool is_gone(const Location *x)
{
    char *base;
    unsigned size;
    if (blocks_find(x->address, &base, &size))
        return false; /* memory may hold parts of several writes */
    if (holds(x, newest(x)) || !happened_before(x, graph_tip(fiber_current)))
        return false;
    return has_caught_up(x, fiber_current) || !holds_known(x, fiber_current);
}

const char *locals_find_caller(int t, uint64_t pc)
{
    return arch_find_caller(fibers[t].sp, fibers[t].base, pc);
}

/* Has AFTER, of thread T, learnt something of another thread? */
static bool learns(const Clock *before_it, const Clock *after, int t)
{
    for (int u = 0; u < graph_thread_room(); u++)
        if (u != t && after->at[u] != before_it->at[u])
            return true;
    return false;
}

/* Is X in the stack of T, touched by others, with events of which all happen before AFTER, but not
 * all before BEFORE? */
static bool becomes_known(const Location *x, int t, const Clock *before_it, const Clock *after)
{
    char *base;
    unsigned size;
    return x->address >= fibers[t].limit && x->address < fibers[t].base &&
           (x->writes > 1 || x->reads) && happened_before(x, after) &&
           !happened_before(x, before_it) && locals_is_foreign(x->address, x->size) &&
           !is_promoted(x->address, x->size) && !blocks_find(x->address, &base, &size);
}

void locals_catch_up(const Event *e)
{
    DEBUG_ASSERT(locals_on && e == last_event(e->thread));
    int t = e->thread, first = e->index - (e->kind == EVENT_WRITE && e->rmw);
    const char *caller = NULL;
    if (!(facts_met[FACT_stacks_shared] >> t & 1))
        return;
    static const Clock none;
    const Event *earlier = first ? thread_event(t, first - 1) : &pool[threads[t].create];
    const Clock *known = first || t ? &earlier->hb : &none;
    if (!learns(known, &e->hb, t)) /* then only E itself can be new, and memory follows that */
        return;
    for (LocationId l = 1; l <= location_count; l++) {
        Location *x = &locations[l];
        if (x->caught_up == event_id(e))
            x->caught_up = 0;
        if (!becomes_known(x, t, known, &e->hb) || !holds_known(x, t))
            continue;
        if (!caller)
            caller = locals_find_caller(t, e->pc);
        if (!caller || x->address < caller)
            continue;
        int p = newest(x);
        uint64_t words[2] = {write_value(x->co[p], x), graph_value_high(x->co[p], x)};
        memcpy(x->address, words, x->size);
        x->caught_up = event_id(e);
    }
}

bool locals_holds(const Location *x)
{
    return locals_is_followed(x->address, x->size) &&
           (!locals_is_foreign(x->address, x->size) || is_gone(x));
}

bool locals_is_replaced(const Location *x)
{
    int t = fiber_current;
    if (UNLIKELY(graphs.replaying)) {
        const Event *next = thread_event(t, graphs.replayed[t]);
        return next->kind == EVENT_WRITE && next->plain == 1 && &locations[next->location] == x;
    }
    return locals_is_foreign(x->address, x->size) ? is_gone(x) : !holds(x, x->writes - 1);
}

bool locals_is_followed(const char *address, unsigned bytes)
{
    return locals_is_own(address) && !is_promoted(address, bytes);
}
