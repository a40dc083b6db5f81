#include "guest/states/sets.h"
#include <stdlib.h>
#include <string.h>
#include "base/hash.h"
#include "guest/explore/ops.h"

enum { OVERLAPS = 0x4000, GIVEN = 0x8000, MOST_RESULTS = 0x7fff };

typedef struct Configuration {
    uint32_t state;
    /* 0; a call + 1, with OVERLAPS if it may fail now; or GIVEN + the number of a result */
    uint16_t at[SETS_THREADS];
} Configuration;
_Static_assert(sizeof(Configuration) == 16, "compared as bytes");
typedef struct Range {
    uint32_t first, count;
} Range;

static const SetsSpec *spec;
static uint32_t threads;
static Vec(Configuration) all, work;
static Vec(Range) sets;
static HashMap by_content; /* of sets */
static HashMap taken;      /* steps of sets */
static Vec(Value) results;
static HashMap result_number;
static SetsSteps steps; /* of the specification, all of them */
static Vec(Range) lists;
static HashMap list_of;

static unsigned number_of(Value result)
{
    bool absent;
    uint64_t *at = hashmap_put(&result_number, result.word, &absent);
    if (!absent)
        return (unsigned)*at;
    if (results.count == MOST_RESULTS)
        op_unsupported("the operations have more than %d different results", MOST_RESULTS);
    *at = results.count;
    vec_push(&results, result);
    return (unsigned)results.count - 1;
}

/* The steps of the specification, remembered. */
static Range steps_of(uint32_t state, uint32_t thread, uint32_t call)
{
    bool absent;
    uint64_t key = (uint64_t)state << 24 | (uint64_t)thread << 16 | call;
    uint64_t *at = hashmap_put(&list_of, key, &absent);
    if (!absent)
        return lists.at[*at];
    *at = lists.count;
    Range list = {(uint32_t)steps.count, 0};
    vec_push(&lists, list);
    uint32_t own = (uint32_t)lists.count - 1;
    spec->step(state, thread, call, &steps);
    list.count = (uint32_t)steps.count - list.first;
    lists.at[own] = list;
    return list;
}

static int compare(const void *a, const void *b)
{
    return memcmp(a, b, sizeof(Configuration));
}

static void add(Configuration c)
{
    for (size_t i = 0; i < work.count; i++)
        if (!memcmp(&work.at[i], &c, sizeof c))
            return;
    vec_push(&work, c);
}

static inline uint32_t call_of(uint16_t field)
{
    return (field & ~(unsigned)OVERLAPS) - 1u;
}

/* The call of a thread overlaps another one: notes that it may fail, if it may. */
static void note_overlap(uint16_t *field)
{
    Value failure;
    if (*field && *field < GIVEN && spec->may_fail && spec->may_fail(call_of(*field), &failure))
        *field |= OVERLAPS;
}

static void add_failure(Configuration c, uint32_t t)
{
    Value failure;
    if (!(c.at[t] & OVERLAPS) || !spec->may_fail(call_of(c.at[t]), &failure))
        return;
    c.at[t] = (uint16_t)(GIVEN + number_of(failure));
    add(c);
}

static void close_work(void)
{
    for (size_t i = 0; i < work.count; i++) /* it grows */
        for (uint32_t t = 0; t < threads; t++) {
            uint16_t field = work.at[i].at[t];
            if (!field || field >= GIVEN)
                continue;
            add_failure(work.at[i], t);
            Range list = steps_of(work.at[i].state, t + 1, call_of(field));
            for (uint32_t k = 0; k < list.count; k++) {
                SetsStep step = steps.at[list.first + k];
                Configuration next = work.at[i];
                next.state = step.state;
                next.at[t] = (uint16_t)(GIVEN + number_of(step.result));
                add(next);
            }
        }
}

