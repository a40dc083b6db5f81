#include "guest/explore/facts/values.h"
#include <string.h>
#include "base/hash.h"
#include "guest/explore/search/explore.h"
#include "guest/explore/memory/cells.h"
#include "guest/explore/memory/heap.h"
#include "guest/explore/memory/memory.h"
#include "guest/explore/facts/passing.h"
#include "guest/explore/facts/between.h"
#include "guest/explore/facts/values_table.h"
#include "guest/runtime/pages.h"

#define LATE_VALUES 3 /* of a location, then it is not decided about (values.h) */

/* In the graph of a location with more accesses a value that comes twice counts as VALUES_AGAIN:
 * looking who reads what would take too long, again and again. */
#define FEW_ACCESSES 128

ValuesTable *values_table;
/* This process has written these down already: by thread, by location and thread, and by location,
 * number in Location.seen and thread. */
typedef uint8_t SeenTimes[COUNT_OF(((Location *)NULL)->seen)][FEW_THREADS];
static EventIndex last_effect[FEW_THREADS], (*last_write)[FEW_THREADS];
static SeenTimes *seen_times;
ValuesMode values_mode;

void values_setup(void)
{
    values_table = pages_share(sizeof *values_table);
    last_write = pages_reserve(sizeof *last_write * MAX_LOCATIONS);
    seen_times = pages_reserve(sizeof *seen_times * MAX_LOCATIONS);
}

void values_unshare(void)
{
    values_table = pages_share(sizeof *values_table);
    passing_noted = false;
}

void values_parts(ValuesPart *to)
{
    ValuesTable *table = values_table;
    to[0] = (ValuesPart){(char *)&table->filled,
                         offsetof(ValuesTable, known) + sizeof *table->known * (table->filled + 1) -
                             offsetof(ValuesTable, filled),
                         offsetof(ValuesTable, guarded_count) - offsetof(ValuesTable, filled)};
    to[1] =
        (ValuesPart){(char *)&table->guarded_count,
                     sizeof table->guarded_count + sizeof *table->guarded * table->guarded_count,
                     sizeof *table - offsetof(ValuesTable, guarded_count)};
}

void values_keep_copy(void)
{
    ValuesTable *copy = pages_reserve(sizeof *copy);
    ValuesPart part[VALUES_PARTS];
    values_parts(part);
    for (int i = 0; i < VALUES_PARTS; i++)
        memcpy((char *)copy + (part[i].at - (char *)values_table), part[i].at, part[i].bytes);
    copy->version = values_table->version;
    values_table = copy;
}

/* Forgets what this process has written down: it will be written down again. */
void values_forget_locations(void)
{
    for (LocationId l = 1; l <= location_count; l++) {
        locations[l].seen_count = locations[l].seen_written = 0;
        locations[l].known = locations[l].returns[0] = locations[l].returns[1] = 0;
        memset(last_write[l], 0, sizeof last_write[l]);
        memset(seen_times[l], 0, sizeof seen_times[l]);
    }
    memset(last_effect, 0, sizeof last_effect);
}

void values_reset(void)
{
    ValuesPart part[VALUES_PARTS];
    values_parts(part);
    for (int i = 0; i < VALUES_PARTS; i++)
        memset(part[i].at, 0, part[i].bytes);
    values_table->version++;
    values_forget_locations();
    passing_noted = false;
}

void values_begin_pass(void)
{
    passing_begin_pass();
    for (uint32_t i = 1; i <= values_table->filled; i++) {
        Known *k = &values_table->known[i];
        k->used = k->once[VALUES_TWICE] = k->once[VALUES_AGAIN] = k->between_used = 0;
    }
    values_table->kinds_used = values_table->effects_used = 0;
    values_begin_work();
    values_ask_about_new();
}

/* The number of the location at ADDRESS, with an entry made if there is none; 0 if the table is
 * full. Call it with the lock. */
