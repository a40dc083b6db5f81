/* This file shows that a history of a queue is not quasi linearizable, without the contents of the
 * queue. The search of quasi.c writes p' place by place, so a state tells in which order the
 * elements inside were put: many orders are possible where puts and takes are both relaxed. But an
 * element is put and taken in p' at the same rank. So puts need not be read at all to see what
 * can't be. Of the puts of p it is known that one stands behind those that return before its call,
 * and before those that are called after its return; in p' at most K places from there. That gives
 * each element a window of ranks. The takes, and what finds nothing, are read and written as in
 * quasi.c (debts.h): the next element that p' takes gets the next rank.
 *
 *  - It must be in its window, and so many puts must have been called.
 *  - The elements that wait must find ranks in their windows, one each.
 *  - Where nothing is found, as many are taken as puts were read: at least those that returned
 *    before the call of the operation that is read, at most those called by now.
 *  - Of two elements of which one is put and taken no later than the other, it is the first
 *    (quasi_needs.c).
 *
 * Let p and p' exist. Leave out the puts, and move each take of p to just before the first return
 * of a take at which it, or one behind it, must be there: the search finds that. For a take comes
 * later than it did, when more puts were called, and not before its call. So where it finds
 * nothing, there is no p'. Under kooo, calls after the end may take something from the
 * K-th last place on: what is left then counts as passed. What they put is behind the puts of the
 * history in p, and stays inside until then: no element with a higher rank is taken before. */
#include "judge/quasi/quasi_internal.h"
#include <stdlib.h>
#include <string.h>

#define MOST_OPEN 64u
#define MOST_STATES 60000u
#define LOOK_AHEAD 64u /* elements that wait and are looked at */

typedef struct RankWindow {
    uint32_t first, last;
} RankWindow;

typedef struct RankState {
    uint32_t at, taken, placed_count;
    uint32_t placed[MOST_OPEN]; /* open takes in p, by index */
    uint64_t *gone;             /* by element: p' has taken it */
    Debts debts;                /* labels are operations */
} RankState;

typedef struct Ranks {
    Quasi *q;
    const uint32_t *events;
    size_t event_count;
    const QuasiClass *puts, *takes;
    uint32_t take_factor;
    size_t words;             /* of a set of elements */
    Vec(RankWindow) windows;  /* by element: its ranks */
    Vec(uint32_t) by_last;    /* elements that are put, by the last of their ranks */
    Vec(uint32_t) put_before; /* by take: puts that return before its call */
    Vec(uint32_t) open;       /* takes that are open before each event, one list after the other */
    Vec(uint32_t) open_first; /* by event */
    Interner states;
    Vec(uint32_t) stack;
    Vec(uint64_t) key;
    RankState from, next, base;
    bool passed;
    uint32_t deepest;
} Ranks;

static bool contains(const RankState *s, uint32_t op)
{
    for (uint32_t i = 0; i < s->placed_count; i++)
        if (s->placed[i] == op)
            return true;
    return false;
}

static bool is_gone(const RankState *s, uint32_t element)
{
    return s->gone[element / 64] >> (element % 64) & 1;
}

static uint32_t takes_read(const Ranks *r, const RankState *s)
{
    return r->takes->returned.at[s->at] + s->placed_count;
}

static void copy_state(const Ranks *r, RankState *to, const RankState *from)
{
    to->at = from->at;
    to->taken = from->taken;
    to->placed_count = from->placed_count;
    memcpy(to->placed, from->placed, from->placed_count * sizeof *from->placed);
    memcpy(to->gone, from->gone, r->words * sizeof *from->gone);
    debts_copy(&to->debts, &from->debts);
}

