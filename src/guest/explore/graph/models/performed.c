#include "guest/explore/graph/models/performed.h"
#include "guest/explore/graph/models/missing.h"
#include "guest/explore/graph/models/buffers.h"
#include "guest/runtime/pages.h"

/* By location: bytes such that stores to them, before the event that the walk has come to, are in
 * memory. All 0 between walks. */
static uint16_t *known_bytes;

typedef struct Walk {
    const Clock *prefix;
    const char *address; /* of the store that is asked about */
    unsigned mask;
    bool all;     /* every store before is in memory */
    bool any;     /* some store after is */
    bool sc_load; /* a seq_cst load comes after */
    bool found;   /* the store that is asked about is in memory: so is a later one to its bytes */
} Walk;

/* Sets *PREFIX to what is executed before T goes on. */
static void executed_before(int t, Clock *prefix)
{
    static const Clock zero;
    const Event *last = threads[t].count ? last_event(t) : t ? &pool[threads[t].create] : NULL;
    if (!last)
        *prefix = zero;
    else if (UNLIKELY(
                 facts_met[FACT_blocks])) /* porf has the reads of merges, which nobody makes */
        missing_real_prefix(last, prefix);
    else
        *prefix = last->porf;
}

/* Does READ have bytes of W? */
static bool reads_from(const Event *read, const Event *w)
{
    unsigned left = is_merge_read(read) ? 0 : event_bytes(read);
    for (EventId s = read->rf; s && left; s = pool[s].part ? pool[s].rf : 0) {
        if (&pool[s] == w)
            return (event_bytes(w) & left) != 0;
        left &= ~event_bytes(&pool[s]);
    }
    return false;
}

/* Has another thread read from the store W, in the prefix? */
static bool is_seen(const Event *w, const Clock *prefix)
{
    const Location *x = &locations[w->location];
    for (int j = 0; j < x->reads; j++) {
        const Event *r = &pool[x->read[j]];
        if (r->thread != w->thread && before(r, prefix) && reads_from(r, w))
            return true;
    }
    return false;
}

/* The stores to the bytes of E before it are in memory. */
static void know_bytes(Walk *walk, const Event *e)
{
    unsigned bytes = event_bytes(e);
    ptrdiff_t from = locations[e->location].address - walk->address;
    known_bytes[e->location] |= (uint16_t)bytes;
    if (from > -16 && from < 16)
        walk->found |= ((from < 0 ? bytes >> -from : bytes << from) & walk->mask) != 0;
}

static void walk_load(Walk *walk, const Event *r)
{
    const Event *w = r->rf ? &pool[r->rf] : NULL;
    walk->sc_load |= model_is_sc(r);
    if (w && (w->thread != r->thread || buffers_waits(r, w)))
        know_bytes(walk, r);
}

static void walk_store(Walk *walk, const Event *w)
{
    if (!(known_bytes[w->location] & event_bytes(w)) && !(walk->sc_load && model_is_sc(w)) &&
        !is_seen(w, walk->prefix))
        return;
    walk->any = true;
    walk->all |= buffers_is_store_barrier(w);
    know_bytes(walk, w);
}

/* One event back. */
static void walk_event(Walk *walk, const Event *e)
{
    if (buffers_drains(e))
        walk->all = true;
    else if (buffers_is_load(e))
        walk_load(walk, e);
    else if (e->kind == EVENT_WRITE)
        walk_store(walk, e);
    else if (e->kind == EVENT_FENCE && buffers_is_store_barrier(e))
        walk->all |= walk->any;
}

bool performed_load(int u, EventIndex tag, int t)
{
    Clock prefix;
    executed_before(t, &prefix);
    return tag < prefix.at[u];
}

bool performed_store(int u, EventIndex tag, const char *address, unsigned mask, int t)
{
    Clock prefix;
    executed_before(t, &prefix);
    Walk walk = {.prefix = &prefix, .address = address, .mask = mask};
    if (!known_bytes)
        known_bytes = pages_reserve(sizeof *known_bytes * MAX_LOCATIONS);
    int i = prefix.at[u];
    while (i > tag && !walk.all && !walk.found)
        walk_event(&walk, thread_event(u, --i));
    for (; i < prefix.at[u]; i++)
        known_bytes[thread_event(u, i)->location] = 0;
    return walk.all || walk.found;
}
