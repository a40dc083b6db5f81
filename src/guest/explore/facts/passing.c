#include "guest/explore/facts/passing.h"
#include <string.h>
#include "guest/explore/graph/finding.h"
#include "guest/explore/facts/values_table.h"

/* Writes to X that are no read-modify-writes. */
typedef enum Stores { STORES_NONE, STORES_FIRST, STORES_LATER } Stores;

bool passing_noted;

void passing_begin_pass(void)
{
    for (uint32_t i = 0; i < values_table->guarded_count; i++) {
        values_table->guarded[i].stores_used = 0;
        memset(values_table->guarded[i].used, 0,
               sizeof *values_table->guarded[i].used * (values_locations() + 1));
    }
}

/* The location of guarded[I], or NULL if this process has not met it. */
static const Location *find_location(uint32_t i)
{
    static LocationId known[MOST_GUARDED];
    const Guarded *g = &values_table->guarded[i];
    const Location *x = &locations[known[i]];
    if (known[i] && known[i] <= location_count && x->address == g->address && x->size == g->size)
        return x;
    LocationId l = graph_find_location(g->address);
    while (l && (locations[l].address != g->address || locations[l].size != g->size))
        l = locations[l].next;
    known[i] = l;
    return l ? &locations[l] : NULL;
}

/* Would an acquiring read of WRITE learn of all that is before it? */
static bool passes_all(const Event *write)
{
    int missing = !write->has_release;
    for (int t = 0; t < FEW_THREADS; t++)
        missing |= write->porf.at[t] > write->release.at[t];
    return !missing;
}

/* Is a write to X before WRITE that an acquiring read of it would not learn of? */
static bool withholds(const Event *write, const Location *x)
{
    for (int p = 1; p < x->writes; p++) {
        const Event *z = &pool[x->co[p]];
        if (z != write && in_prefix(z, write) &&
            !(write->has_release && before(z, &write->release)))
            return true;
    }
    return false;
}

static Stores find_stores(const Location *x)
{
    for (int p = x->writes - 1; p > 1; p--)
        if (!pool[x->co[p]].rmw)
            return STORES_LATER;
    return x->writes > 1 && !pool[x->co[1]].rmw ? STORES_FIRST : STORES_NONE;
}

/* X has a new write. */
static void note_stores(const Location *x)
{
    Stores stores = find_stores(x);
    uint64_t count = __atomic_load_n(&values_table->guarded_count, __ATOMIC_ACQUIRE);
    for (uint32_t i = 0; stores != STORES_NONE && i < count; i++) {
        Guarded *g = &values_table->guarded[i];
        if (__atomic_load_n(&g->stores, __ATOMIC_RELAXED) >= stores || find_location(i) != x)
            continue;
        values_lock();
        values_grows(g->stores_used);
        g->stores = MAX(g->stores, stores);
        values_unlock();
    }
}

void passing_note(const Event *w)
{
    DEBUG_ASSERT(w->kind == EVENT_WRITE);
    note_stores(&locations[w->location]);
    if (passes_all(w))
        return;
    Location *y = &locations[w->location];
    uint64_t count = __atomic_load_n(&values_table->guarded_count, __ATOMIC_ACQUIRE);
    for (uint32_t i = 0; i < count; i++) {
        Guarded *g = &values_table->guarded[i];
        const Location *x = find_location(i);
        if (!x || x == y || !withholds(w, x))
            continue;
        uint32_t number = values_number(y, w->value);
        uint32_t mask = number < MOST_VALUES ? UINT32_C(1) << number : UINT32_MAX;
        if (!(~__atomic_load_n(&g->withheld[y->known], __ATOMIC_RELAXED) & mask))
            continue;
        values_lock();
        values_grows(g->used[y->known]);
        g->withheld[y->known] |= mask;
        values_unlock();
    }
}

/* Finds X among the first COUNT of those that are guarded; returns COUNT if it is not there. */
static uint32_t find_among(uint32_t count, const char *address, uint32_t size)
{
    uint32_t i = 0;
    while (i < count &&
           (values_table->guarded[i].address != address || values_table->guarded[i].size != size))
        i++;
    return i;
}

/* Finds X among all; returns values_table->guarded_count if it is not there. Call it with the lock.
 */
static uint32_t find_guarded(const char *address, uint32_t size)
{
    return find_among((uint32_t)values_table->guarded_count, address, size);
}

static void add_guarded(char *address, uint32_t size)
{
    uint32_t i = find_guarded(address, size);
    if (i < values_table->guarded_count || i == MOST_GUARDED)
        return;
    values_table->guarded[i].address = address;
    values_table->guarded[i].size = size;
    __atomic_store_n(&values_table->guarded_count, i + 1, __ATOMIC_RELEASE);
}

/* Finds X among those that are guarded. Or adds it, with others that may be asked for later, and
 * begins the exploration again. Returns NULL if there is no room. */
static Guarded *guard(const Location *x)
{
    /* those that are counted do not change: they are found without the lock */
    uint32_t count = (uint32_t)__atomic_load_n(&values_table->guarded_count, __ATOMIC_ACQUIRE);
    uint32_t known = find_among(count, x->address, x->size);
    if (LIKELY(known < count))
        return &values_table->guarded[known];
    values_lock();
    uint32_t i = find_guarded(x->address, x->size);
    bool is_new = i == values_table->guarded_count && i < MOST_GUARDED;
    if (is_new)
        add_guarded(x->address, x->size);
    for (uint32_t n = values_locations(), size; is_new && n; n--) {
        char *address = values_location(n, &size);
        if (size <= 8)
            add_guarded(address, size);
    }
    values_unlock();
    if (is_new)
        finding_restart();
    return i < MOST_GUARDED ? &values_table->guarded[i] : NULL;
}

uint32_t passing_use(const Location *x, Location *y)
{
    Guarded *g = guard(x);
    if (!g || !y->known)
        return UINT32_MAX;
    values_uses(&g->used[y->known], 1);
    return __atomic_load_n(&g->withheld[y->known], __ATOMIC_RELAXED);
}

bool passing_use_taken(const Location *x, const Event *read)
{
    DEBUG_ASSERT(read->kind == EVENT_READ);
    Guarded *g = guard(x);
    if (!g)
        return false;
    values_uses(&g->stores_used, 1);
    uint32_t stores = __atomic_load_n(&g->stores, __ATOMIC_RELAXED);
    return stores == STORES_NONE || (stores == STORES_FIRST && rf_position(read) > 0);
}
