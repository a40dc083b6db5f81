#include "guest/explore/values.h"
#include <string.h>
#include "base/hash.h"
#include "guest/explore/finding.h"
#include "guest/runtime/pages.h"

#define MOST_PLACES 256
#define SLOTS (1u << 13) /* of locations; half of them are used at most */

typedef struct Known { /* one location; every word is written once or only grows */
    char *address;
    uint32_t size;
    uint32_t count;
    uint32_t used;    /* ValuesUse bits */
    uint32_t returns; /* a value came twice */
    uint32_t wide;    /* it has too many values */
    uint64_t value[MOST_VALUES];
} Known;

typedef struct Table {
    uint32_t lock;
    uint32_t filled, place_count;
    uint64_t blocked;
    struct {
        uint64_t first, second;
    } place[MOST_PLACES];
    uint16_t slot[SLOTS]; /* 0: free, else number in known */
    Known known[SLOTS / 2];
} Table;

static Table *table;
bool values_noted;

void values_setup(void)
{
    table = pages_share(sizeof *table);
}

void values_unshare(void)
{
    table = pages_reserve(sizeof *table);
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
    for (LocationId l = 1; l <= location_count; l++)
        locations[l].seen_count = 0, locations[l].known = locations[l].returns = 0;
    memset(table->slot, 0, sizeof table->slot);
    memset(table->known, 0, sizeof table->known[0] * (table->filled + 1));
    table->filled = table->place_count = 0;
    table->blocked = 0;
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

static bool has(const Known *k, uint64_t v)
{
    for (uint32_t i = 0; i < k->count; i++)
        if (k->value[i] == v)
            return true;
    return false;
}

/* V is not among the values that this process remembers of X. */
static __attribute__((noinline)) void note_slowly(Location *x, uint64_t v)
{
    bool decided = false;
    lock();
    Known *k = find(x);
    if (k && !k->wide && !has(k, v)) {
        decided = k->used;
        if (k->count == MOST_VALUES)
            k->wide = 1;
        else
            k->value[k->count++] = v;
    }
    unlock();
    if (x->seen_count < COUNT_OF(x->seen))
        x->seen[x->seen_count++] = v;
    else
        x->seen[hash_mix(v) % COUNT_OF(x->seen)] = v;
    if (decided)
        finding_restart();
}

void values_note(Location *x, uint64_t v)
{
    for (int i = 0; i < x->seen_count; i++)
        if (x->seen[i] == v)
            return;
    note_slowly(x, v);
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

void values_note_write(Location *x, EventId write)
{
    uint64_t v = pool[write].value;
    values_note(x, v);
    if (x->returns)
        return;
    for (int q = 0; q < x->writes; q++)
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
