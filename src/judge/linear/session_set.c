/* A look must show the least that has all of this; the history has the guarantees iff no
 * look shows less: let each look have seen exactly the least. That is found by going through the
 * processes until nothing changes. What an addition brings along (`needs`) grows along its process,
 * so of the additions of a process that a look must show only the last counts. */
#include "judge/linear/session_set.h"
#include "judge/linear/monitor_internal.h"
#include "judge/linear/session.h"
#include <stdlib.h>
#include <string.h>

#define NO MONITOR_NO

typedef enum ItemKind { ITEM_ADD, ITEM_OPEN_ADD, ITEM_SEEN, ITEM_ABSENT, ITEM_LIST } ItemKind;
typedef struct Item {
    uint32_t op, process;
    uint32_t element; /* or ITEM_LIST: the first in Sets.listed */
    uint32_t count;
    uint32_t look; /* number of a look; NO: an addition */
    ItemKind kind;
} Item;

typedef struct Sets {
    const Plan *plan;
    unsigned guarantees;
    Vec(Item) items; /* by process, in its order */
    HashMap elements;
    Vec(uint32_t) listed;
    Vec(uint32_t) adders; /* by element: item, or NO */
    bool twice;           /* an element is added several times */
    uint32_t looks, count;
    size_t words;
    uint64_t *shown; /* by look: what it must show */
    uint64_t *needs; /* by element: what its addition brings along */
    uint64_t *made, *all;
    uint32_t *latest; /* by process: the last item whose addition must be shown */
    bool changed;
} Sets;

static uint64_t *set_of(const Sets *s, uint64_t *sets, uint32_t index)
{
    return sets + (size_t)index * s->words;
}

static bool has(const uint64_t *set, uint32_t element)
{
    return set[element / 64] >> (element % 64) & 1;
}

static void put(uint64_t *set, uint32_t element)
{
    set[element / 64] |= (uint64_t)1 << (element % 64);
}

static bool join(uint64_t *set, const uint64_t *other, size_t words)
{
    uint64_t more = 0;
    for (size_t w = 0; w < words; w++) {
        more |= other[w] & ~set[w];
        set[w] |= other[w];
    }
    return more != 0;
}

static uint32_t element_of(Sets *s, Value value)
{
    bool absent;
    uint64_t *index = hashmap_put(&s->elements, value.word, &absent);
    if (absent) {
        *index = s->adders.count;
        vec_push(&s->adders, NO);
    }
    return (uint32_t)*index;
}

/* Makes an item of a call; false if it is of no kind that is understood. */
static bool read_call(Sets *s, const SpecCall *call, bool open, Item *item)
{
    const Spec *spec = s->plan->spec;
    SpecFacts facts = {0};
    if (!spec->facts(spec, call, &facts) || facts.hides || facts.observes)
        return false;
    if (facts.puts) {
        bool refused = value_means_false(spec->values, call->result);
        item->kind = open ? ITEM_OPEN_ADD : refused ? ITEM_SEEN : ITEM_ADD;
        item->element = element_of(s, facts.put);
    } else if (facts.lists) {
        size_t count;
        const Value *values = value_items(spec->values, facts.seen, &count);
        item->kind = ITEM_LIST;
        item->element = (uint32_t)s->listed.count;
        item->count = (uint32_t)count;
        for (size_t i = 0; i < count; i++)
            vec_push(&s->listed, element_of(s, values[i]));
    } else {
        if (!facts.sees && !value_means_false(spec->values, call->result))
            return false;
        item->kind = facts.sees ? ITEM_SEEN : ITEM_ABSENT;
        item->element = element_of(s, facts.seen);
    }
    return true;
}

static int by_process(const void *a, const void *b)
{
    const Item *x = a, *y = b;
    if (x->process != y->process)
        return x->process < y->process ? -1 : 1;
    return x->op < y->op ? -1 : x->op > y->op;
}

