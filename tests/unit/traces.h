/* traces.h: random traces, what their check needs, and the brute force over all histories that a
 * trace admits: for the tests of judge/graph/realtime.h. Include it once in a test. */
#ifndef HEDDLE_TESTS_TRACES_H
#define HEDDLE_TESTS_TRACES_H
#include "judge/graph/realtime.h"
#include "reference.h"
#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

enum {
    TAKE = 2
}; /* number of the method of a queue and of a stack that waits when there is nothing */

typedef struct Trace {
    RefHistory h; /* operations; the intervals are used by the brute force */
    RealtimeOrder order;
    bool stuck; /* a take waits for ever */
} Trace;

/* Threads make operations; each has a call, a few accesses to shared locations, and a return.
 * Events are ordered by thread and by conflicting accesses of one random interleaving. */
static void random_trace(Random *random, int model, int most, Trace *trace)
{
    enum { MOST_EVENTS = 64 };
    struct {
        int thread, op, kind, location; /* kind: 0 call, 1 return, 2 read, 3 write */
    } events[MOST_EVENTS], sorted[MOST_EVENTS];
    int threads = 2 + ref_random(random, 2), n = 2 + ref_random(random, most - 1), count = 0;
    int locations = 1 + ref_random(random, 4), next = 1;
    RefState state = ref_initial(model);
    *trace = (Trace){.h = {.model = model, .n = n}};
    trace->stuck = model != REGISTER && ref_random(random, 4) == 0;
    for (int k = 0; k < n; k++) {
        int thread = ref_random(random, threads);
        RefOp *op = &trace->h.ops[k];
        *op = (RefOp){.op = ref_random(random, 2), .a = next, .returned = 0};
        next += (model == REGISTER) == (op->op == 1);
        events[count].thread = thread;
        events[count].op = k;
        events[count++].kind = 0;
        for (int i = 1 + ref_random(random, 3); i-- > 0;) {
            events[count].thread = thread;
            events[count].op = k;
            events[count].kind = 2 + ref_random(random, 2);
            events[count++].location = ref_random(random, locations);
        }
        events[count].thread = thread;
        events[count].op = k;
        events[count++].kind = 1;
        /* results of some serial order, then some changed */
        RefOutcome out[MOST_STATE];
        ref_outcomes(model, op, &state, out);
        state = out[0].state;
        op->result = out[0].result;
    }
    for (int k = 0; k < n; k++)
        if (trace->h.ops[k].result != DONE && ref_random(random, 3) == 0)
            trace->h.ops[k].result = ref_random(random, 4) ? 1 + ref_random(random, next) : NONE;
    /* interleave: repeatedly the next event of a random thread */
    bool used[MOST_EVENTS] = {false};
    for (int i = 0; i < count;) {
        int thread = ref_random(random, threads), j = 0;
        while (j < count && (used[j] || events[j].thread != thread))
            j++;
        if (j == count)
            continue;
        used[j] = true;
        sorted[i++] = events[j];
    }
    uint64_t reach[MOST_EVENTS] = {0}; /* events before */
    for (int j = 0; j < count; j++)
        for (int i = 0; i < j; i++)
            if (sorted[i].thread == sorted[j].thread ||
                (sorted[i].kind >= 2 && sorted[j].kind >= 2 &&
                 sorted[i].location == sorted[j].location &&
                 (sorted[i].kind == 3 || sorted[j].kind == 3)))
                reach[j] |= reach[i] | (uint64_t)1 << i;
    for (int j = 0; j < count; j++)
        for (int i = 0; i < j; i++)
            if (sorted[i].kind < 2 && sorted[j].kind < 2 && reach[j] >> i & 1)
                trace->order.successors[2 * sorted[i].op + sorted[i].kind] |=
                    (uint64_t)1 << (2 * sorted[j].op + sorted[j].kind);
}

/* ---- what every test sets up ---- */

typedef struct Setup {
    Arena *arena;
    Values *values;
    Spec *spec;
    Automaton *automaton;
    Linearizer *linearizer;
    uint32_t labels[MOST_OPS], rank[MOST_OPS];
    RealtimeProblem problem; /* with all but def4, addable and context */
} Setup;

static uint32_t label_of(Setup *setup, int model, const RefOp *op)
{
    const RefMethod *method = &ref_methods[model][op->op];
    Value argument = value_int(setup->values, op->a);
    SpecCall call = {.count = (uint16_t)method->args,
                     .arguments = &argument,
                     .result = ref_value(setup->values, model, op->result, false)};
    assert_true(setup->spec->resolve(setup->spec, str_of(method->name), call.count, &call.method));
    return automaton_label(setup->automaton, &call);
}