static void load_state(Ranks *r, uint32_t number)
{
    size_t count;
    const uint64_t *key = interner_words(&r->states, number, &count);
    RankState *s = &r->from;
    s->at = (uint32_t)key[0];
    s->taken = (uint32_t)(key[0] >> 32);
    s->placed_count = (uint32_t)key[1];
    memcpy(s->gone, key + 2, r->words * sizeof *key);
    key += 2 + r->words;
    for (uint32_t i = 0; i < s->placed_count; i++)
        s->placed[i] = (uint32_t)*key++;
    debts_read(key, &s->debts);
}

static void save_state(Ranks *r, const RankState *s)
{
    vec_clear(&r->key);
    vec_reserve(&r->key, 2 + (size_t)s->placed_count + r->words + DEBTS_WORDS);
    vec_push(&r->key, (uint64_t)s->taken << 32 | s->at);
    vec_push(&r->key, s->placed_count);
    for (size_t i = 0; i < r->words; i++)
        vec_push(&r->key, s->gone[i]);
    for (uint32_t i = 0; i < s->placed_count; i++)
        vec_push(&r->key, s->placed[i]);
    r->key.count += debts_write(&s->debts, r->key.at + r->key.count);
    size_t known = r->states.entries.count;
    uint32_t number = interner_number(&r->states, r->key.at, r->key.count);
    if (number == known)
        vec_push(&r->stack, number);
}

/* Can what waits have the ranks that are left? */
static bool has_room(const Ranks *r, const RankState *s)
{
    uint32_t waits = 0;
    for (size_t i = 0; i < r->by_last.count && waits < LOOK_AHEAD; i++) {
        uint32_t element = r->by_last.at[i];
        if (!is_gone(s, element) && s->taken + ++waits > r->windows.at[element].last)
            return false;
    }
    return true;
}

/* Passes the returns that wait for nothing more. */
static void settle(const Ranks *r, RankState *s)
{
    for (; s->at < r->event_count; s->at++) {
        uint32_t event = r->events[s->at], i = 0;
        if (!(event & 1) || r->q->ops.at[event / 2].move.puts)
            continue;
        while (i < s->placed_count && s->placed[i] != event / 2)
            i++;
        if (i == s->placed_count)
            return;
        memmove(s->placed + i, s->placed + i + 1, (--s->placed_count - i) * sizeof *s->placed);
    }
}

/* The take X is in p now, and the state is kept. */
static void place_take(Ranks *r, RankState *s, uint32_t x)
{
    uint32_t at = s->placed_count++;
    for (; at && s->placed[at - 1] > x; at--)
        s->placed[at] = s->placed[at - 1];
    s->placed[at] = x;
    settle(r, s);
    r->deepest = MAX(r->deepest, s->at);
    uint32_t left = r->takes->total - takes_read(r, s);
    if (r->q->classes->semantics == RELAX_KOOO)
        r->passed = left <= r->take_factor;
    else if (!left)
        r->passed = !s->debts.late.count && !s->debts.promised.count;
    if (!r->passed && left)
        save_state(r, s);
}

/* Gives the element that OP takes the next rank. */
static bool take_element(Ranks *r, RankState *s, uint32_t op)
{
    uint32_t element = r->q->ops.at[op].move.element, rank = s->taken + 1;
    const RankWindow *window = &r->windows.at[element];
    if (r->puts->called.at[s->at] < rank || rank < window->first || rank > window->last)
        return false;
    for (size_t i = 0, waits = 0; i < r->by_last.count && waits < LOOK_AHEAD; i++) {
        uint32_t other = r->by_last.at[i];
        if (is_gone(s, other) || other == element)
            continue;
        waits++;
        if (quasi_goes_first(r->q, other, element))
            return false;
    }
    s->taken = rank;
    s->gone[element / 64] |= (uint64_t)1 << (element % 64);
    return has_room(r, s);
}

