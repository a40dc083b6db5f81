/* PAIRS. Take a serial run of a deque, and leave out all operations but those on two values a and
 * b, each of which is pushed once and popped at most once: what is left is a run too, since the
 * other values never decide which of the two is nearer to an end. So in every linearization the
 * four operations stand in one of six orders (each push before its pop): one value is pushed and
 * popped before the other is pushed, or both are inside together. In the latter case, if b is
 * pushed second, at one end, b is popped first exactly if it is popped at that end, and a is popped
 * first exactly if it is popped at the other end. The orders that real time allows of these are
 * few: if there is none, the history is not linearizable; if one operation comes before another in
 * all of them, it does so in every linearization.
 *
 * An element that is never popped counts as popped after everything, unless a pending pop may have
 * taken it: then nothing is said about it. Peeks and sizes only restrict the orders further.
 *
 * PARTS. Without peeks and sizes, each empty-handed pop may be put into a gap in which no value is
 * certainly inside, and the operations of each value before that gap or after it (EMPTY in
 * monitor.c; the proof needs only that sub-histories of a linearizable history are linearizable).
 * So it is enough to look for orders in which these parts follow one another. */
#include "judge/linear/deque.h"
#include <stdlib.h>
#include <string.h>

#define NEVER UINT32_MAX
#define MOST_PAIRS (1u << 24) /* of values that are looked at: facts are a help, not a duty */

typedef struct Element {
    uint32_t member[2];              /* push and pop; MONITOR_NO: never popped */
    uint32_t operation[2];           /* of the history */
    uint32_t called[2], returned[2]; /* NEVER: after everything */
    uint32_t from, to;               /* from the first call to the last return */
    bool front[2];
} Element;
typedef Vec(Element) Elements;
enum { PUSH, POP };

/* The six orders: which value, which of its operations. */
static const unsigned char orders[6][4] = {
#define A_PUSH 0
#define A_POP 1
#define B_PUSH 2
#define B_POP 3
    {A_PUSH, A_POP, B_PUSH, B_POP}, {B_PUSH, B_POP, A_PUSH, A_POP}, {A_PUSH, B_PUSH, A_POP, B_POP},
    {A_PUSH, B_PUSH, B_POP, A_POP}, {B_PUSH, A_PUSH, A_POP, B_POP}, {B_PUSH, A_PUSH, B_POP, A_POP}};

/* The orders of the operations of A and B that a deque and real time allow, as bits. */
static unsigned allowed_orders(const Element *a, const Element *b)
{
    /* inside together: pushed second and popped first at the same end, or first at the other */
    bool allowed[6] = {true,
                       true,
                       a->front[POP] != b->front[PUSH],
                       b->front[POP] == b->front[PUSH],
                       a->front[POP] == a->front[PUSH],
                       b->front[POP] != a->front[PUSH]};
    /* what is never popped is at neither end: the other one may be at either, but is popped first
     */
    if (a->member[POP] == MONITOR_NO)
        allowed[2] = allowed[4] = false;
    if (b->member[POP] == MONITOR_NO)
        allowed[3] = allowed[5] = false;
    if (a->member[POP] == MONITOR_NO && b->member[POP] == MONITOR_NO)
        allowed[2] = allowed[4] = true; /* neither is popped */
    const Element *both[2] = {a, b};
    unsigned bits = 0;
    for (unsigned o = 0; o < 6; o++) {
        bool fits = allowed[o];
        for (int i = 0; i < 4 && fits; i++) {
            const Element *x = both[orders[o][i] >> 1];
            uint32_t called = x->called[orders[o][i] & 1];
            for (int j = i + 1; j < 4 && fits; j++)
                fits = both[orders[o][j] >> 1]->returned[orders[o][j] & 1] >= called;
        }
        bits |= (unsigned)fits << o;
    }
    return bits;
}

