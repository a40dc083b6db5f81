/* For an operation x called at c and returned at r, an operation that returned before c certainly
 * comes before x in every serial order, and one called after r certainly after it. Of the others
 * called before r it is open. Hence
 *
 *   NUMBER: the number before x is at least the start, plus the change of what certainly came
 * before, plus every negative change of what may have; at most the same with the positive changes.
 * That is so of the size, sum or total, and of each number for itself where the state has several:
 * the accounts of a bank.
 *
 *   TAKES: when the k-th take of one value returns, k takes of it are in the order, so k puts of it
 *   are, and these have been called.
 *
 *   SEES: if x finds a value inside, the puts of it called before r are more than its takes that
 *   returned before c.
 *
 *   LISTS: what a list contains was put by something called before r; what was put by something
 * that returned before c is in it, if nothing ever removes.
 *
 * Every other operation may be weakened to one that happened or not: the bounds already allow both.
 * Of the changes that certainly came before, the core has the largest ones, just enough of them. */
#include "judge/linear/bounds.h"
#include "judge/linear/amounts.h"
#include "judge/linear/monitor_internal.h"
#include <stdlib.h>

#define MOST_CONTEXT 64u
#define MOST_LISTS 8u /* each takes a pass: the first and the last ones must do */

typedef struct Tale {
    SpecFacts facts;
    uint32_t op, called, returned;
} Tale;
/* Holds what an operation tells about the number in question. */
typedef struct Told {
    uint32_t op, called, returned;
    int64_t least_change, most_change, least, most;
} Told;
typedef struct Sums {
    uint32_t position;
    int64_t least, most; /* of everything up to and with this position */
} Sums;
typedef enum EventKind { BOUND_PUT, BOUND_TAKE, BOUND_SEE } EventKind;
typedef struct Event {
    uint32_t key, position, tale;
    EventKind kind;
} Event;
typedef struct Bounds {
    const Plan *plan;
    MonitorResult *result;
    Vec(Tale) tales;
    Vec(Told) told;
    Vec(Sums) returns, calls;
    HashMap places; /* word of a place -> 1 if something hides what is there */
    HashMap keys;   /* place and value -> number of the key */
    Vec(Event) events;
} Bounds;

static int by_position(const void *a, const void *b)
{
    const Sums *x = a, *y = b;
    return x->position < y->position ? -1 : x->position > y->position;
}

/* Reads what the operations tell; false if one of them tells nothing. */
static bool listen(Bounds *b, const PlanGroup *group)
{
    const Plan *plan = b->plan;
    bool any = false;
    vec_reserve(&b->tales, group->count);
    for (uint32_t i = 0; i < group->count; i++) {
        uint32_t op = plan->members.at[group->first + i];
        const Operation *operation = &plan->history->operations.at[op];
        Tale tale = {.op = op, .called = operation->called, .returned = operation->returned};
        SpecCall call;
        plan_call(plan, op, &call);
        if (!plan->spec->facts(plan->spec, &call, &tale.facts))
            return false;
        if (tale.facts.hides)
            hashmap_put(&b->places, tale.facts.place.word, NULL);
        any = any || tale.facts.observes || tale.facts.sees || tale.facts.lists;
        vec_push(&b->tales, tale);
    }
    return any;
}

/* Sums over the operations that returned, of what they change for certain beyond what they may, and
 * over those that were called, of what they may change. False if they are too large to be summed.
 */
static bool sum_up(Bounds *b)
{
    double all = 0;
    vec_clear(&b->calls);
    vec_clear(&b->returns);
    for (size_t i = 0; i < b->told.count; i++) {
        const Told *told = &b->told.at[i];
        int64_t least = told->least_change, most = told->most_change;
        if (!least && !most)
            continue;
        all += MAX(-(double)MIN(least, 0), (double)MAX(most, 0));
        vec_push(&b->calls, (Sums){told->called, MIN(least, 0), MAX(most, 0)});
        if (told->returned != HISTORY_PENDING)
            vec_push(&b->returns,
                     (Sums){told->returned, least - MIN(least, 0), most - MAX(most, 0)});
    }
    if (all > (double)(INT64_MAX / 16))
        return false;
    if (b->returns.count)
        qsort(b->returns.at, b->returns.count, sizeof *b->returns.at, by_position);
    for (size_t i = 1; i < b->calls.count; i++) {
        b->calls.at[i].least += b->calls.at[i - 1].least;
        b->calls.at[i].most += b->calls.at[i - 1].most;
    }
    for (size_t i = 1; i < b->returns.count; i++) {
        b->returns.at[i].least += b->returns.at[i - 1].least;
        b->returns.at[i].most += b->returns.at[i - 1].most;
    }
    return true;
}