/* At the place where X is read, OP is written. r->next is the state, with x and OP in its debts. */
static void write_take(Ranks *r, uint32_t x, uint32_t op, bool late, bool promised)
{
    RankState *s = &r->next;
    bool nothing = r->q->ops.at[op].move.finds_nothing;
    uint32_t least = r->put_before.at[x], most = r->puts->called.at[s->at];
    if (nothing && (s->taken < least || s->taken > most))
        return;
    if ((nothing || take_element(r, s, op)) &&
        debts_pass(&s->debts, late, promised, r->take_factor))
        place_take(r, s, x);
}

static bool owes(const DebtList *list, uint32_t op)
{
    for (uint32_t i = 0; i < list->count; i++)
        if (debts_label(list->at[i]) == op)
            return true;
    return false;
}

/* Promises OP, if it is neither in the order nor promised. */
static void write_promise(Ranks *r, uint32_t x, uint32_t op, bool late)
{
    const RankState *base = &r->base;
    if (op == x || contains(base, op) || owes(&base->debts.promised, op))
        return;
    copy_state(r, &r->next, base);
    if (debts_add(&r->next.debts.promised, op))
        write_take(r, x, op, late, true);
}

/* Writes something other than x, from r->base, where x is the last that is late if it is LATE. */
static void write_other(Ranks *r, uint32_t x, bool late)
{
    const RankState *base = &r->base;
    const DebtList *list = &base->debts.late;
    for (uint32_t i = 0; i + late < list->count && !r->passed; i++) {
        copy_state(r, &r->next, base);
        debts_remove(&r->next.debts.late, i);
        write_take(r, x, debts_label(list->at[i]), late, false);
    }
    for (uint32_t i = r->open_first.at[base->at]; i < r->open_first.at[base->at + 1] && !r->passed;
         i++)
        write_promise(r, x, r->open.at[i], late);
    uint32_t soon = takes_read(r, base) + 1 + r->take_factor;
    for (size_t i = r->takes->called.at[base->at]; i < r->takes->by_call.count && !r->passed; i++) {
        uint32_t op = r->takes->by_call.at[i];
        if (r->q->ops.at[op].before >= soon)
            break;
        write_promise(r, x, op, late);
    }
}

static void read_take(Ranks *r, uint32_t x)
{
    DebtList *promised = &r->base.debts.promised;
    copy_state(r, &r->base, &r->from);
    for (uint32_t i = 0; i < promised->count; i++)
        if (debts_label(promised->at[i]) == x) {
            debts_remove(promised, i);
            write_other(r, x, false);
            return;
        }
    copy_state(r, &r->next, &r->from);
    write_take(r, x, x, false, false);
    if (!r->passed && debts_add(&r->base.debts.late, x))
        write_other(r, x, true);
}

/* Does another open take go before X without loss? */
static bool another_first(const Ranks *r, uint32_t x)
{
    uint32_t element = r->q->ops.at[x].move.element;
    for (uint32_t i = r->open_first.at[r->from.at]; i < r->open_first.at[r->from.at + 1]; i++) {
        uint32_t op = r->open.at[i], other = r->q->ops.at[op].move.element;
        if (op != x && !contains(&r->from, op) && element != QUASI_NO_ELEMENT &&
            other != QUASI_NO_ELEMENT && quasi_goes_first(r->q, other, element))
            return true;
    }
    return false;
}

static uint32_t list_open(Ranks *r)
{
    Vec(uint32_t) open = {0};
    size_t widest = 0;
    vec_reserve(&r->put_before, r->q->ops.count + 1);
    for (size_t e = 0; e <= r->event_count; e++) {
        vec_push(&r->open_first, (uint32_t)r->open.count);
        for (size_t i = 0; i < open.count; i++)
            vec_push(&r->open, open.at[i]);
        widest = MAX(widest, open.count);
        if (e == r->event_count || r->q->ops.at[r->events[e] / 2].move.puts)
            continue;
        uint32_t op = r->events[e] / 2;
        size_t i = 0;
        if (!(r->events[e] & 1)) {
            r->put_before.at[op] = r->puts->returned.at[e];
            vec_push(&open, op);
            continue;
        }
        while (open.at[i] != op)
            i++;
        open.at[i] = vec_pop(&open);
    }
    vec_push(&r->open_first, (uint32_t)r->open.count);
    vec_free(&open);
    return (uint32_t)widest;
}