/* Guesses at the order of effects change nothing in the answer: half of the time there are some. */
static void set_up(Setup *setup, Random *random, const Trace *trace)
{
    Error error;
    int model = trace->h.model;
    *setup = (Setup){.arena = arena_new(), .values = values_new(), .linearizer = linearizer_new()};
    setup->spec = spec_builtin(setup->arena, setup->values, str_of(ref_specs[model]), &error);
    setup->automaton = automaton_new(setup->spec);
    bool guess = ref_random(random, 2);
    for (int k = 0; k < trace->h.n; k++) {
        setup->labels[k] = label_of(setup, model, &trace->h.ops[k]);
        setup->rank[k] = (uint32_t)ref_random(random, trace->h.n);
    }
    RefOp waits = {.op = TAKE, .result = UNKNOWN};
    setup->problem =
        (RealtimeProblem){.automaton = setup->automaton,
                          .count = (uint32_t)trace->h.n,
                          .labels = setup->labels,
                          .rank = guess ? setup->rank : NULL,
                          .stuck = trace->stuck ? label_of(setup, model, &waits) : LINEARIZE_NONE};
}

static void tear_down(Setup *setup)
{
    linearizer_free(setup->linearizer);
    automaton_free(setup->automaton);
    values_free(setup->values);
    arena_free(setup->arena);
}

static RealtimeResult decide(Setup *setup, const Trace *trace)
{
    LinearizeLimits limits = {0};
    return realtime_check(setup->linearizer, &setup->problem, &trace->order, &limits);
}

static bool has_edge(const RealtimeOrder *order, uint32_t a, uint32_t b)
{
    return order->successors[2 * a + 1] >> (2 * b) & 1;
}

/* Rows of the edges of ORDER: bit j of rows[k] if j returns before k is called. */
static void rows_of(const RealtimeOrder *order, int n, uint64_t *rows)
{
    for (int k = 0; k < n; k++) {
        rows[k] = 0;
        for (int j = 0; j < n; j++)
            rows[k] |= (uint64_t)has_edge(order, (uint32_t)j, (uint32_t)k) << j;
    }
}

/* The brute force: can the operations that are not DONE follow STATE in an order that keeps ROWS?
 */
UNUSED static bool serial_exists(const Trace *trace, const uint64_t *rows, uint64_t done,
                                 const RefState *state)
{
    const RefHistory *h = &trace->h;
    RefOutcome out[MOST_STATE];
    if (done == ((uint64_t)1 << h->n) - 1)
        return !trace->stuck || !ref_outcomes(h->model, &(RefOp){.op = TAKE}, state, out);
    for (int k = 0; k < h->n; k++) {
        if (done >> k & 1 || rows[k] & ~done)
            continue;
        int count = ref_outcomes(h->model, &h->ops[k], state, out);
        for (int i = 0; i < count; i++)
            if (h->ops[k].result == out[i].result &&
                serial_exists(trace, rows, done | (uint64_t)1 << k, &out[i].state))
                return true;
    }
    return false;
}

UNUSED static bool is_serial_without(const Trace *trace, const uint64_t *rows, uint64_t left_out)
{
    RefState start = ref_initial(trace->h.model);
    uint64_t fewer[MOST_OPS];
    for (int k = 0; k < trace->h.n; k++)
        fewer[k] = rows[k] & ~left_out;
    return serial_exists(trace, fewer, left_out, &start);
}

UNUSED static bool is_serial(const Trace *trace, const uint64_t *rows)
{
    return is_serial_without(trace, rows, 0);
}

/* Who allows as many searches as are needed gets the answer; who allows one less does not. */
UNUSED static void check_limit(Setup *setup, const Trace *trace, const RealtimeResult *result)
{
    setup->problem.most_searches = result->searches;
    assert_int_equal(decide(setup, trace).verdict, result->verdict);
    if (result->searches == 1)
        return;
    setup->problem.most_searches = result->searches - 1;
    RealtimeResult less = decide(setup, trace);
    assert_int_equal(less.verdict, VERDICT_INCONCLUSIVE);
    assert_non_null(less.reason);
}

/* ---- the order is time: every linear extension ---- */

typedef bool Visit(void *context, const Trace *trace, const uint64_t *rows);
typedef struct Extensions {
    Trace *trace;
    HashMap seen; /* interval orders that were visited, N rows of N bits */
    Visit *visit;
    void *context;
} Extensions;

static bool visit_intervals(Extensions *x)
{
    uint64_t rows[MOST_OPS] = {0}, key = 0;
    int n = x->trace->h.n;
    bool absent;
    for (int k = 0; k < n; k++) {
        for (int j = 0; j < n; j++)
            rows[k] |= (uint64_t)ref_precedes(&x->trace->h.ops[j], &x->trace->h.ops[k]) << j;
        key = key << n | rows[k];
    }
    hashmap_put(&x->seen, key, &absent);
    return !absent || x->visit(x->context, x->trace, rows);
}