/* The sums of all before POSITION. */
static Sums sums_before(const Sums *sums, size_t count, uint32_t position)
{
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (sums[middle].position < position)
            low = middle + 1;
        else
            high = middle;
    }
    return low ? sums[low - 1] : (Sums){0, 0, 0};
}

static void context_add(Bounds *b, uint32_t op)
{
    if (b->result->context.count < MOST_CONTEXT)
        vec_push(&b->result->context, op);
}

typedef struct Change {
    int64_t size;
    uint32_t op;
} Change;

static int by_size(const void *a, const void *b)
{
    const Change *x = a, *y = b;
    return x->size > y->size ? -1 : x->size < y->size;
}

/* The core: x and, of the changes that certainly came before it in direction SIGN, the largest ones
 * that together exceed EXCESS. */
static void blame(Bounds *b, const Told *x, int sign, int64_t excess, const char *why)
{
    Vec(Change) changes = {0};
    monitor_violated(b->result, why, &x->op, 1);
    for (size_t i = 0; i < b->told.count; i++) {
        const Told *told = &b->told.at[i];
        int64_t least = told->least_change * sign, most = told->most_change * sign;
        int64_t certain = MIN(least, most);
        if (told->returned < x->called && certain > 0)
            vec_push(&changes, (Change){certain, told->op});
        else if (told != x && told->called < x->returned && MIN(least, most) < 0)
            context_add(b, told->op);
    }
    if (changes.count)
        qsort(changes.at, changes.count, sizeof *changes.at, by_size);
    for (size_t i = 0; i < changes.count; i++) {
        if (excess >= 0) {
            excess -= changes.at[i].size;
            vec_push(&b->result->core, changes.at[i].op);
        } else {
            context_add(b, changes.at[i].op);
        }
    }
    vec_free(&changes);
}

/* START: what the number is at first. */
static bool number_fits(Bounds *b, const Told *x, int64_t start)
{
    Sums certain = sums_before(b->returns.at, b->returns.count, x->called);
    Sums possible = sums_before(b->calls.at, b->calls.count, x->returned);
    /* x itself is among those called before it returned */
    int64_t least = start + certain.least + possible.least - MIN(x->least_change, 0);
    int64_t most = start + certain.most + possible.most - MAX(x->most_change, 0);
    if (x->least > most) {
        /* without the certain losses it might have been MOST + losses: some of them are needed */
        blame(b, x, -1, start + possible.most - MAX(x->most_change, 0) - x->least,
              "the number is larger than all that was added");
        return false;
    }
    if (x->most < least) {
        blame(b, x, 1, x->most - (start + possible.least - MIN(x->least_change, 0)),
              "the number is smaller than what was added for certain");
        return false;
    }
    return true;
}

/* The size, sum or total. */
static bool total_fits(Bounds *b)
{
    vec_clear(&b->told);
    vec_reserve(&b->told, b->tales.count);
    for (size_t i = 0; i < b->tales.count; i++) {
        const Tale *tale = &b->tales.at[i];
        const SpecFacts *facts = &tale->facts;
        Told told = {tale->op,           tale->called,     tale->returned, facts->least_change,
                     facts->most_change, -SPEC_AMOUNT_ANY, SPEC_AMOUNT_ANY};
        if (facts->observes) {
            told.least = facts->least;
            told.most = facts->most;
        }
        if (facts->observes || facts->least_change || facts->most_change)
            vec_push(&b->told, told);
    }
    bool fits = true, known = sum_up(b);
    for (size_t i = 0; i < b->told.count && known && fits; i++)
        fits = number_fits(b, &b->told.at[i], b->plan->spec->start_number);
    return fits;
}

