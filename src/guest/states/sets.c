#include "guest/states/sets.h"
#include <stdlib.h>
#include <string.h>
#include "base/hash.h"
#include "guest/explore/search/ops.h"
#include "guest/states/configuration.h"
#include "guest/states/symmetry.h"

enum { ENDED = 0x2000, OVERLAPS = 0x4000, GIVEN = 0x8000, DONE = 0xffff, MOST_RESULTS = 0x7fff };

/* The calls of a thread stand in `depth` places of a configuration: 0; a call + 1, or ENDED + the
 * number of a call and its result, both with OVERLAPS if it may fail now; once it is performed
 * GIVEN + the number of a result, or DONE if that is known to fit. Where calls are `ordered`, those
 * of other places that must be performed before follow as bits (`behind`): none that are already.
 */

typedef struct Ended {
    uint32_t call, result; /* `results` has it */
} Ended;
typedef struct Range {
    uint32_t first, count;
} Range;
typedef struct Set {
    Range range;   /* of `all` */
    uint32_t hash; /* of its content */
    uint32_t has;  /* a bit for each configuration, chosen by its hash: a set with another bit does
                      not include it */
} Set;
/* Steps of sets that were taken before, by open addressing: there are many, and a HashMap would
 * take half as much again. */
typedef struct Taken {
    uint32_t set, step; /* a step is never 0: the place is free */
    uint32_t to;
} Taken;
typedef struct TakenTable {
    Taken *at;
    uint32_t capacity, count; /* capacity: 0 or a power of two */
} TakenTable;

static const SetsSpec *spec;
static uint32_t threads, depth;
/* The numbers of configurations of a set that is made, each once: `in_work` has the present
 * `work_round` for these. */
static Vec(uint32_t) work, in_work, found;
static uint32_t work_round;
/* Sets, results and ends of calls that have a number; steps that were taken before. */
typedef struct SetsKnown {
    bool ordered;       /* calls come behind others (sets_call_behind) */
    Vec(uint32_t) all;  /* numbers of configurations of all sets, those of a set in their order */
    Vec(uint32_t) next; /* what configurations become when a call is performed */
    Vec(Range) next_of; /* of `next`, by configuration; count UINT32_MAX: not known yet */
    Vec(Set) sets;
    uint32_t *by_content; /* numbers of sets + 1, by open addressing; `slots` of them, or 0 */
    uint32_t slots;
    TakenTable taken; /* steps of sets */
    Vec(Value) results;
    HashMap result_number;
    Vec(Ended) ended;
    HashMap ended_number;
    TakenTable ended_taken; /* steps of sets in which calls end or are over */
    SetsSteps steps;        /* of the specification, all of them */
    Vec(Range) lists;
    HashMap list_of;
} SetsKnown;
static SetsKnown known;
/* Whether a set includes another one: the last answers, by both. (No set is asked about itself, so
 * that a free place is no answer.) */
typedef struct Included {
    uint32_t large;
    uint32_t small : 31, is_so : 1;
} Included;
static Included included[1 << 12];

static unsigned number_of(Value result)
{
    const uint64_t *known_as = hashmap_find(&known.result_number, result.word);
    if (known_as)
        return (unsigned)*known_as;
    if (known.results.count == MOST_RESULTS) /* (the search goes on, and may ask again) */
        op_unsupported("the operations have more than %d different results", MOST_RESULTS);
    bool absent;
    *hashmap_put(&known.result_number, result.word, &absent) = known.results.count;
    vec_push(&known.results, result);
    return (unsigned)known.results.count - 1;
}

/* The steps of the specification, remembered. */
static Range own_steps_of(uint32_t state, uint32_t thread, uint32_t call)
{
    bool absent;
    uint64_t key = (uint64_t)state << 24 | (uint64_t)thread << 16 | call;
    uint64_t *at = hashmap_put(&known.list_of, key, &absent);
    if (!absent)
        return known.lists.at[*at];
    *at = known.lists.count;
    Range list = {(uint32_t)known.steps.count, 0};
    vec_push(&known.lists, list);
    uint32_t own = (uint32_t)known.lists.count - 1;
    spec->step(state, thread, call, &known.steps);
    list.count = (uint32_t)known.steps.count - list.first;
    known.lists.at[own] = list;
    return list;
}

/* The same. Where threads are interchangeable, those of the first thread stand for all, if they are
 * the same. */