static bool find_items(Sets *s, const PlanGroup *group)
{
    for (uint32_t i = 0; i < group->count; i++) {
        uint32_t op = s->plan->members.at[group->first + i];
        const Operation *operation = &s->plan->history->operations.at[op];
        bool open = operation->returned == HISTORY_PENDING;
        SpecCall call;
        plan_call(s->plan, op, &call);
        if (open && s->plan->spec->effect(s->plan->spec, &call) == SPEC_READS)
            continue;
        Item item = {.op = op, .process = operation->process, .look = NO};
        if (!read_call(s, &call, open, &item))
            return false;
        vec_push(&s->items, item);
    }
    if (s->items.count)
        qsort(s->items.at, s->items.count, sizeof *s->items.at, by_process);
    for (uint32_t i = 0; i < s->items.count; i++) {
        Item *item = &s->items.at[i];
        if (item->kind > ITEM_OPEN_ADD) {
            item->look = s->looks++;
        } else {
            s->twice = s->twice || s->adders.at[item->element] != NO;
            s->adders.at[item->element] = i;
        }
    }
    s->count = (uint32_t)s->adders.count;
    return true;
}

/* False and a violation if something is seen that nobody added. */
static bool check_added(const Sets *s, MonitorResult *result)
{
    for (uint32_t i = 0; i < s->items.count; i++) {
        const Item *item = &s->items.at[i];
        const uint32_t *seen =
            item->kind == ITEM_LIST ? vec_from(&s->listed, item->element) : &item->element;
        uint32_t count = item->kind == ITEM_LIST ? item->count : item->kind == ITEM_SEEN;
        for (uint32_t k = 0; k < count; k++)
            if (s->adders.at[seen[k]] == NO) {
                monitor_violated(result, "an element is seen that was never added", &item->op, 1);
                return false;
            }
    }
    return true;
}

/* Adds to SHOWN what its additions bring along, until there is no more. */
static void close_over(Sets *s, uint64_t *shown, uint32_t processes)
{
    memset(s->latest, 0, processes * sizeof *s->latest); /* item + 1 */
    for (bool more = true; more;) {
        more = false;
        for (size_t w = 0; w < s->words; w++)
            for (uint64_t left = shown[w]; left; left &= left - 1) {
                uint32_t adder = s->adders.at[w * 64 + (size_t)__builtin_ctzll(left)];
                uint32_t *latest = &s->latest[s->items.at[adder].process];
                if (adder + 1 > *latest)
                    *latest = adder + 1;
            }
        for (uint32_t p = 0; p < processes; p++)
            if (s->latest[p]) {
                uint32_t element = s->items.at[s->latest[p] - 1].element;
                more |= join(shown, set_of(s, s->needs, element), s->words);
            }
    }
}

static void put_seen(const Sets *s, const Item *item, uint64_t *set)
{
    for (uint32_t k = 0; item->kind == ITEM_LIST && k < item->count; k++)
        put(set, s->listed.at[item->element + k]);
    if (item->kind == ITEM_SEEN)
        put(set, item->element);
}

/* Goes through all processes once. SCRATCH: room for one set. */
static void pass(Sets *s, uint64_t *scratch, uint32_t processes)
{
    bool brings =
        s->guarantees & (SESSION_BIT(MONOTONIC_WRITES) | SESSION_BIT(WRITES_FOLLOW_READS));
    uint32_t last = NO; /* the look before it, of the process */
    for (uint32_t i = 0; i < s->items.count; i++) {
        const Item *item = &s->items.at[i];
        if (!i || s->items.at[i - 1].process != item->process) {
            memset(s->made, 0, s->words * sizeof *s->made);
            memset(s->all, 0, s->words * sizeof *s->all);
            last = NO;
        }
        if (item->look == NO) {
            s->changed |= join(set_of(s, s->needs, item->element), s->all, s->words);
            if (item->kind == ITEM_ADD)
                put(s->made, item->element);
            if (item->kind == ITEM_ADD && s->guarantees & SESSION_BIT(MONOTONIC_WRITES))
                put(s->all, item->element);
            continue;
        }
        uint64_t *shown = set_of(s, s->shown, item->look);
        memcpy(scratch, shown, s->words * sizeof *scratch);
        put_seen(s, item, shown);
        if (s->guarantees & SESSION_BIT(READ_YOUR_WRITES))
            join(shown, s->made, s->words);
        if (s->guarantees & SESSION_BIT(MONOTONIC_READS) && last != NO)
            join(shown, set_of(s, s->shown, last), s->words);
        if (brings)
            close_over(s, shown, processes);
        s->changed |= memcmp(scratch, shown, s->words * sizeof *scratch) != 0;
        if (s->guarantees & SESSION_BIT(WRITES_FOLLOW_READS))
            join(s->all, shown, s->words);
        last = item->look;
    }
}