/* In all ORDERS, does operation X come before operation Y? */
static bool always_before(unsigned bits, unsigned x, unsigned y)
{
    for (unsigned o = 0; o < 6; o++) {
        if (!(bits >> o & 1))
            continue;
        for (int i = 0; orders[o][i] != x; i++)
            if (orders[o][i] == y)
                return false;
    }
    return true;
}

static int by_start(const void *a, const void *b)
{
    const Element *x = a, *y = b;
    return x->from < y->from ? -1 : x->from > y->from;
}

static void place(Element *element, int which, uint32_t called, uint32_t returned, bool front)
{
    element->called[which] = called;
    element->returned[which] = returned;
    element->front[which] = front;
}

static void finish(Element *element)
{
    if (element->member[POP] == MONITOR_NO)
        place(element, POP, NEVER, NEVER, false);
    element->from = MIN(element->called[PUSH], element->called[POP]);
    element->to = MAX(element->returned[PUSH], element->returned[POP]);
}

static bool is_front(const Plan *plan, uint32_t operation)
{
    SpecCall call;
    plan_call(plan, operation, &call);
    return plan->spec->at_front(plan->spec, &call);
}

static void add_fact(Deque *deque, uint32_t earlier, uint32_t later)
{
    vec_push(&deque->facts, (uint64_t)later << 32 | earlier);
}

/* Notes what the allowed orders of two elements tell about those of their operations that overlap.
 */
static void learn(Deque *deque, const Element *a, const Element *b, unsigned bits)
{
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++) {
            if (a->member[i] == MONITOR_NO || b->member[j] == MONITOR_NO ||
                a->returned[i] < b->called[j] || b->returned[j] < a->called[i])
                continue;
            unsigned x = (unsigned)i, y = 2u | (unsigned)j;
            if (always_before(bits, x, y))
                add_fact(deque, a->member[i], b->member[j]);
            else if (always_before(bits, y, x))
                add_fact(deque, b->member[j], a->member[i]);
        }
}

/* Looks at all pairs of elements that exist at the same time. DEQUE gets the facts, RESULT the
 * first contradiction; either may be NULL. */
static void look_at_pairs(Elements *elements, Deque *deque, MonitorResult *result)
{
    Vec(uint32_t) alive = {0};
    uint32_t pairs = 0;
    if (elements->count)
        qsort(elements->at, elements->count, sizeof *elements->at, by_start);
    for (uint32_t i = 0; i < elements->count && pairs < MOST_PAIRS; i++) {
        const Element *b = &elements->at[i];
        size_t kept = 0;
        for (size_t j = 0; j < alive.count; j++) {
            const Element *a = &elements->at[alive.at[j]];
            if (a->to < b->from)
                continue;
            alive.at[kept++] = alive.at[j];
            unsigned bits = allowed_orders(a, b);
            pairs++;
            if (!bits && result) {
                uint32_t core[] = {a->operation[PUSH], b->operation[PUSH], a->operation[POP],
                                   b->operation[POP]};
                monitor_violated(result, "two values are not popped as they were pushed", core, 4);
                goto done;
            }
            if (bits && deque)
                learn(deque, a, b, bits);
        }
        alive.count = kept;
        vec_push(&alive, i);
    }
done:
    vec_free(&alive);
}

void deque_check(const MonitorTable *table, MonitorResult *result)
{
    Elements elements = {0};
    for (size_t i = 0; i < table->values.count; i++) {
        const MonitorValue *value = &table->values.at[i];
        MonitorSpan span = monitor_span(table, value);
        Element element = {.member = {value->put, value->take},
                           .operation = {value->put, value->take}};
        if (value->take == MONITOR_NO && table->pending.count)
            continue;
        place(&element, PUSH, span.put_called, span.put_returned,
              is_front(table->plan, value->put));
        if (value->take != MONITOR_NO)
            place(&element, POP, span.take_called, span.take_returned,
                  is_front(table->plan, value->take));
        finish(&element);
        vec_push(&elements, element);
    }
    look_at_pairs(&elements, NULL, result);
    vec_free(&elements);
}

