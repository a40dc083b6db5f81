#include "guest/explore/values.h"
#include <string.h>
#include "base/hash.h"
#include "guest/explore/finding.h"
#include "guest/explore/memory/heap.h"
#include "guest/explore/memory/memory.h"
#include "guest/runtime/pages.h"

#define MOST_PLACES 256
#define SLOTS (1u << 13) /* of locations; half of them are used at most */

typedef struct Known { /* one location; every word is written once or only grows */
    char *address;
    uint32_t size;
    uint32_t count;
    uint32_t used;                      /* ValuesUse bits */
    uint32_t returns;                   /* a value came twice */
    uint32_t wide;                      /* it has too many values */
    uint32_t written;                   /* bit i: value[i] was written */
    EventIndex last_write[FEW_THREADS]; /* by thread: its last effect that wrote here */
    uint64_t value[MOST_VALUES];
} Known;

typedef struct Table {
    uint32_t lock;
    uint32_t filled, place_count;
    uint64_t blocked;
    uint32_t effects_used;
    EventIndex last_effect[FEW_THREADS];
    struct {
        uint64_t first, second;
    } place[MOST_PLACES];
    uint16_t slot[SLOTS]; /* 0: free, else number in known */
    Known known[SLOTS / 2];
} Table;

static Table *table;
/* This process has written these down already: by thread, and by location and thread. */
static EventIndex last_effect[FEW_THREADS], (*last_write)[FEW_THREADS];
bool values_noted;

void values_setup(void)
{
    table = pages_share(sizeof *table);
    last_write = pages_reserve(sizeof *last_write * MAX_LOCATIONS);
}

void values_unshare(void)
{
    table = pages_share(sizeof *table);
}

void values_keep_copy(void)
{
    Table *copy = pages_reserve(sizeof *copy);
    memcpy(copy, table, sizeof *copy);
    copy->lock = 0;
    table = copy;
}

void values_reset(void)
{
    for (LocationId l = 1; l <= location_count; l++) {
        locations[l].seen_count = locations[l].seen_written = 0;
        locations[l].known = locations[l].returns = 0;
        memset(last_write[l], 0, sizeof last_write[l]);
    }
    memset(table->slot, 0, sizeof table->slot);
    memset(table->known, 0, sizeof table->known[0] * (table->filled + 1));
    table->filled = table->place_count = 0;
    table->blocked = 0;
    table->effects_used = 0;
    memset(table->last_effect, 0, sizeof table->last_effect);
    memset(last_effect, 0, sizeof last_effect);
}

static void lock(void)
{
    while (__atomic_exchange_n(&table->lock, 1, __ATOMIC_ACQUIRE))
        ;
}

static void unlock(void)
{
    __atomic_store_n(&table->lock, 0, __ATOMIC_RELEASE);
}

/* The entry of X, made if there is none; NULL if the table is full. Call it with the lock. */
static Known *find(Location *x)
{
    if (x->known)
        return &table->known[x->known];
    uint32_t i = (uint32_t)hash_mix((uintptr_t)x->address + x->size) & (SLOTS - 1);
    for (; table->slot[i]; i = (i + 1) & (SLOTS - 1)) {
        const Known *k = &table->known[table->slot[i]];
        if (k->address == x->address && k->size == x->size)
            break;
    }
    if (!table->slot[i]) {
        if (table->filled + 1 == SLOTS / 2)
            return NULL;
        table->slot[i] = (uint16_t)++table->filled;
        table->known[table->filled].address = x->address;
        table->known[table->filled].size = x->size;
    }
    x->known = table->slot[i];
    return &table->known[x->known];
}

/* The number of V among the values of K, or K->count. */
static uint32_t number_of(const Known *k, uint64_t v)
{
    uint32_t i = 0;
    while (i < k->count && k->value[i] != v)
        i++;
    return i;
}

/* V is not among the values that this process remembers of X, or not as one that is WRITTEN. */
static __attribute__((noinline)) void note_slowly(Location *x, uint64_t v, bool written)
{
    uint32_t decided = 0;
    lock();
    Known *k = find(x);
    if (k && !k->wide) {
        uint32_t i = number_of(k, v), bit = (uint32_t)written << (i & 31);
        if (i == k->count)
            decided = k->used & (VALUES_ALL | VALUES_NO_RETURN);
        if (i == MOST_VALUES) {
            k->wide = 1;
        } else {
            decided |= bit & ~k->written ? k->used & VALUES_WRITTEN : 0;
            k->value[i] = v;
            k->written |= bit;
            k->count = MAX(k->count, i + 1);
        }
    }
    if (!k || k->wide)
        x->returns = 1; /* values_use knows nothing of X: its writes need not be compared */
    unlock();
    int place = 0;
    while (place < x->seen_count && x->seen[place] != v)
        place++;
    if (place == COUNT_OF(x->seen))
        place = (int)(hash_mix(v) % COUNT_OF(x->seen));
    else
        x->seen_count = (uint8_t)MAX(x->seen_count, place + 1);
    x->seen[place] = v;
    x->seen_written = (uint8_t)((x->seen_written & ~(1u << place)) | (unsigned)written << place);
    if (decided)
        finding_restart();
}