static uint16_t find_number(char *address, uint32_t size)
{
    uint32_t i = (uint32_t)hash_mix((uintptr_t)address + size) & (SLOTS - 1);
    for (; values_table->slot[i]; i = (i + 1) & (SLOTS - 1)) {
        const Known *k = &values_table->known[values_table->slot[i]];
        if (k->address == address && k->size == size)
            return values_table->slot[i];
    }
    if (values_table->filled + 1 == VALUES_LOCATIONS)
        return 0;
    values_table->slot[i] = (uint16_t)++values_table->filled;
    values_table->known[values_table->filled].address = address;
    values_table->known[values_table->filled].size = size;
    return values_table->slot[i];
}

/* The entry of X, made if there is none; NULL if the table is full. Call it with the lock. */
static Known *find(Location *x)
{
    if (!x->known)
        x->known = find_number(x->address, x->size);
    return x->known ? &values_table->known[x->known] : NULL;
}

/* V is not among the values that this process remembers of X, or not as one that is WRITTEN.
 * Returns its number there. */
static __attribute__((noinline)) int note_slowly(Location *x, uint64_t v, bool written)
{
    uint32_t i = MOST_VALUES;
    values_lock();
    Known *k = find(x);
    if (k && !k->wide) {
        i = values_find_value(k, v);
        uint32_t bit = (uint32_t)written << (i & 31);
        bool is_new = i == k->count, is_first = bit & ~k->written;
        /* this process may only have forgotten it: then nothing that is remembered is outdated */
        values_table->version += is_new || is_first;
        k->late += is_new && values_grows(k->used & VALUES_ALL);
        if (i == MOST_VALUES || k->late > LATE_VALUES) {
            k->wide = 1;
        } else {
            if (is_first)
                values_grows(k->used & VALUES_WRITTEN);
            k->value[i] = v;
            k->written |= bit;
            k->count = MAX(k->count, i + 1);
        }
    }
    bool unknown = !k || k->wide; /* its writes need not be compared */
    unsigned returns[2] = {unknown || k->returns[0] >> i & 1, unknown || k->returns[1] >> i & 1};
    values_unlock();
    int place = 0;
    while (place < x->seen_count && x->seen[place] != v)
        place++;
    if (place == COUNT_OF(x->seen))
        place = (int)(hash_mix(v) % COUNT_OF(x->seen));
    else
        x->seen_count = (uint8_t)MAX(x->seen_count, place + 1);
    if (x->seen[place] != v)
        memset(seen_times[x - locations][place], 0, sizeof seen_times[0][0]);
    x->seen[place] = v;
    x->seen_written = (uint8_t)((x->seen_written & ~(1u << place)) | (unsigned)written << place);
    for (int how = VALUES_TWICE; how <= VALUES_AGAIN; how++)
        x->returns[how] = (uint8_t)((x->returns[how] & ~(1u << place)) | returns[how] << place);
    return place;
}

/* Returns the number of V in X->seen. */
static inline int note(Location *x, uint64_t v, bool written)
{
    for (int i = 0; i < x->seen_count; i++)
        if (x->seen[i] == v && (!written || x->seen_written >> i & 1))
            return i;
    return note_slowly(x, v, written);
}

void values_note(Location *x, uint64_t v)
{
    note(x, v, false);
}

void values_expect_returns(Known *k)
{
    k->returns[VALUES_TWICE] = k->returns[VALUES_AGAIN] = UINT32_MAX;
    memset(k->between, UINT8_MAX, sizeof k->between);
}

/* Value number SEEN of X->seen has returned. */
static __attribute__((noinline)) void note_return(Location *x, int seen, ValuesReturn how)
{
    values_lock();
    Known *k = find(x);
    uint32_t i = k && !k->wide ? values_find_value(k, x->seen[seen]) : MOST_VALUES;
    uint32_t bit = i < MOST_VALUES ? UINT32_C(1) << i : 0;
    if (k && bit & ~k->returns[how]) {
        if (values_grows(bit & k->once[how]))
            values_expect_returns(k);
        k->returns[how] |= bit;
    }
    x->returns[how] = (uint8_t)(x->returns[how] | 1u << seen);
    values_unlock();
}

/* The threads that are like T, and T: what one of them writes in a graph others write in its
 * copies, which may not be explored. */
static ThreadSet group_of(int t)
{
    ThreadSet group = thread_bit(t);
    for (int s = 1, first = graph_leader(t); first >= 0 && s < FEW_THREADS; s++)
        if (graph_leader(s) == first)
            group |= thread_bit(s);
    return group;
}