/* The number of the set whose configurations, not yet closed, stand in `work`. */
static uint32_t number_work(void)
{
    close_work();
    qsort(work.at, work.count, sizeof *work.at, compare);
    uint64_t hash = hash_bytes(work.at, work.count * sizeof *work.at, 7);
    for (;; hash++) {
        bool absent;
        uint64_t *at = hashmap_put(&by_content, hash, &absent);
        if (absent) {
            *at = sets.count;
            vec_push(&sets, (Range){(uint32_t)all.count, (uint32_t)work.count});
            for (size_t i = 0; i < work.count; i++)
                vec_push(&all, work.at[i]);
            return (uint32_t)sets.count - 1;
        }
        const Range *known = &sets.at[*at];
        if (known->count == work.count &&
            !memcmp(all.at + known->first, work.at, work.count * sizeof *work.at))
            return (uint32_t)*at;
    }
}

uint32_t sets_call(uint32_t set, uint32_t thread, uint32_t call)
{
    bool absent;
    uint64_t key = (uint64_t)set << 32 | (uint64_t)thread << 28 | call;
    uint64_t *at = hashmap_put(&taken, key, &absent);
    if (!absent)
        return (uint32_t)*at;
    Range from = sets.at[set];
    vec_clear(&work);
    for (uint32_t i = 0; i < from.count; i++) {
        Configuration c = all.at[from.first + i];
        c.at[thread - 1] = (uint16_t)(call + 1);
        for (uint32_t t = 0; t < threads; t++)
            if (t != thread - 1 && c.at[t]) {
                note_overlap(&c.at[t]);
                note_overlap(&c.at[thread - 1]);
            }
        vec_push(&work, c);
    }
    uint32_t to = number_work();
    *hashmap_find(&taken, key) = to;
    return to;
}

uint32_t sets_return(uint32_t set, uint32_t thread, uint32_t call, Value result)
{
    bool absent;
    uint64_t key = (uint64_t)set << 32 | (uint64_t)(thread + 8) << 28 |
                   (uint64_t)number_of(result) << 12 | call;
    uint64_t *at = hashmap_put(&taken, key, &absent);
    if (!absent)
        return (uint32_t)*at;
    Range from = sets.at[set];
    vec_clear(&work);
    for (uint32_t i = 0; i < from.count; i++) {
        Configuration c = all.at[from.first + i];
        unsigned field = c.at[thread - 1];
        if (field < GIVEN || !spec->fits(call, result, results.at[field - GIVEN]))
            continue;
        c.at[thread - 1] = 0;
        add(c);
    }
    uint32_t to = work.count ? number_work() : SETS_NONE;
    *hashmap_find(&taken, key) = to;
    return to;
}

bool sets_include(uint32_t large, uint32_t small)
{
    if (large == small)
        return true;
    Range a = sets.at[large], b = sets.at[small];
    uint32_t i = 0;
    for (uint32_t k = 0; k < b.count; k++, i++) {
        while (i < a.count && compare(&all.at[a.first + i], &all.at[b.first + k]) < 0)
            i++;
        if (i == a.count || compare(&all.at[a.first + i], &all.at[b.first + k]))
            return false;
    }
    return true;
}

bool sets_may_wait(uint32_t set, uint32_t thread, uint32_t call)
{
    Range from = sets.at[set];
    for (uint32_t i = 0; i < from.count; i++) {
        const Configuration *c = &all.at[from.first + i];
        uint16_t field = c->at[thread - 1];
        if (field && field < GIVEN && call_of(field) == call && spec->waits(c->state, thread, call))
            return true;
    }
    return false;
}

uint32_t sets_initial(void)
{
    vec_clear(&work);
    vec_push(&work, (Configuration){.state = spec->initial()});
    return number_work();
}

void sets_begin(const SetsSpec *wanted, uint32_t count)
{
    spec = wanted;
    threads = count;
    ASSERT(count <= SETS_THREADS);
    all.count = sets.count = results.count = steps.count = lists.count = 0;
    hashmap_clear(&by_content);
    hashmap_clear(&taken);
    hashmap_clear(&result_number);
    hashmap_clear(&list_of);
}

static uint64_t map_bytes(const HashMap *map)
{
    return map->capacity * 17;
}

uint64_t sets_bytes(void)
{
    return all.capacity * sizeof *all.at + sets.capacity * sizeof *sets.at +
           steps.capacity * sizeof *steps.at + map_bytes(&by_content) + map_bytes(&taken) +
           map_bytes(&list_of);
}
