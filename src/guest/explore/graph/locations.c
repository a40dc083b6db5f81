/* locations.c: the atomic locations of graph.h: found by address, their coherence orders and lists
 * of reads, and the lower bound that coherence is decided by. */
#include <string.h>
#include "guest/explore/graph/finding.h"
#include "guest/explore/graph/graph.h"
#include "guest/explore/graph/granules.h"
#include "guest/runtime/pages.h"

static void graph_reserve(Location *x, int writes, int reads)
{
    if (UNLIKELY(writes > x->write_room)) {
        int room = MAX(writes, x->write_room * 2);
        EventId *moved = pages_alloc(sizeof(EventId) * (size_t)room);
        if (x->writes)
            memcpy(moved, x->co, sizeof(EventId) * (size_t)x->writes);
        x->co = moved;
        x->write_room = room;
    }
    if (UNLIKELY(reads > x->read_room)) {
        int room = MAX(reads, x->read_room * 2);
        EventId *moved = pages_alloc(sizeof(EventId) * (size_t)room);
        if (x->reads)
            memcpy(moved, x->read, sizeof(EventId) * (size_t)x->reads);
        x->read = moved;
        x->read_room = room;
    }
}

LocationId graph_find_location(const void *address)
{
    uint32_t granule = granules_find(address);
    if (!granule)
        return 0;
    LocationId l = granules[granule].locations;
    while (l && locations[l].address != address)
        l = locations[l].next;
    return l;
}

static void read_init(Location *x)
{
    x->init = x->init_high = 0;
    memcpy(&x->init, x->address, MIN(x->size, 8u));
    if (x->size == 16)
        memcpy(&x->init_high, x->address + 8, 8);
}

static inline void refuse_overlap(const Location *x, const char *address, unsigned size, int thread)
{
    if (x->writes == 1 && x->reads == 0)
        return; /* a dead location of another execution: the memory is used otherwise now */
    if (UNLIKELY(address < x->address + x->size && x->address < address + size))
        graph_hooks.overlap(x, address, size, thread);
}

LocationId location_most;
GraphHooks graph_hooks;

void locations_forget(void)
{
    if (graph_hooks.forgotten)
        graph_hooks.forgotten();
    location_most = MAX(location_most, location_count);
    location_count = 0;
}

static LocationId make_location(char *address, unsigned size, uint32_t granule, int thread)
{
    DEBUG_ASSERT(size <= 16 && size && !(size & (size - 1)));
    if (location_count + 1 >= MAX_LOCATIONS)
        op_unsupported("the program uses more than %u atomic locations", MAX_LOCATIONS);
    LocationId l = ++location_count;
    Location *x = &locations[l];
    *x = (Location){.address = address,
                    .size = (uint8_t)size,
                    .granule = granule,
                    .co = x->co, /* of a location that was forgotten, or none */
                    .read = x->read,
                    .write_room = x->write_room,
                    .read_room = x->read_room};
    graph_reserve(x, 8, 8);
    x->co[0] = 0;
    x->writes = 1;
    x->next = granules[granule].locations;
    granules[granule].locations = l;
    if (graph_hooks.made)
        graph_hooks.made(address, size, thread);
    return l;
}

/* graph_location, where more is to be done than to find a location that has events. */
static __attribute__((noinline)) LocationId find_location(char *at, unsigned size, int thread)
{
    uint32_t granule = granules_get(at);
    LocationId found = 0;
    for (LocationId l = granules[granule].locations; l; l = locations[l].next) {
        if (LIKELY(locations[l].address == at && locations[l].size == size))
            found = l;
        else
            refuse_overlap(&locations[l], at, size, thread);
    }
    /* 16-byte locations reach into the next granule, and may be reached into from the one before */
    if (UNLIKELY(size == 16) || facts_met[FACT_wide]) {
        uint32_t neighbours[2] = {granules_find(at - 8), granules_find(at + 8)};
        for (int i = 0; i < 2; i++)
            for (LocationId l = neighbours[i] ? granules[neighbours[i]].locations : 0; l;
                 l = locations[l].next)
                if (l != found)
                    refuse_overlap(&locations[l], at, size, thread);
        facts_add(FACT_wide, 0, 1);
    }
    if (UNLIKELY(!found))
        found = make_location(at, size, granule, thread);
    Location *x = &locations[found];
    if (x->writes == 1 && x->reads == 0) {
        read_init(x);
        if (graph_hooks.opened)
            graph_hooks.opened(x);
    }
    return found;
}