/* ---- evidence ---- */

/* One step back from why a look must show the element: by the addition, or another look. */
typedef struct Reason {
    uint32_t item;  /* of a look */
    uint32_t after; /* index of the reason that this one explains, or NO */
    uint32_t via;   /* item of the addition that brings the element along, or NO */
} Reason;
typedef Vec(Reason) Reasons;

static void add_reason(Reasons *reasons, bool *passed, const Sets *s, uint32_t item, uint32_t after,
                       uint32_t via)
{
    if (passed[s->items.at[item].look])
        return;
    passed[s->items.at[item].look] = true;
    Reason reason = {item, after, via};
    vec_push(reasons, reason);
}

/* Does ITEM, an addition that a look shows, bring the element along because its process had added
 * it before? Else adds the looks of its process that must show it. */
static uint32_t why_brought(Reasons *reasons, bool *passed, const Sets *s, uint32_t from,
                            uint32_t item, uint32_t element)
{
    uint32_t process = s->items.at[item].process;
    for (uint32_t i = item; i-- > 0 && s->items.at[i].process == process;) {
        const Item *before = &s->items.at[i];
        if (before->kind == ITEM_ADD && before->element == element &&
            s->guarantees & SESSION_BIT(MONOTONIC_WRITES))
            return i;
        if (before->look != NO && s->guarantees & SESSION_BIT(WRITES_FOLLOW_READS) &&
            has(set_of(s, s->shown, before->look), element))
            add_reason(reasons, passed, s, i, from, item);
    }
    return NO;
}

/* Looks on for why reason FROM holds. True if it ends there; *ground is then the addition that
 * tells, or NO, and *via what brings it along, or NO. */
static bool why(Reasons *reasons, bool *passed, const Sets *s, uint32_t from, uint32_t element,
                uint64_t *scratch, uint32_t *ground, uint32_t *via)
{
    uint32_t at = reasons->at[from].item;
    const Item *item = &s->items.at[at];
    *ground = *via = NO;
    memset(scratch, 0, s->words * sizeof *scratch);
    put_seen(s, item, scratch);
    if (has(scratch, element))
        return true;
    bool looked = false;
    for (uint32_t i = at; i-- > 0 && s->items.at[i].process == item->process;) {
        const Item *before = &s->items.at[i];
        if (before->kind == ITEM_ADD && s->guarantees & SESSION_BIT(READ_YOUR_WRITES)) {
            if (before->element == element) {
                *ground = i;
                return true;
            }
            put(scratch, before->element);
        }
        if (before->look != NO && !looked && s->guarantees & SESSION_BIT(MONOTONIC_READS)) {
            looked = true;
            if (has(set_of(s, s->shown, before->look), element))
                add_reason(reasons, passed, s, i, from, NO);
        }
    }
    for (uint32_t e = 0; e < s->count; e++)
        if (has(scratch, e) && s->adders.at[e] != NO && has(set_of(s, s->needs, e), element) &&
            (*ground = why_brought(reasons, passed, s, from, s->adders.at[e], element)) != NO) {
            *via = s->adders.at[e];
            return true;
        }
    return false;
}