/* False as soon as a visit says so. */
static bool extend(Extensions *x, uint64_t done, int position)
{
    int n = x->trace->h.n;
    if (position == 2 * n)
        return visit_intervals(x);
    for (int e = 0; e < 2 * n; e++) {
        bool ready = !(done >> e & 1) && (e % 2 == 0 || done >> (e - 1) & 1);
        for (int f = 0; f < 2 * n && ready; f++)
            ready = done >> f & 1 || !(x->trace->order.successors[f] >> e & 1);
        if (!ready)
            continue;
        if (e % 2)
            x->trace->h.ops[e / 2].returned = position;
        else
            x->trace->h.ops[e / 2].called = position;
        if (!extend(x, done | (uint64_t)1 << e, position + 1))
            return false;
    }
    return true;
}

/* Is every history of TRACE fine? HISTORIES: how many different ones were looked at. */
static bool all_histories(Trace *trace, Visit *visit, void *context, size_t *histories)
{
    Extensions x = {.trace = trace, .visit = visit, .context = context};
    bool fine = extend(&x, 0, 0);
    *histories = x.seen.count;
    hashmap_free(&x.seen);
    return fine;
}

typedef bool Notion(const Trace *trace, const uint64_t *rows);

/* ---- under a weak model: sets of happens-before edges that keep an execution consistent ---- */

typedef struct Edge {
    uint32_t a, b;
} Edge;
/* What an execution forbids: some edge alone, or two together. Monotone, as the models are. */
typedef struct Weak {
    uint32_t n;
    struct {
        Edge first, second;
    } bad[6];
    int bad_count;
    RealtimeOrder allowed[256]; /* what was asked for, and may be */
    int allowed_count;
} Weak;

UNUSED static bool weak_consistent(const Weak *weak, const RealtimeOrder *order)
{
    for (int i = 0; i < weak->bad_count; i++)
        if (has_edge(order, weak->bad[i].first.a, weak->bad[i].first.b) &&
            has_edge(order, weak->bad[i].second.a, weak->bad[i].second.b))
            return false;
    return true;
}

UNUSED static void random_weak(Random *random, const Trace *trace, Weak *weak)
{
    weak->n = (uint32_t)trace->h.n;
    weak->bad_count = weak->allowed_count = 0;
    for (int i = ref_random(random, 7); i-- > 0;) {
        Edge e[2];
        for (int k = 0; k < 2; k++) {
            e[k].a = (uint32_t)ref_random(random, trace->h.n);
            e[k].b = (uint32_t)ref_random(random, trace->h.n);
        }
        if (ref_random(random, 2))
            e[1] = e[0];
        weak->bad[weak->bad_count].first = e[0];
        weak->bad[weak->bad_count++].second = e[1];
        if (!weak_consistent(weak, &trace->order))
            weak->bad_count--;
    }
}

/* Every set of edges, whether or not a client could be in time with it: those from pair number PAIR
 * on are added to ORDER, or not. What is not added may come with others, and is then no new set. */
UNUSED static bool all_sets_serial(const Trace *trace, const Weak *weak, const RealtimeOrder *order,
                                   uint32_t pair, Notion *notion)
{
    uint32_t n = weak->n, a = pair / n, b = pair % n;
    if (pair == n * n) {
        uint64_t rows[MOST_OPS];
        rows_of(order, trace->h.n, rows);
        return notion(trace, rows);
    }
    RealtimeOrder more = *order;
    if (a != b && !has_edge(order, a, b) && realtime_add(&more, 2 * n, 2 * a + 1, 2 * b) &&
        weak_consistent(weak, &more) && !all_sets_serial(trace, weak, &more, pair + 1, notion))
        return false;
    return all_sets_serial(trace, weak, order, pair + 1, notion);
}

/* RealtimeAddable, for a Weak as context. */
UNUSED static bool weak_may_add(void *context, const RealtimeOrder *order, uint32_t a, uint32_t b)
{
    const Weak *weak = context;
    RealtimeOrder more = *order;
    return realtime_add(&more, 2 * weak->n, 2 * a + 1, 2 * b) && weak_consistent(weak, &more);
}

static const int models[] = {FIFO, LIFO, REGISTER};

static void differ(const Trace *trace, long number, bool expected)
{
    ref_print(&trace->h);
    print_error("trace %ld%s: brute force says %d\n", number, trace->stuck ? ", stuck" : "",
                expected);
    fail();
}

#endif