/* Effect number COUNT of thread T writes X: none so late was known to. */
static __attribute__((noinline)) void note_writer(Location *x, int t, EventIndex count)
{
    values_lock();
    Known *k = find(x);
    if (k && k->last_write[t] < count) {
        bool any = values_grows(k->used & VALUES_WRITERS);
        ThreadSet writers = any ? thread_bit(FEW_THREADS) - 1 : group_of(t);
        count = any ? EVENT_INDEX_MAX : count;
        for (ThreadSet left = writers; left; left &= left - 1)
            k->last_write[thread_first(left)] = MAX(k->last_write[thread_first(left)], count);
    }
    last_write[x - locations][t] = count;
    values_unlock();
}

/* Takes all values of K that threads other than main have written to come at any time: a decision
 * was wrong about one of them. Who writes a value that others write, as those do who help, mostly
 * writes the others, too. */
static void expect_all(Known *k)
{
    static const uint8_t none[FEW_THREADS];
    for (uint32_t i = 0; i < k->count; i++)
        if (memcmp(k->times[i] + 1, none + 1, sizeof none - 1) != 0)
            memset(k->times[i], UINT8_MAX, sizeof k->times[i]);
}

/* Thread T writes V to X, as it has done TIMES - 1 times before. */
static void note_times(Location *x, uint64_t v, int t, uint8_t times)
{
    values_lock();
    Known *k = find(x);
    uint32_t i = k && !k->wide ? values_find_value(k, v) : MOST_VALUES;
    if (i < MOST_VALUES && i < k->count && k->times[i][t] < times) {
        bool late = values_grows(k->used & VALUES_COMING);
        k->times[i][t] = times;
        if (late)
            memset(k->times, UINT8_MAX, sizeof k->times);
        else if (k->used & VALUES_COMING)
            expect_all(k);
        values_table->version++;
    }
    values_unlock();
}

/* W, which has been put into X's coherence order, brings value number SEEN of X->seen. */
static __attribute__((noinline)) void note_closely(Location *x, const Event *w, int seen)
{
    int times = 1;
    for (int q = 1; q < x->writes; q++) {
        const Event *z = &pool[x->co[q]];
        times += z->thread == w->thread && z->index < w->index && z->value == w->value;
    }
    uint8_t *known = &seen_times[x - locations][seen][w->thread];
    if (UNLIKELY(*known < times)) {
        *known = (uint8_t)MIN(times, UINT8_MAX);
        note_times(x, w->value, w->thread, *known);
    }
    if (passing_noted)
        passing_note(w);
}

static __attribute__((noinline)) void note_effect_slowly(int t, EventIndex count)
{
    bool used = false;
    values_lock();
    if (values_table->last_effect[t] < count) {
        used = values_table->effects_used >> t & 1;
        values_grows(used);
    }
    last_effect[t] = used ? EVENT_INDEX_MAX : count; /* it will not be wrong about T again */
    values_table->last_effect[t] = MAX(values_table->last_effect[t], last_effect[t]);
    values_unlock();
}

EventIndex values_effects_among(int t, int count)
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
    return threads_created >> t & 1 ? values_effects_among(t, threads[t].count) : 0;
}

void values_note_effect(Event *e)
{
    DEBUG_ASSERT(e->kind == EVENT_WRITE || e->kind == EVENT_CREATE);
    e->effects = (EventIndex)(values_effects_among(e->thread, e->index) + 1);
    if (UNLIKELY(e->thread < FEW_THREADS && last_effect[e->thread] < e->effects))
        note_effect_slowly(e->thread, e->effects);
}

bool values_may_affect(int t, int count)
{
    if (t >= FEW_THREADS ||
        __atomic_load_n(&values_table->last_effect[t], __ATOMIC_RELAXED) > count)
        return true; /* and that stays so: nothing rests on it */
    values_uses(&values_table->effects_used, UINT32_C(1) << t);
    return __atomic_load_n(&values_table->last_effect[t], __ATOMIC_RELAXED) > count;
}

/* Are all reads of X atomic, so that memory which nothing has written is read by none of them
 * (memory_check_initialised)? */