/* Each of several numbers for itself; one alone is the total. */
static bool numbers_fit(Bounds *b, const PlanGroup *group)
{
    Amounts amounts = {0};
    Vec(uint32_t) first = {0}, next = {0}; /* the amounts of each number: index + 1 */
    bool fits = true;
    const uint32_t *members = vec_from(&b->plan->members, group->first);
    if (!amounts_find(&amounts, b->plan, group) || amounts.start.count == 1)
        amounts.all.count = amounts.start.count = 0;
    for (size_t n = 0; n < amounts.start.count; n++)
        vec_push(&first, 0);
    for (size_t i = amounts.all.count; i-- > 0;)
        vec_push(&next, 0);
    for (size_t i = amounts.all.count; i-- > 0;) { /* the first member stands first */
        next.at[i] = first.at[amounts.all.at[i].number];
        first.at[amounts.all.at[i].number] = (uint32_t)i + 1;
    }
    for (size_t n = 0; n < amounts.start.count && fits; n++) {
        vec_clear(&b->told);
        for (uint32_t i = first.at[n]; i; i = next.at[i - 1]) {
            const Amount *amount = &amounts.all.at[i - 1];
            const Operation *op = &b->plan->history->operations.at[members[amount->member]];
            vec_push(&b->told, (Told){members[amount->member], op->called, op->returned,
                                      amount->change, amount->change, amount->least, amount->most});
        }
        bool known = sum_up(b);
        for (size_t k = 0; k < b->told.count && known && fits; k++)
            fits = number_fits(b, &b->told.at[k], amounts.start.at[n]);
    }
    vec_free(&first);
    vec_free(&next);
    amounts_free(&amounts);
    return fits;
}

static uint32_t key_of(Bounds *b, Value place, Value value)
{
    bool absent;
    uint64_t *number;
    /* place and value as one word; equal places and values only, since values are interned */
    Value pair[2] = {place, value};
    Value both =
        place.word == VALUE_UNKNOWN.word ? value : value_array(b->plan->spec->values, pair, 2);
    number = hashmap_put(&b->keys, both.word, &absent);
    if (absent)
        *number = b->keys.count;
    return (uint32_t)*number;
}

static int by_key(const void *a, const void *b)
{
    const Event *x = a, *y = b;
    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    if (x->kind != y->kind)
        return x->kind < y->kind ? -1 : 1;
    return x->position < y->position ? -1 : x->position > y->position;
}

