#include "guest/explore/reduce/waiting/owned.h"
#include "guest/explore/graph/finding.h"
#include "guest/explore/graph/models/model.h"
#include "guest/explore/memory/locals.h"
#include "guest/explore/memory/memory.h"
#include "guest/explore/reduce/waiting/arrivals.h"
#include "guest/explore/search/ghost.h"
#include "guest/runtime/fiber.h"

static uint64_t place_of(const Event *e)
{
    return (uintptr_t)locations[e->location].address;
}

/* Is X on the stack of T, where no other thread has ever touched it? Memory has its value. */
static bool is_private(const Location *x, int t)
{
    return fiber_of_stack(x->address) == t && !locals_is_foreign(x->address, x->size);
}

Owned owned_by_thread(const Event *e)
{
    if (!IS_ACCESS(e->kind) || e->size == 16 || e->part || e->merge)
        return OWNED_NOT;
    if (is_private(&locations[e->location], e->thread))
        return OWNED_KNOWN;
    if (e->plain || e->locked || e->request == REQUEST_AWAIT ||
        !facts_have_room(FACT_owned, place_of(e)))
        return OWNED_NOT;
    if (!facts_of(FACT_owned, place_of(e)))
        return OWNED_PERHAPS;
    return facts_of(FACT_owned_writes, place_of(e)) & ~thread_bit(e->thread) ? OWNED_NOT
                                                                             : OWNED_KNOWN;
}

/* Does whoever reads from W, a write, learn what whoever reads from FIRST would? */
static bool passes_on(EventId first, const Event *w)
{
    return !model_synchronises_by_order(options.model) || !first || !pool[first].has_release ||
           is_release(w->order);
}

bool owned_is_restored(int t, int from, const Event *e)
{
    const Location *x = &locations[e->location];
    if (is_private(x, t))
        return true;
    int p = x->writes - 1;
    while (p > 0 && pool[x->co[p]].thread == t && pool[x->co[p]].index >= from)
        p--;
    const uint64_t value = write_value(x->co[p], x);
    bool same = true;
    for (int q = p + 1; q < x->writes; q++)
        same &= write_value(x->co[q], x) == value && passes_on(x->co[p], &pool[x->co[q]]);
    if (same)
        return true;
    return write_value(x->co[x->writes - 1], x) == value &&
           passes_on(x->co[p], &pool[x->co[x->writes - 1]]) &&
           !(facts_of(FACT_owned_reads, place_of(e)) & ~thread_bit(t));
}

void owned_learn(const Event *e)
{
    facts_note(FACT_owned, place_of(e), 1);
}

bool owned_is_alone(int t)
{
    for (ThreadSet left = threads_created & ~thread_bit(t); left; left &= left - 1) {
        int u = thread_first(left);
        if (!(threads_ended >> u & 1) || !before(last_event(u), graph_tip(t)))
            return false;
    }
    return true;
}

static void note(int t, const void *address, bool writes)
{
    if (facts_of(FACT_owned, (uintptr_t)address) && !owned_is_alone(t) &&
        arrivals_add_thread(writes ? FACT_owned_writes : FACT_owned_reads, address, t))
        finding_restart();
}

static void note_access(int t)
{
    if (request.kind != REQUEST_STORE)
        note(t, request.address, false);
    if (request.kind != REQUEST_LOAD)
        note(t, request.address, true);
}

/* ---- what the search asks ---- */

static void (*others_met)(const Location *x);

static void note_plain(const Location *x)
{
    others_met(x);
    if (UNLIKELY(facts_met[FACT_owned]) && !ghost_runs()) {
        note(fiber_current, x->address, false);
        note(fiber_current, x->address, true);
    }
}

static void listen(void)
{
    others_met = memory_hooks.met;
    memory_hooks.met = note_plain;
}

static bool is_any(void)
{
    return facts_met[FACT_owned];
}

const Rule owned_rule = {.setup = listen};
const Rule owned_noted_rule = {.active = is_any, .access = note_access};