static Range steps_of(uint32_t state, uint32_t thread, uint32_t call)
{
    Range own = own_steps_of(state, thread, call);
    if (!symmetry_used || thread == 1)
        return own;
    Range first = own_steps_of(state, 1, call);
    bool same = own.count == first.count;
    for (uint32_t i = 0; i < own.count && same; i++) {
        const SetsStep *a = &known.steps.at[own.first + i], *b = &known.steps.at[first.first + i];
        same = a->state == b->state && value_equal(a->result, b->result);
    }
    if (!same || spec->waits(state, thread, call) != spec->waits(state, 1, call))
        symmetry_refuse();
    return first;
}

static void begin_work(void)
{
    vec_clear(&work);
    if (!++work_round) { /* it has gone round: nothing in it may look like the present one */
        in_work.count = 0;
        work_round = 1;
    }
}

static void add(uint32_t number)
{
    while (in_work.count <= number)
        vec_push(&in_work, 0);
    if (in_work.at[number] == work_round)
        return;
    in_work.at[number] = work_round;
    vec_push(&work, number);
}

static inline uint32_t call_of(uint16_t field)
{
    return field & ENDED ? known.ended.at[field & (ENDED - 1)].call : (field & (ENDED - 1u)) - 1u;
}

static uint16_t end_of(uint32_t call, Value result)
{
    bool absent;
    uint32_t number = number_of(result);
    uint64_t *at = hashmap_put(&known.ended_number, (uint64_t)call << 32 | number, &absent);
    if (absent) {
        *at = known.ended.count;
        vec_push(&known.ended, (Ended){call, number});
    }
    if (*at >= ENDED)
        op_unsupported("the operations have more than %d different results", ENDED);
    return (uint16_t)(ENDED + *at);
}

/* Returns what FIELD, a call that is not performed yet, becomes when it is and gives RESULT; 0: the
 * call has ended with another result. */
static uint16_t performed(uint16_t field, Value result)
{
    if (!(field & ENDED))
        return (uint16_t)(GIVEN + number_of(result));
    Ended end = known.ended.at[field & (ENDED - 1)];
    return spec->fits(end.call, known.results.at[end.result], result) ? DONE : 0;
}

/* The call of a thread overlaps another one: notes that it may fail, if it may. */
static void note_overlap(uint16_t *field)
{
    Value failure;
    if (*field && *field < GIVEN && spec->may_fail && spec->may_fail(call_of(*field), &failure))
        *field |= OVERLAPS;
}

static inline uint16_t *behind(Configuration *c, uint32_t slot)
{
    return &c->at[threads * depth + slot];
}

/* The call at SLOT is performed: those that had to wait for it need not. */
static void let_go(Configuration *c, uint32_t slot)
{
    for (uint32_t i = 0; i < threads * depth && known.ordered; i++)
        *behind(c, i) &= (uint16_t) ~(1u << slot);
}

static void add_failure(Configuration c, uint32_t slot)
{
    Value failure;
    if (!(c.at[slot] & OVERLAPS) || !spec->may_fail(call_of(c.at[slot]), &failure))
        return;
    let_go(&c, slot);
    if ((c.at[slot] = performed(c.at[slot], failure)))
        vec_push(&found, configuration_number(&c));
}

/* The place of the oldest call of thread T (from 0 on) that is not performed; -1: there is none. */
static int next_of(const Configuration *c, uint32_t t)
{
    for (uint32_t slot = t * depth; slot < (t + 1) * depth && c->at[slot]; slot++)
        if (c->at[slot] < GIVEN)
            return (int)slot;
    return -1;
}

/* Puts into `found` what configuration C becomes when one of its calls is performed. */
static void find_next(const Configuration *c)
{
    vec_clear(&found);
    for (uint32_t t = 0; t < threads; t++) {
        int slot = next_of(c, t);
        if (slot < 0 || (known.ordered && *behind((Configuration *)(uintptr_t)c, (uint32_t)slot)))
            continue;
        uint16_t field = c->at[slot];
        add_failure(*c, (uint32_t)slot);
        Range list = steps_of(c->state, t + 1, call_of(field));
        for (uint32_t k = 0; k < list.count; k++) {
            SetsStep step = known.steps.at[list.first + k];
            Configuration next = *c;
            next.state = step.state;
            let_go(&next, (uint32_t)slot);
            if ((next.at[slot] = performed(field, step.result)))
                vec_push(&found, configuration_number(&next));
        }
    }
}

/* Returns what the configuration with NUMBER becomes when a call is performed, as a range of
 * known.next; it is worked out once. */