/* The look at item AT does not show the element. Goes back, breadth first, to what tells. */
static void explain(const Sets *s, uint32_t at, uint32_t element, uint64_t *scratch,
                    MonitorResult *result)
{
    Reasons reasons = {0};
    Vec(uint32_t) core = {0};
    bool *passed = calloc(s->looks + 1u, sizeof *passed);
    if (!passed)
        die("out of memory");
    uint32_t from = 0, ground = NO, via = NO;
    add_reason(&reasons, passed, s, at, NO, NO);
    while (!why(&reasons, passed, s, from, element, scratch, &ground, &via)) {
        from++;
        ASSERT(from < reasons.count);
    }
    if (ground != NO)
        vec_push(&core, s->items.at[ground].op);
    if (via != NO)
        vec_push(&core, s->items.at[via].op);
    for (uint32_t r = from; r != NO; r = reasons.at[r].after) {
        vec_push(&core, s->items.at[reasons.at[r].item].op);
        if (reasons.at[r].via != NO)
            vec_push(&core, s->items.at[reasons.at[r].via].op);
    }
    monitor_violated(result, "an element is missing that had to be seen", core.at, core.count);
    uint32_t adder = s->items.at[s->adders.at[element]].op;
    bool there = false;
    for (size_t i = 0; i < result->core.count; i++)
        there = there || result->core.at[i] == adder;
    if (!there)
        vec_push(&result->context, adder);
    vec_free(&reasons);
    vec_free(&core);
    free(passed);
}

/* An element that the look at ITEM lacks, or NO. */
static uint32_t missing(const Sets *s, const Item *item, uint64_t *scratch)
{
    const uint64_t *shown = set_of(s, s->shown, item->look);
    if (item->kind == ITEM_ABSENT)
        return has(shown, item->element) ? item->element : NO;
    if (item->kind != ITEM_LIST)
        return NO;
    memset(scratch, 0, s->words * sizeof *scratch);
    put_seen(s, item, scratch);
    for (uint32_t w = 0; w < s->words; w++)
        if (shown[w] & ~scratch[w])
            return w * 64 + (uint32_t)__builtin_ctzll(shown[w] & ~scratch[w]);
    return NO;
}

static const char *judge(Sets *s, const LinearizeLimits *limits, MonitorResult *result)
{
    const char *reason = NULL;
    uint32_t processes = (uint32_t)s->plan->history->processes.count;
    s->words = s->count / 64 + 1;
    size_t sets = (size_t)s->looks + s->count;
    if (limits->memory && (sets + 3) * s->words * sizeof(uint64_t) > limits->memory)
        return "memory";
    s->shown = calloc((sets + 3) * s->words, sizeof *s->shown);
    s->latest = calloc(processes + 1u, sizeof *s->latest);
    if (!s->shown || !s->latest)
        die("out of memory");
    s->needs = set_of(s, s->shown, s->looks);
    s->made = set_of(s, s->needs, s->count);
    s->all = s->made + s->words;
    uint64_t *scratch = s->all + s->words;
    do {
        s->changed = false;
        pass(s, scratch, processes);
        reason = linearize_end_wanted(limits);
    } while (s->changed && !reason);
    for (uint32_t i = 0; i < s->items.count && !reason && result->answer == MONITOR_HOLDS; i++)
        if (s->items.at[i].look != NO) {
            uint32_t element = missing(s, &s->items.at[i], scratch);
            if (element != NO)
                explain(s, i, element, scratch, result);
        }
    free(s->shown);
    free(s->latest);
    return reason;
}

const char *session_check_set(const Plan *plan, const PlanGroup *group, unsigned guarantees,
                              const LinearizeLimits *limits, MonitorResult *result)
{
    unsigned brings = SESSION_BIT(MONOTONIC_WRITES) | SESSION_BIT(WRITES_FOLLOW_READS);
    Sets s = {.plan = plan, .guarantees = guarantees};
    const char *reason = "values";
    if (!strcmp(plan->spec->name, "set") && find_items(&s, group) &&
        !(s.twice && guarantees & brings)) {
        result->answer = MONITOR_HOLDS;
        reason = check_added(&s, result) ? judge(&s, limits, result) : NULL;
        if (reason)
            result->answer = MONITOR_UNABLE;
    }
    vec_free(&s.items);
    vec_free(&s.listed);
    vec_free(&s.adders);
    hashmap_free(&s.elements);
    return reason;
}