/* The ranks that each element can have: its places among the puts of p, and the factor. */
static void find_windows(Ranks *r)
{
    const Quasi *q = r->q;
    uint32_t factor = q->classes->factor[q->put_class], count = (uint32_t)q->elements.count;
    vec_reserve(&r->windows, count + 1u);
    for (uint32_t e = 0; e < count; e++) {
        uint32_t put = q->elements.at[e].puts;
        r->windows.at[e] = (RankWindow){1, 0};
        if (put == LINEARIZE_NONE)
            continue;
        uint32_t first = q->ops.at[put].before + 1;
        uint32_t last = r->puts->called.at[q->returns.at[put]];
        r->windows.at[e] = (RankWindow){first > factor ? first - factor : 1, last + factor};
        size_t at = r->by_last.count;
        vec_push(&r->by_last, e);
        for (; at && r->windows.at[r->by_last.at[at - 1]].last > last + factor; at--)
            r->by_last.at[at] = r->by_last.at[at - 1];
        r->by_last.at[at] = e;
    }
}

static bool applies(const Quasi *q)
{
    bool puts_and_takes = q->turns_known && q->exchangeable &&
                          q->model->shape == SPEC_SHAPE_QUEUE && q->put_class != RELAX_NO_CLASS &&
                          q->take_class != RELAX_NO_CLASS && q->put_class != q->take_class;
    for (uint32_t i = 0; i < q->ops.count && puts_and_takes; i++)
        puts_and_takes =
            q->ops.at[i].class == (q->ops.at[i].move.puts ? q->put_class : q->take_class);
    return puts_and_takes;
}

static void search(Ranks *r)
{
    RankState *s = &r->next;
    s->at = s->taken = s->placed_count = 0;
    memset(s->gone, 0, r->words * sizeof *s->gone);
    s->debts.late.count = s->debts.promised.count = 0;
    settle(r, s);
    save_state(r, s);
    while (r->stack.count && !r->passed) {
        load_state(r, vec_pop(&r->stack));
        for (uint32_t i = r->open_first.at[r->from.at];
             i < r->open_first.at[r->from.at + 1] && !r->passed; i++)
            if (!contains(&r->from, r->open.at[i]) && !another_first(r, r->open.at[i]))
                read_take(r, r->open.at[i]);
        r->passed = r->passed || r->states.entries.count >= MOST_STATES;
    }
}

void quasi_ranks_start(Quasi *q, const uint32_t *events, size_t event_count)
{
    if (!applies(q))
        return;
    Ranks r = {.q = q, .events = events, .event_count = event_count};
    r.puts = &q->class[q->put_class];
    r.takes = &q->class[q->take_class];
    r.take_factor = q->classes->factor[q->take_class];
    r.words = (q->elements.count + 63) / 64;
    uint64_t *gone = calloc(3 * r.words + 1, sizeof *gone);
    if (!gone)
        die("out of memory");
    r.from.gone = gone;
    r.next.gone = gone + r.words;
    r.base.gone = gone + 2 * r.words;
    if (list_open(&r) < MOST_OPEN && r.takes->total > r.take_factor) {
        find_windows(&r);
        search(&r);
        if (!r.passed)
            quasi_note_contradiction(q, events[r.deepest] / 2, events[r.deepest] / 2);
    }
    free(gone);
    vec_free(&r.windows);
    vec_free(&r.put_before);
    vec_free(&r.by_last);
    vec_free(&r.open);
    vec_free(&r.open_first);
    vec_free(&r.stack);
    vec_free(&r.key);
    interner_free(&r.states);
}