static Range next_configurations(uint32_t number)
{
    while (known.next_of.count <= number)
        vec_push(&known.next_of, (Range){0, UINT32_MAX});
    if (known.next_of.at[number].count != UINT32_MAX)
        return known.next_of.at[number];
    Configuration c = configuration_at(number);
    find_next(&c);
    Range range = {(uint32_t)known.next.count, (uint32_t)found.count};
    for (size_t i = 0; i < found.count; i++)
        vec_push(&known.next, found.at[i]);
    return known.next_of.at[number] = range;
}

static void close_work(void)
{
    for (size_t i = 0; i < work.count; i++) { /* it grows */
        Range next = next_configurations(work.at[i]);
        for (uint32_t k = 0; k < next.count; k++)
            add(known.next.at[next.first + k]);
    }
}

static int compare(const void *a, const void *b)
{
    const uint32_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

/* Sorts `work`: most sets are small. */
static void sort_work(void)
{
    enum { FEW = 32 };
    if (work.count > FEW) {
        qsort(work.at, work.count, sizeof *work.at, compare);
        return;
    }
    for (size_t i = 1; i < work.count; i++) {
        uint32_t moved = work.at[i];
        size_t k = i;
        for (; k && work.at[k - 1] > moved; k--)
            work.at[k] = work.at[k - 1];
        work.at[k] = moved;
    }
}

/* Enters set NUMBER into by_content, in which it is not. */
static void enter_set(uint32_t number)
{
    uint32_t slot = known.sets.at[number].hash & (known.slots - 1);
    while (known.by_content[slot])
        slot = (slot + 1) & (known.slots - 1);
    known.by_content[slot] = number + 1;
}

static void enlarge_by_content(void)
{
    free(known.by_content);
    known.slots = known.slots ? known.slots * 2 : 64;
    known.by_content = calloc(known.slots, sizeof *known.by_content);
    for (uint32_t i = 0; i < known.sets.count; i++)
        enter_set(i);
}

static uint32_t bits_of_work(void)
{
    uint32_t bits = 0;
    for (size_t i = 0; i < work.count; i++)
        bits |= UINT32_C(1) << hash_mix(work.at[i]) % 32;
    return bits;
}

/* The number of the set whose configurations, not yet closed, stand in `work`. */
static uint32_t number_work(void)
{
    close_work();
    sort_work();
    uint32_t hash = (uint32_t)hash_bytes(work.at, work.count * sizeof *work.at, 7);
    if (known.sets.count * 4 >= (size_t)known.slots * 3)
        enlarge_by_content();
    for (uint32_t slot = hash & (known.slots - 1); known.by_content[slot];
         slot = (slot + 1) & (known.slots - 1)) {
        const Set *other = &known.sets.at[known.by_content[slot] - 1];
        if (other->hash == hash && other->range.count == work.count &&
            !memcmp(known.all.at + other->range.first, work.at, work.count * sizeof *work.at))
            return known.by_content[slot] - 1;
    }
    Range range = {(uint32_t)known.all.count, (uint32_t)work.count};
    vec_push(&known.sets, (Set){range, hash, bits_of_work()});
    for (size_t i = 0; i < work.count; i++)
        vec_push(&known.all, work.at[i]);
    enter_set((uint32_t)known.sets.count - 1);
    return (uint32_t)known.sets.count - 1;
}

/* The first place of thread T (from 0 on) without a call. */
static uint32_t free_slot(const Configuration *c, uint32_t t)
{
    uint32_t slot = t * depth;
    while (slot < (t + 1) * depth && c->at[slot])
        slot++;
    return slot;
}

/* ---- steps of sets ---- */

/* The place of a step in TABLE, or the free one where it belongs. */
static Taken *taken_place(const TakenTable *table, uint32_t set, uint32_t step)
{
    uint32_t i = (uint32_t)hash_mix((uint64_t)set << 32 | step) & (table->capacity - 1);
    while (table->at[i].step && (table->at[i].set != set || table->at[i].step != step))
        i = (i + 1) & (table->capacity - 1);
    return &table->at[i];
}

static void enlarge_taken(TakenTable *table)
{
    TakenTable old = *table;
    table->capacity = old.capacity ? old.capacity * 2 : 64;
    table->at = calloc(table->capacity, sizeof *table->at);
    for (uint32_t i = 0; i < old.capacity; i++)
        if (old.at[i].step)
            *taken_place(table, old.at[i].set, old.at[i].step) = old.at[i];
    free(old.at);
}

static void note_taken(TakenTable *table, Taken step)
{
    if (table->count * 4 >= table->capacity * 3)
        enlarge_taken(table);
    *taken_place(table, step.set, step.step) = step;
    table->count++;
}

static void forget_taken(TakenTable *table)
{
    free(table->at);
    *table = (TakenTable){0};
}

/* A step of all configurations of a set. */
typedef struct SetStep {
    uint32_t thread, call;
    Value result;
    uint16_t end;    /* end_of(call, result) */
    uint16_t behind; /* places of calls that the one which begins comes behind */
} SetStep;

/* The set that SET becomes when CHANGE makes of each of its configurations another one, or returns
 * false: then it is no explanation any more. Remembered in TAKEN under KEY. */
static uint32_t change_all(TakenTable *taken, uint32_t key, uint32_t set,
                           bool (*change)(Configuration *c, const SetStep *step),
                           const SetStep *step)
{
    const Taken *before = taken->count ? taken_place(taken, set, key) : NULL;
    if (before && before->step)
        return before->to;
    Range from = known.sets.at[set].range;
    begin_work();
    for (uint32_t i = 0; i < from.count; i++) {
        Configuration c = configuration_at(known.all.at[from.first + i]);
        if (change(&c, step))
            add(configuration_number(&c));
    }
    uint32_t to = work.count ? number_work() : SETS_NONE;
    note_taken(taken, (Taken){set, key, to});
    return to;
}

static bool begin_call(Configuration *c, const SetStep *step)
{
    uint32_t own = free_slot(c, step->thread - 1);
    c->at[own] = (uint16_t)(step->call + 1);
    for (uint32_t slot = 0; slot < threads * depth; slot++) {
        bool comes_before = step->behind >> slot & 1;
        if (slot / depth != step->thread - 1 && c->at[slot] && !comes_before) {
            note_overlap(&c->at[slot]);
            note_overlap(&c->at[own]);
        }
        if (comes_before && c->at[slot] < GIVEN)
            *behind(c, own) |= (uint16_t)(1u << slot);
    }
    return true;
}

uint32_t sets_call(uint32_t set, uint32_t thread, uint32_t call)
{
    DEBUG_ASSERT(set < sets_count());
    ASSERT(call < ENDED - 1);
    SetStep step = {.thread = thread, .call = call};
    return change_all(&known.taken, thread << 28 | call, set, begin_call, &step);
}

uint32_t sets_call_behind(uint32_t set, uint32_t thread, uint32_t call, const uint8_t *seen)
{
    SetStep step = {.thread = thread, .call = call};
    ASSERT(known.ordered && call < 1 << 12);
    for (uint32_t t = 1; t <= threads; t++)
        step.behind |= (uint16_t)(((1u << seen[t]) - 1) << (t - 1) * depth);
    uint32_t key = thread << 28 | (uint32_t)step.behind << 12 | call;
    return change_all(&known.taken, key, set, begin_call, &step);
}

static bool return_call(Configuration *c, const SetStep *step)
{
    uint16_t *field = &c->at[(step->thread - 1) * depth];
    if (*field < GIVEN || !spec->fits(step->call, step->result, known.results.at[*field - GIVEN]))
        return false;
    *field = 0;
    return true;
}

uint32_t sets_return(uint32_t set, uint32_t thread, uint32_t call, Value result)
{
    SetStep step = {.thread = thread, .call = call, .result = result};
    uint32_t key = (thread + 8) << 28 | number_of(result) << 12 | call;
    return change_all(&known.taken, key, set, return_call, &step);
}

static bool end_newest(Configuration *c, const SetStep *step)
{
    uint16_t *field = &c->at[free_slot(c, step->thread - 1) - 1];
    if (*field < GIVEN)
        *field = (uint16_t)(step->end | (*field & OVERLAPS));
    else if (spec->fits(step->call, step->result, known.results.at[*field - GIVEN]))
        *field = DONE;
    else
        return false;
    return true;
}

uint32_t sets_end(uint32_t set, uint32_t thread, uint32_t call, Value result)
{
    SetStep step = {thread, call, result, end_of(call, result), 0};
    return change_all(&known.ended_taken, thread << 28 | step.end, set, end_newest, &step);
}

static bool leave_oldest(Configuration *c, const SetStep *step)
{
    uint32_t slot = (step->thread - 1) * depth;
    uint16_t *first = &c->at[slot];
    if (*first < GIVEN)
        return false;
    memmove(first, first + 1, sizeof *first * (depth - 1));
    first[depth - 1] = 0;
    if (!known.ordered)
        return true;
    first = behind(c, slot);
    memmove(first, first + 1, sizeof *first * (depth - 1));
    first[depth - 1] = 0;
    uint32_t own = ((1u << depth) - 1) << slot; /* (nothing waits for the first of them) */
    for (uint32_t i = 0; i < threads * depth; i++)
        *behind(c, i) = (uint16_t)((*behind(c, i) & ~own) | (*behind(c, i) & own) >> 1);
    return true;
}

uint32_t sets_leave(uint32_t set, uint32_t thread)
{
    SetStep step = {.thread = thread};
    return change_all(&known.ended_taken, (thread + 8) << 28, set, leave_oldest, &step);
}

static bool turn_calls(Configuration *c, const SetStep *step)
{
    Configuration from = *c;
    for (uint32_t t = 1; t <= threads; t++)
        memcpy(&c->at[(turn_slot((uint8_t)step->call, t) - 1) * depth], &from.at[(t - 1) * depth],
               sizeof *c->at * depth);
    return true;
}

uint32_t sets_turn(uint32_t set, uint8_t turn)
{
    SetStep step = {.call = turn};
    if (!turn || set == SETS_NONE)
        return set;
    return change_all(&known.taken, UINT32_C(15) << 28 | turn, set, turn_calls, &step);
}

static bool includes(uint32_t large, uint32_t small)
{
    Range a = known.sets.at[large].range, b = known.sets.at[small].range;
    const uint32_t *all = known.all.at + a.first, *wanted = known.all.at + b.first;
    uint32_t i = 0;
    for (uint32_t k = 0; k < b.count; k++, i++) {
        while (i < a.count && all[i] < wanted[k])
            i++;
        if (i == a.count || all[i] != wanted[k])
            return false;
    }
    return true;
}

bool sets_include(uint32_t large, uint32_t small)
{
    DEBUG_ASSERT(large < sets_count() && small < sets_count());
    if (large == small)
        return true;
    if (known.sets.at[small].has & ~known.sets.at[large].has)
        return false;
    Included *last = &included[hash_combine(large, small) % COUNT_OF(included)];
    if (last->large != large || last->small != small)
        *last = (Included){large, small & INT32_MAX, includes(large, small)};
    return last->is_so;
}

/* Has each call of C that has ended been performed, and no other one? */
static bool only_ended_count(const Configuration *c)
{
    bool counts = true;
    for (uint32_t slot = 0; slot < threads * depth; slot++)
        counts &= c->at[slot] < GIVEN ? !(c->at[slot] & ENDED) : c->at[slot] == DONE;
    return counts;
}

bool sets_may_wait(uint32_t set, uint32_t thread, uint32_t call)
{
    Range from = known.sets.at[set].range;
    for (uint32_t i = 0; i < from.count; i++) {
        Configuration c = configuration_at(known.all.at[from.first + i]);
        uint32_t end = free_slot(&c, thread - 1);
        uint16_t field = end > (thread - 1) * depth ? c.at[end - 1] : 0;
        if (field && only_ended_count(&c) && call_of(field) == call &&
            spec->waits(c.state, symmetry_used ? 1 : thread, call))
            return true;
    }
    return false;
}

uint32_t sets_initial(void)
{
    begin_work();
    add(configuration_number(&(Configuration){.state = spec->initial()}));
    return number_work();
}

void sets_begin(const SetsSpec *wanted, uint32_t count, uint32_t deep, bool by_order)
{
    spec = wanted;
    threads = count;
    depth = deep;
    known.ordered = by_order;
    ASSERT(count <= SETS_THREADS && count * deep <= SETS_SLOTS);
    configuration_begin(count * deep * (known.ordered ? 2 : 1));
    known.ended.count = 0;
    hashmap_clear(&known.ended_number);
    forget_taken(&known.ended_taken);
    known.all.count = known.sets.count = known.results.count = known.steps.count =
        known.lists.count = known.next.count = known.next_of.count = 0;
    free(known.by_content);
    known.by_content = NULL;
    known.slots = 0;
    forget_taken(&known.taken);
    memset(included, 0, sizeof included);
    hashmap_clear(&known.result_number);
    hashmap_clear(&known.list_of);
}

bool sets_are_full(void)
{
    return known.results.count == MOST_RESULTS;
}

uint32_t sets_count(void)
{
    return (uint32_t)known.sets.count;
}

static uint64_t map_bytes(const HashMap *map)
{
    return map->capacity * 17;
}

uint64_t sets_bytes(void)
{
    return known.all.capacity * sizeof *known.all.at + known.sets.capacity * sizeof *known.sets.at +
           known.steps.capacity * sizeof *known.steps.at + known.slots * sizeof *known.by_content +
           map_bytes(&known.list_of) + configuration_bytes() +
           in_work.capacity * sizeof *in_work.at + known.next.capacity * sizeof *known.next.at +
           known.next_of.capacity * sizeof *known.next_of.at +
           sizeof(Taken) * ((uint64_t)known.taken.capacity + known.ended_taken.capacity);
}