typedef struct Finder {
    const Plan *plan;
    const uint32_t *members;
    const LinearizeOp *ops;
    uint32_t count;
    HashMap index; /* word of a value -> element */
    Elements elements;
    Vec(uint32_t) empties;     /* members */
    bool pending_pops, others; /* others: peeks and sizes */
} Finder;

static Element *element_of(Finder *f, Value value)
{
    bool absent;
    uint64_t *at = hashmap_put(&f->index, value.word, &absent);
    if (absent) {
        *at = f->elements.count;
        vec_push(&f->elements, (Element){.member = {MONITOR_NO, MONITOR_NO},
                                         .operation = {MONITOR_NO, MONITOR_NO}});
    }
    return &f->elements.at[*at];
}

/* Fills the elements; false if a value repeats or an operation makes no sense. */
static bool collect(Finder *f)
{
    for (uint32_t i = 0; i < f->count; i++) {
        SpecCall call;
        Value value;
        plan_call(f->plan, f->members[i], &call);
        SpecRole role = f->plan->spec->role(f->plan->spec, &call, &value);
        bool pending = f->ops[i].returned == LINEARIZE_PENDING;
        if (role == SPEC_ROLE_PUT || (role == SPEC_ROLE_TAKE && !pending)) {
            Element *element = element_of(f, value);
            int which = role == SPEC_ROLE_TAKE;
            if (element->member[which] != MONITOR_NO)
                return false;
            element->member[which] = i;
            element->operation[which] = f->members[i];
            place(element, which, f->ops[i].called, f->ops[i].returned,
                  f->plan->spec->at_front(f->plan->spec, &call));
        } else if (role == SPEC_ROLE_TAKE) {
            f->pending_pops = true;
        } else if (role == SPEC_ROLE_EMPTY) {
            vec_push(&f->empties, i);
        } else if (f->plan->spec->effect(f->plan->spec, &call) == SPEC_READS) {
            f->others = true;
        } else {
            return false;
        }
    }
    size_t kept = 0;
    for (size_t i = 0; i < f->elements.count; i++) {
        Element element = f->elements.at[i];
        if (element.member[PUSH] == MONITOR_NO)
            return false; /* the search will say so */
        if (element.member[POP] == MONITOR_NO &&
            (f->pending_pops || element.returned[PUSH] == LINEARIZE_PENDING))
            continue;
        finish(&element);
        f->elements.at[kept++] = element;
    }
    f->elements.count = kept;
    return true;
}

/* The gap in which each empty-handed pop can be, in the order of positions; false if one has
 * none. */
static bool find_gaps(const Finder *f, uint32_t *gaps)
{
    uint32_t positions = f->plan->history->positions;
    int32_t *inside = calloc((size_t)positions + 2, sizeof *inside), sum = 0;
    uint32_t *next =
        malloc(((size_t)positions + 2) * sizeof *next); /* the first free gap from here */
    bool found = true;
    if (!inside || !next)
        die("out of memory");
    for (size_t i = 0; i < f->elements.count; i++) {
        const Element *element = &f->elements.at[i];
        if (element->returned[PUSH] < element->called[POP]) {
            inside[element->returned[PUSH]]++;
            inside[MIN(element->called[POP], positions + 1)]--;
        }
    }
    for (uint32_t p = 0; p <= positions; p++) {
        sum += inside[p];
        inside[p] = sum;
    }
    next[positions + 1] = NEVER;
    for (uint32_t p = positions + 1; p-- > 0;)
        next[p] = inside[p] ? next[p + 1] : p;
    for (size_t i = 0; i < f->empties.count && found; i++) {
        const LinearizeOp *op = &f->ops[f->empties.at[i]];
        gaps[i] = next[op->called];
        found = gaps[i] < op->returned;
    }
    free(inside);
    free(next);
    return found;
}