static size_t count_before(const Event *events, size_t count, uint32_t position)
{
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (events[middle].position < position)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* One value: puts by their calls, takes by their returns, what sees it. */
static bool value_fits(Bounds *b, const Event *puts, size_t put_count, const Event *takes,
                       size_t take_count, const Event *sees, size_t see_count, bool initial)
{
    const Tale *tales = b->tales.at;
    const char *why = NULL;
    size_t core = 0; /* takes that belong to it */
    for (size_t k = 0; k < take_count && !why; k++)
        if (k >= put_count || takes[k].position < puts[k].position) {
            why = k                ? "a value is taken more often than it is put"
                  : k >= put_count ? "a value is taken that was never put"
                                   : "a value is taken before it is put";
            core = k + 1;
            monitor_violated(b->result, why, &tales[takes[k].tale].op, 1);
        }
    for (size_t i = 0; i < see_count && !why && !initial; i++) {
        const Tale *x = &tales[sees[i].tale];
        size_t put = count_before(puts, put_count, x->returned);
        if (put <= count_before(takes, take_count, x->called)) {
            why = put_count ? "a value is seen when it can't be there"
                            : "a value is seen that was never put";
            core = put;
            monitor_violated(b->result, why, &x->op, 1);
        }
    }
    if (!why)
        return true;
    for (size_t i = 0; i < core; i++)
        if (tales[takes[i].tale].op != b->result->core.at[0])
            vec_push(&b->result->core, tales[takes[i].tale].op);
    for (size_t i = 0; i < put_count; i++)
        context_add(b, tales[puts[i].tale].op);
    return false;
}

static bool values_fit(Bounds *b)
{
    for (uint32_t i = 0; i < b->tales.count; i++) {
        const Tale *tale = &b->tales.at[i];
        const SpecFacts *facts = &tale->facts;
        if (hashmap_find(&b->places, facts->place.word))
            continue;
        if (facts->puts)
            vec_push(&b->events,
                     (Event){key_of(b, facts->place, facts->put), tale->called, i, BOUND_PUT});
        if (facts->sees)
            vec_push(&b->events, (Event){key_of(b, facts->place, facts->seen), tale->returned, i,
                                         facts->takes ? BOUND_TAKE : BOUND_SEE});
    }
    if (b->events.count)
        qsort(b->events.at, b->events.count, sizeof *b->events.at, by_key);
    const Spec *spec = b->plan->spec;
    uint64_t *start = hashmap_find(&b->keys, spec->start.word);
    for (size_t i = 0, next; i < b->events.count; i = next) {
        size_t ends[3];
        next = i;
        for (int kind = BOUND_PUT; kind <= BOUND_SEE; kind++) {
            while (next < b->events.count && b->events.at[next].key == b->events.at[i].key &&
                   b->events.at[next].kind == (EventKind)kind)
                next++;
            ends[kind] = next;
        }
        const Event *at = b->events.at;
        bool initial = start && *start == at[i].key;
        if (!value_fits(b, at + i, ends[0] - i, at + ends[0], ends[1] - ends[0], at + ends[1],
                        ends[2] - ends[1], initial))
            return false;
    }
    return true;
}

/* Compares what x lists against what was put; only called where nothing is ever removed. */
static bool list_fits(Bounds *b, const Tale *x)
{
    size_t count;
    Values *values = b->plan->spec->values;
    const Value *items = value_items(values, x->facts.seen, &count);
    HashMap listed = {0};
    bool fits = true;
    for (size_t i = 0; i < count; i++)
        *hashmap_put(&listed, items[i].word, NULL) = 1;
    for (size_t i = 0; i < b->tales.count && fits; i++) {
        const Tale *tale = &b->tales.at[i];
        uint64_t *mark = tale->facts.puts ? hashmap_find(&listed, tale->facts.put.word) : NULL;
        if (mark && tale->called < x->returned)
            *mark = 2;
        if (tale->facts.puts && !mark && tale->returned < x->called) {
            uint32_t core[] = {tale->op, x->op};
            monitor_violated(b->result, "a list lacks an element that was added before", core, 2);
            fits = false;
        }
    }
    for (size_t i = 0; i < count && fits; i++)
        if (*hashmap_find(&listed, items[i].word) == 1) {
            monitor_violated(b->result, "a list has an element that was never added", &x->op, 1);
            fits = false;
        }
    hashmap_free(&listed);
    return fits;
}

static void look(Bounds *b, const PlanGroup *group)
{
    size_t lists = 0, list_count = 0;
    if (!total_fits(b) || !numbers_fit(b, group))
        return;
    for (size_t i = 0; i < b->tales.count; i++)
        list_count += b->tales.at[i].facts.lists;
    for (size_t i = 0; i < b->tales.count; i++) {
        const Tale *x = &b->tales.at[i];
        lists += x->facts.lists;
        bool chosen = lists <= MOST_LISTS || lists + MOST_LISTS > list_count;
        if (x->facts.lists && chosen && !hashmap_find(&b->places, x->facts.place.word) &&
            !list_fits(b, x))
            return;
    }
    values_fit(b);
}

void bounds_check(const Plan *plan, const PlanGroup *group, MonitorResult *result)
{
    vec_clear(&result->core);
    vec_clear(&result->context);
    result->why = NULL;
    result->answer = MONITOR_UNABLE;
    if (!plan->spec->facts || plan->history->before || plan->history->stuck)
        return;
    Bounds b = {.plan = plan, .result = result};
    if (listen(&b, group))
        look(&b, group);
    vec_free(&b.tales);
    vec_free(&b.told);
    vec_free(&b.returns);
    vec_free(&b.calls);
    hashmap_free(&b.places);
    hashmap_free(&b.keys);
    vec_free(&b.events);
}