static bool has_atomic_reads(const Location *x)
{
    for (int j = 0; j < x->reads; j++)
        if (pool[x->read[j]].plain)
            return false;
    return true;
}

int values_first(const Location *x)
{
    return in_heap(x->address) && !heap_is_zeroed(x->address) && !options.uninitialised_ignored &&
           !memory_is_used_plainly(x) && has_atomic_reads(x);
}

/* Does a read that is no RMW's read WRITE? */
static bool is_read(const Location *x, EventId write)
{
    for (int j = 0; j < x->reads; j++)
        if (pool[x->read[j]].rf == write && !pool[x->read[j]].rmw)
            return true;
    return false;
}

/* WRITE, which has been put into X's coherence order, brings value number SEEN of X->seen: how does
 * that return? */
static void note_returns(Location *x, EventId write, int seen)
{
    for (int q = values_first(x); q < x->writes; q++) {
        if (x->co[q] == write || write_value(x->co[q], x) != pool[write].value)
            continue;
        if (!(x->returns[VALUES_TWICE] >> seen & 1))
            note_return(x, seen, VALUES_TWICE);
        if (x->writes + x->reads > FEW_ACCESSES || (q < pool[write].co && is_read(x, x->co[q]))) {
            note_return(x, seen, VALUES_AGAIN);
            return;
        }
    }
}

void values_note_write(Location *x, EventId write)
{
    DEBUG_ASSERT(pool[write].kind == EVENT_WRITE && x->co[pool[write].co] == write);
    values_note_effect(&pool[write]);
    uint64_t v = pool[write].value;
    int t = pool[write].thread;
    EventIndex number = t ? EVENT_INDEX_MAX : pool[write].effects; /* main does not repeat itself */
    if (UNLIKELY(t < FEW_THREADS && last_write[x - locations][t] < number))
        note_writer(x, t, number);
    int seen = note(x, v, true);
    if (UNLIKELY(values_mode.closely && t < FEW_THREADS))
        note_closely(x, &pool[write], seen);
    if (!((x->returns[VALUES_TWICE] & x->returns[VALUES_AGAIN]) >> seen & 1))
        note_returns(x, write, seen);
    if (UNLIKELY(values_mode.closely && values_table->known[x->known].returns[VALUES_TWICE]))
        between_note(x, &pool[write]);
}

/* The entry of X if a decision has said before that it rests on USE, else NULL: this needs no lock,
 * as in values_uses. */
static inline Known *find_used(const Location *x, uint32_t use)
{
    Known *k = x->known ? &values_table->known[x->known] : NULL;
    return k && (__atomic_load_n(&k->used, __ATOMIC_ACQUIRE) & use) == use ? k : NULL;
}

/* The values of K for a decision that rests on USE, or NULL; call it with the lock, or if that was
 * said before (find_used). */
static const uint64_t *use_entry(Known *k, ValuesUse use, int *count)
{
    if (!k || k->wide)
        return NULL;
    if (use & ~k->used)
        k->used |= use;
    *count = (int)k->count;
    return k->count ? k->value : NULL;
}

const uint64_t *values_use(Location *x, ValuesUse use, int *count)
{
    Known *used = x->size <= 8 ? find_used(x, use) : NULL;
    if (LIKELY(used))
        return use_entry(used, use, count);
    values_lock();
    const uint64_t *values = use_entry(x->size <= 8 ? find(x) : NULL, use, count);
    values_unlock();
    return values;
}

bool values_use_once(Location *x, uint64_t v, ValuesReturn how)
{
    Known *k = &values_table->known[x->known];
    uint32_t i = x->known ? values_find_value(k, v) : MOST_VALUES;
    if (i >= MOST_VALUES || i == k->count)
        return false;
    values_uses(&k->once[how], UINT32_C(1) << i);
    return !(__atomic_load_n(&k->returns[how], __ATOMIC_RELAXED) >> i & 1);
}

const uint64_t *values_use_at(char *address, unsigned size, int *count)
{
    values_lock();
    uint16_t number = size <= 8 ? find_number(address, size) : 0;
    const uint64_t *values =
        use_entry(number ? &values_table->known[number] : NULL, VALUES_ALL, count);
    values_unlock();
    return values;
}