static int by_number(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

/* The number of GAPS before POSITION. */
static uint32_t gaps_before(const uint32_t *gaps, size_t count, uint32_t position)
{
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (gaps[middle] < position)
            low = middle + 1;
        else
            high = middle;
    }
    return (uint32_t)low;
}

/* Parts that follow one another: part p has rank 2 p, an empty-handed pop behind it 2 p + 1. Facts
 * of all operations that overlap and have different ranks. */
static void divide(Deque *deque, Finder *f)
{
    size_t count = f->empties.count;
    uint32_t *gaps = malloc((count + 1) * sizeof *gaps),
             *sorted = malloc((count + 1) * sizeof *sorted);
    uint32_t *rank = malloc((f->count + 1u) * sizeof *rank);
    if (!gaps || !sorted || !rank)
        die("out of memory");
    if (!find_gaps(f, gaps))
        goto done;
    memcpy(sorted, gaps, count * sizeof *gaps);
    qsort(sorted, count, sizeof *sorted, by_number);
    for (size_t i = 0; i < count; i++) /* behind everything before its gap */
        rank[f->empties.at[i]] = 2 * gaps_before(sorted, count, gaps[i] + 1) - 1;
    for (size_t i = 0; i < f->elements.count; i++) {
        const Element *element = &f->elements.at[i];
        uint32_t first = MIN(element->returned[PUSH], element->returned[POP]);
        /* it is before gap t if its first return is at t or earlier */
        uint32_t part = gaps_before(sorted, count, first);
        for (int which = 0; which < 2; which++)
            if (element->member[which] != MONITOR_NO)
                rank[element->member[which]] = 2 * part;
    }
    Vec(uint32_t) open = {0};
    for (uint32_t x = 0; x < f->count; x++) { /* in the order of their calls */
        size_t kept = 0;
        for (size_t j = 0; j < open.count; j++) {
            uint32_t y = open.at[j];
            if (f->ops[y].returned < f->ops[x].called)
                continue;
            open.at[kept++] = y;
            if (rank[y] != rank[x])
                add_fact(deque, rank[y] < rank[x] ? y : x, rank[y] < rank[x] ? x : y);
        }
        open.count = kept;
        vec_push(&open, x);
    }
    vec_free(&open);
done:
    free(gaps);
    free(sorted);
    free(rank);
}

static int by_word(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

bool deque_find(Deque *deque, const Plan *plan, const PlanGroup *group, const LinearizeOp *ops)
{
    if (plan->spec->shape != SPEC_SHAPE_DEQUE || plan->history->before || plan->history->stuck)
        return false;
    Finder f = {.plan = plan,
                .members = vec_from(&plan->members, group->first),
                .ops = ops,
                .count = group->count};
    vec_clear(&deque->facts);
    vec_clear(&deque->first);
    vec_clear(&deque->earlier);
    bool ok = collect(&f);
    bool whole = f.elements.count == f.index.count;
    if (ok)
        look_at_pairs(&f.elements, deque, NULL);
    if (ok && whole && f.empties.count && !f.others && !f.pending_pops)
        divide(deque, &f);
    if (deque->facts.count)
        qsort(deque->facts.at, deque->facts.count, sizeof *deque->facts.at, by_word);
    for (uint32_t x = 0, i = 0; x <= group->count; x++) {
        vec_push(&deque->first, (uint32_t)deque->earlier.count);
        for (; i < deque->facts.count && deque->facts.at[i] >> 32 == x; i++)
            vec_push(&deque->earlier, (uint32_t)deque->facts.at[i]);
    }
    hashmap_free(&f.index);
    vec_free(&f.elements);
    vec_free(&f.empties);
    return ok;
}

void deque_free(Deque *deque)
{
    vec_free(&deque->first);
    vec_free(&deque->earlier);
    vec_free(&deque->facts);
}