LocationId graph_location(void *address, unsigned size, int thread)
{
    const char *at = address;
    LocationId found = 0; /* granule number 0 has no locations */
    for (LocationId l = granules[granules_find(at)].locations; l; l = locations[l].next) {
        const Location *x = &locations[l];
        if (x->address == at && x->size == size)
            found = l;
        else if (UNLIKELY(at < x->address + x->size && x->address < at + size))
            return find_location(address, size, thread);
    }
    const Location *x = &locations[found]; /* number 0 has no events */
    if (LIKELY((x->writes > 1 || x->reads) && !facts_met[FACT_wide]))
        return found;
    return find_location(address, size, thread);
}

void graph_insert_co(Location *x, int position, EventId write)
{
    DEBUG_ASSERT(position >= 1 && position <= x->writes && pool[write].kind == EVENT_WRITE &&
                 pool[write].co < 0);
    graph_reserve(x, x->writes + 1, 0);
    for (int q = x->writes; q > position; q--) {
        x->co[q] = x->co[q - 1];
        pool[x->co[q]].co = q;
    }
    x->co[position] = write;
    pool[write].co = position;
    x->writes++;
    if (graph_hooks.written)
        graph_hooks.written(x, write);
}

void graph_add_read(Location *x, EventId read)
{
    DEBUG_ASSERT(pool[read].kind == EVENT_READ && &locations[pool[read].location] == x);
    graph_reserve(x, 0, x->reads + 1);
    x->read[x->reads++] = read;
    x->readers |= thread_bit(pool[read].thread);
}

/* From the end, writes and reads side by side, until one is before H: of the thread's own accesses
 * the last is, so this costs what others have done since. Writes further down give no larger bound.
 * A read gives one only if it reads from a write above the bound, and then it is younger than that
 * write, unless it was revisited; reads are listed by age. */
static int lower_bound(const Location *x, const Clock *h)
{
    int bound = 0, p = x->writes - 1, j = x->reads - 1;
    for (; p > bound && j >= 0 && !before(&pool[x->co[p]], h); p--) {
        const Event *r = &pool[x->read[j--]];
        if (before(r, h))
            bound = MAX(bound, rf_position(r));
    }
    while (p > bound && !before(&pool[x->co[p]], h))
        p--;
    bound = MAX(bound, p);
    EventId oldest = UINT32_MAX; /* of the writes above */
    for (p = x->revisited || j < 0 ? x->writes : bound + 1; p < x->writes; p++)
        oldest = MIN(oldest, pool[x->co[p]].stamp);
    for (; j >= 0 && bound < x->writes - 1; j--) {
        const Event *r = &pool[x->read[j]];
        if (r->stamp < oldest && !x->revisited)
            break;
        if (before(r, h))
            bound = MAX(bound, rf_position(r));
    }
    return bound;
}

int graph_lower_bound(const Location *x, const Clock *h, const Event *e)
{
    if (LIKELY(!e->part))
        return lower_bound(x, h);
    unsigned bytes = event_bytes(e);
    int bound = 0;
    for (int p = 1; p < x->writes; p++) {
        const Event *w = &pool[x->co[p]];
        if (before(w, h) && event_bytes(w) & bytes)
            bound = p;
    }
    for (int j = 0; j < x->reads; j++) {
        const Event *r = &pool[x->read[j]];
        if (before(r, h) && !r->merge && event_bytes(r) & bytes)
            bound = MAX(bound, rf_position(r));
    }
    return bound;
}

bool graph_splits_rmw(const Location *x, int position)
{
    DEBUG_ASSERT(position >= 1);
    if (position >= x->writes)
        return false;
    const Event *w = &pool[x->co[position]];
    return w->rmw && w->rf == x->co[position - 1];
}

uint64_t graph_value_high(EventId write, const Location *x)
{
    return write ? pool_extra[write].value_high : x->init_high;
}