Known *values_entry_at(char *address, uint32_t size)
{
    DEBUG_ASSERT(values_table->lock);
    uint16_t number = find_number(address, size);
    return number ? &values_table->known[number] : NULL;
}

uint32_t values_number(Location *x, uint64_t v)
{
    values_lock();
    const Known *k = find(x);
    uint32_t number = k && !k->wide ? values_find_value(k, v) : MOST_VALUES;
    values_unlock();
    return number;
}

uint32_t values_version(void)
{
    return __atomic_load_n(&values_table->version, __ATOMIC_RELAXED);
}

/* How often thread T writes V to X in PREFIX. */
static int times_before(const Location *x, uint64_t v, int t, const Clock *prefix)
{
    int times = 0;
    for (int q = 1; q < x->writes; q++) {
        const Event *z = &pool[x->co[q]];
        times += z->thread == t && z->value == v && before(z, prefix);
    }
    return times;
}

/* Does a thread other than READER write value number I of K, which is that of X, more often than in
 * PREFIX? Most threads never do: they are passed over by eights. */
static bool is_coming(const Location *x, const Known *k, uint32_t i, int reader,
                      const Clock *prefix)
{
    uint64_t eight;
    for (int from = 0; from < graphs.threads_used; from += (int)sizeof eight) {
        memcpy(&eight, k->times[i] + from, sizeof eight);
        while (eight) {
            int byte = __builtin_ctzll(eight) / 8, t = from + byte;
            eight &= ~(UINT64_C(255) << 8 * byte);
            if (t != reader && t < graphs.threads_used &&
                (k->times[i][t] == UINT8_MAX ||
                 k->times[i][t] > times_before(x, k->value[i], t, prefix)))
                return true;
        }
    }
    return false;
}

bool values_use_coming(Location *x, int reader, const Clock *prefix, uint32_t *coming)
{
    DEBUG_ASSERT(values_mode.closely && reader >= 0);
    bool possible = x->size <= 8 && !facts_met[FACT_many_threads];
    Known *k = possible ? find_used(x, VALUES_COMING) : NULL;
    if (!k) {
        values_lock();
        k = possible ? find(x) : NULL;
        if (k && !k->wide)
            k->used |= VALUES_COMING;
        values_unlock();
    }
    if (k && k->wide)
        k = NULL;
    *coming = 0;
    for (uint32_t i = 0; k && i < k->count; i++)
        if (is_coming(x, k, i, reader, prefix))
            *coming |= UINT32_C(1) << i;
    return k != NULL;
}

void values_note_kind(ValuesKind kind)
{
    values_lock();
    if (kind & ~values_table->kinds)
        values_grows(kind & values_table->kinds_used);
    values_table->kinds |= kind;
    values_unlock();
}

bool values_use_absent(ValuesKind kind)
{
    if (__atomic_load_n(&values_table->kinds, __ATOMIC_RELAXED) & kind)
        return false; /* and that stays so: nothing rests on it */
    values_uses(&values_table->kinds_used, kind);
    return !(__atomic_load_n(&values_table->kinds, __ATOMIC_RELAXED) & kind);
}

uint32_t values_locations(void)
{
    return __atomic_load_n(&values_table->filled, __ATOMIC_RELAXED);
}

char *values_location(uint32_t number, uint32_t *size)
{
    DEBUG_ASSERT(number && number <= values_locations());
    *size = values_table->known[number].size;
    return values_table->known[number].address;
}

uint32_t values_use_written(Location *x)
{
    values_lock();
    Known *k = find(x);
    k->used |= VALUES_WRITTEN;
    uint32_t written = k->written;
    values_unlock();
    return written;
}

bool values_use_writers(Location *x)
{
    values_lock();
    Known *k = facts_met[FACT_many_threads] ? NULL : find(x);
    if (k)
        k->used |= VALUES_WRITERS;
    values_unlock();
    return k != NULL;
}

bool values_may_write(const Location *x, int t, int count)
{
    return __atomic_load_n(&values_table->known[x->known].last_write[t], __ATOMIC_RELAXED) > count;
}

bool values_count_blocked(uint64_t wanted)
{
    return __atomic_add_fetch(&values_table->blocked, 1, __ATOMIC_RELAXED) >= wanted;
}