static inline void note(Location *x, uint64_t v, bool written)
{
    for (int i = 0; i < x->seen_count; i++)
        if (x->seen[i] == v && (!written || x->seen_written >> i & 1))
            return;
    note_slowly(x, v, written);
}

void values_note(Location *x, uint64_t v)
{
    note(x, v, false);
}

static __attribute__((noinline)) void note_return(Location *x)
{
    lock();
    Known *k = find(x);
    bool decided = k && !k->returns && (k->used & VALUES_NO_RETURN);
    if (k)
        k->returns = 1;
    unlock();
    x->returns = 1;
    if (decided)
        finding_restart();
}

/* Effect number COUNT of thread T writes X: none so late was known to. */
static __attribute__((noinline)) void note_writer(Location *x, int t, EventIndex count)
{
    bool decided = false;
    lock();
    Known *k = find(x);
    if (k && k->last_write[t] < count) {
        decided = k->used & VALUES_WRITERS;
        k->last_write[t] = count;
    }
    unlock();
    last_write[x - locations][t] = count;
    if (decided)
        finding_restart();
}

static __attribute__((noinline)) void note_effect_slowly(int t, EventIndex count)
{
    lock();
    bool decided = table->last_effect[t] < count && table->effects_used;
    if (decided)
        count = EVENT_INDEX_MAX; /* it will not be wrong about T again */
    table->last_effect[t] = MAX(table->last_effect[t], count);
    unlock();
    last_effect[t] = count;
    if (decided)
        finding_restart();
}

/* How many of thread T's first COUNT events write or create. */
static EventIndex effects_of(int t, int count)
{
    while (count-- > 0) {
        const Event *e = thread_event(t, count);
        if (e->kind == EVENT_WRITE || e->kind == EVENT_CREATE)
            return e->effects;
    }
    return 0;
}

int values_effects(int t)
{
    return threads_created >> t & 1 ? effects_of(t, threads[t].count) : 0;
}

void values_note_effect(Event *e)
{
    e->effects = (EventIndex)(effects_of(e->thread, e->index) + 1);
    if (UNLIKELY(e->thread < FEW_THREADS && last_effect[e->thread] < e->effects))
        note_effect_slowly(e->thread, e->effects);
}

bool values_may_affect(int t, int count)
{
    if (t >= FEW_THREADS)
        return true;
    if (!__atomic_load_n(&table->effects_used, __ATOMIC_RELAXED)) {
        lock();
        table->effects_used = 1;
        unlock();
    }
    return __atomic_load_n(&table->last_effect[t], __ATOMIC_RELAXED) > count;
}

/* Is the initial value of X memory that nothing has written, so that nobody may read it? */
static bool has_no_initial(const Location *x)
{
    return in_heap(x->address) && !heap_is_zeroed(x->address) && !options.uninitialised_ignored &&
           !memory_is_used_plainly(x);
}

void values_note_write(Location *x, EventId write)
{
    values_note_effect(&pool[write]);
    uint64_t v = pool[write].value;
    int t = pool[write].thread;
    EventIndex number = t ? EVENT_INDEX_MAX : pool[write].effects; /* main does not repeat itself */
    if (UNLIKELY(t < FEW_THREADS && last_write[x - locations][t] < number))
        note_writer(x, t, number);
    note(x, v, true);
    if (x->returns)
        return;
    for (int q = has_no_initial(x) ? 1 : 0; q < x->writes; q++)
        if (x->co[q] != write && write_value(x->co[q], x) == v) {
            note_return(x);
            return;
        }
}

const uint64_t *values_use(Location *x, ValuesUse use, int *count)
{
    lock();
    Known *k = x->size <= 8 ? find(x) : NULL;
    if (k && (k->wide || (use == VALUES_NO_RETURN && k->returns)))
        k = NULL;
    if (k) {
        k->used |= use;
        *count = (int)k->count;
    }
    unlock();
    return k ? k->value : NULL;
}

uint32_t values_use_written(Location *x)
{
    lock();
    Known *k = find(x);
    k->used |= VALUES_WRITTEN;
    uint32_t written = k->written;
    unlock();
    return written;
}

bool values_use_writers(Location *x)
{
    lock();
    Known *k = graph_many_threads ? NULL : find(x);
    if (k)
        k->used |= VALUES_WRITERS;
    unlock();
    return k != NULL;
}

bool values_may_write(const Location *x, int t, int count)
{
    return __atomic_load_n(&table->known[x->known].last_write[t], __ATOMIC_RELAXED) > count;
}

bool values_count_blocked(uint64_t wanted)
{
    return __atomic_add_fetch(&table->blocked, 1, __ATOMIC_RELAXED) >= wanted;
}

bool values_knows_place(uint64_t first, uint64_t second)
{
    for (uint32_t i = 0; i < __atomic_load_n(&table->place_count, __ATOMIC_ACQUIRE); i++)
        if (table->place[i].first == first && table->place[i].second == second)
            return true;
    return false;
}

void values_learn_place(uint64_t first, uint64_t second)
{
    lock();
    uint32_t n = table->place_count;
    if (n < MOST_PLACES && !values_knows_place(first, second)) {
        table->place[n].first = first;
        table->place[n].second = second;
        __atomic_store_n(&table->place_count, n + 1, __ATOMIC_RELEASE);
    }
    unlock();
    if (n < MOST_PLACES)
        finding_restart();
}
