/* Algorithm B3 against brute force over all linear extensions of random traces: all interval orders
 * that a trace admits, each checked over all serial orders with the independent models of
 * reference.h. */
#include "check/realtime.h"
#include "reference.h"
#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

typedef struct Trace {
    RefHistory h; /* operations; the intervals are not used */
    RealtimeOrder order;
} Trace;

/* Threads make operations; each has a call, a few accesses to shared locations, and a return.
 * Events are ordered by thread and by conflicting accesses of one random interleaving. */
static void random_trace(Random *random, int model, Trace *trace)
{
    enum { MOST_EVENTS = 64 };
    struct {
        int thread, op, kind, location; /* kind: 0 call, 1 return, 2 read, 3 write */
    } events[MOST_EVENTS], sorted[MOST_EVENTS];
    int threads = 2 + ref_random(random, 2), n = 2 + ref_random(random, 4), count = 0;
    int locations = 1 + ref_random(random, 4), next = 1;
    RefState state = ref_initial(model);
    *trace = (Trace){.h = {.model = model, .n = n}};
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

/* Every linear extension, as intervals; false as soon as one is not linearizable. */
static bool all_linearizable(Trace *trace, uint64_t done, int position, long *histories)
{
    int n = trace->h.n;
    if (position == 2 * n) {
        ++*histories;
        return ref_linearizable(&trace->h);
    }
    for (int e = 0; e < 2 * n; e++) {
        bool ready = !(done >> e & 1) && (e % 2 == 0 || done >> (e - 1) & 1);
        for (int f = 0; f < 2 * n && ready; f++)
            ready = done >> f & 1 || !(trace->order.successors[f] >> e & 1);
        if (!ready)
            continue;
        if (e % 2)
            trace->h.ops[e / 2].returned = position;
        else
            trace->h.ops[e / 2].called = position;
        if (!all_linearizable(trace, done | (uint64_t)1 << e, position + 1, histories))
            return false;
    }
    return true;
}

static void test_against_all_extensions(void **state)
{
    (void)state;
    static const int models[] = {FIFO, LIFO, REGISTER};
    long traces = getenv("HEDDLE_NIGHTLY") ? 100000 : 10000, held = 0;
    uint64_t searches = 0;
    Random random = {77};
    for (long i = 0; i < traces; i++) {
        Trace trace;
        int model = models[i % 3];
        random_trace(&random, model, &trace);
        Arena *arena = arena_new();
        Values *values = values_new();
        Error error;
        Spec *spec = spec_builtin(arena, values, str_of(ref_specs[model]), &error);
        Automaton *automaton = automaton_new(spec);
        Linearizer *linearizer = linearizer_new();
        uint32_t labels[MOST_OPS];
        for (int k = 0; k < trace.h.n; k++) {
            const RefOp *op = &trace.h.ops[k];
            const RefMethod *method = &ref_methods[model][op->op];
            Value argument = value_int(values, op->a);
            SpecCall call = {.count = (uint16_t)method->args,
                             .arguments = &argument,
                             .result = ref_value(values, model, op->result, false)};
            assert_true(spec->resolve(spec, str_of(method->name), call.count, &call.method));
            labels[k] = automaton_label(automaton, &call);
        }
        RealtimeProblem problem = {.automaton = automaton,
                                   .count = (uint32_t)trace.h.n,
                                   .labels = labels,
                                   .stuck = LINEARIZE_NONE};
        LinearizeLimits limits = {0};
        RealtimeResult result = realtime_check(linearizer, &problem, &trace.order, &limits);
        long histories = 0;
        bool expected = all_linearizable(&trace, 0, 0, &histories);
        held += expected;
        searches += result.searches;
        if ((result.verdict == VERDICT_HOLDS) != expected) {
            ref_print(&trace.h);
            print_error("trace %ld: brute force says %d\n", i, expected);
            fail();
        }
        linearizer_free(linearizer);
        automaton_free(automaton);
        values_free(values);
        arena_free(arena);
    }
    print_message("%ld traces, %ld hold, %.2f searches a trace\n", traces, held,
                  (double)searches / (double)traces);
    assert_in_range(held, traces / 50, traces - traces / 50);
}

/* ---- Definition 4 of quasi linearizability instead of linearizability ---- */

typedef struct Def4Trace {
    Def4Problem problem;
    uint64_t rows[MOST_OPS];
    uint64_t seen[512][MOST_OPS]; /* interval orders that were looked at */
    int seen_count;
} Def4Trace;

static bool all_quasi(Def4Trace *d, Trace *trace, uint64_t done, int position)
{
    int n = trace->h.n;
    if (position == 2 * n) {
        for (int k = 0; k < n; k++) {
            d->rows[k] = 0;
            for (int j = 0; j < n; j++)
                if (trace->h.ops[j].returned < trace->h.ops[k].called)
                    d->rows[k] |= (uint64_t)1 << j;
        }
        for (int i = 0; i < d->seen_count; i++)
            if (!memcmp(d->seen[i], d->rows, sizeof d->rows))
                return true;
        if (d->seen_count < (int)COUNT_OF(d->seen))
            memcpy(d->seen[d->seen_count++], d->rows, sizeof d->rows);
        d->problem.before = d->rows;
        return def4_slow(&d->problem, UINT64_MAX) == VERDICT_HOLDS;
    }
    for (int e = 0; e < 2 * n; e++) {
        bool ready = !(done >> e & 1) && (e % 2 == 0 || done >> (e - 1) & 1);
        for (int f = 0; f < 2 * n && ready; f++)
            ready = done >> f & 1 || !(trace->order.successors[f] >> e & 1);
        if (!ready)
            continue;
        if (e % 2)
            trace->h.ops[e / 2].returned = position;
        else
            trace->h.ops[e / 2].called = position;
        if (!all_quasi(d, trace, done | (uint64_t)1 << e, position + 1))
            return false;
    }
    return true;
}

static void test_def4_against_all_extensions(void **state)
{
    (void)state;
    static const int models[] = {FIFO, LIFO, REGISTER};
    long traces = getenv("HEDDLE_NIGHTLY") ? 20000 : 2000, held = 0;
    Random random = {78};
    for (long i = 0; i < traces; i++) {
        Trace trace;
        int model = models[i % 3];
        random_trace(&random, model, &trace);
        Arena *arena = arena_new();
        Values *values = values_new();
        Error error;
        Spec *spec = spec_builtin(arena, values, str_of(ref_specs[model]), &error);
        Automaton *automaton = automaton_new(spec);
        Linearizer *linearizer = linearizer_new();
        uint32_t labels[MOST_OPS];
        uint8_t class[MOST_OPS];
        bool classless = ref_random(&random, 4) == 0; /* puts in no class */
        RelaxClasses classes = {.inner = spec, .semantics = RELAX_DEF4, .count = 2};
        classes.factor[0] = (uint32_t)ref_random(&random, 2);
        classes.factor[1] = (uint32_t)ref_random(&random, 3);
        for (int k = 0; k < trace.h.n; k++) {
            const RefOp *op = &trace.h.ops[k];
            const RefMethod *method = &ref_methods[model][op->op];
            Value argument = value_int(values, op->a);
            SpecCall call = {.count = (uint16_t)method->args,
                             .arguments = &argument,
                             .result = ref_value(values, model, op->result, false)};
            assert_true(spec->resolve(spec, str_of(method->name), call.count, &call.method));
            labels[k] = automaton_label(automaton, &call);
            class[k] = call.count ? (classless ? RELAX_NO_CLASS : 0) : 1;
        }
        static Def4Trace d;
        d = (Def4Trace){.problem = {.automaton = automaton,
                                    .classes = &classes,
                                    .labels = labels,
                                    .class = class,
                                    .count = (uint32_t)trace.h.n,
                                    .all = ((uint64_t)1 << trace.h.n) - 1,
                                    .stuck = LINEARIZE_NONE}};
        RealtimeProblem problem = {.def4 = &d.problem,
                                   .count = (uint32_t)trace.h.n,
                                   .labels = labels,
                                   .stuck = LINEARIZE_NONE};
        LinearizeLimits limits = {0};
        RealtimeResult result = realtime_check(linearizer, &problem, &trace.order, &limits);
        bool expected = all_quasi(&d, &trace, 0, 0);
        held += expected;
        if ((result.verdict == VERDICT_HOLDS) != expected) {
            ref_print(&trace.h);
            print_error("trace %ld, factors %u and %u: brute force says %d\n", i, classes.factor[0],
                        classes.factor[1], expected);
            fail();
        }
        linearizer_free(linearizer);
        automaton_free(automaton);
        values_free(values);
        arena_free(arena);
    }
    assert_in_range(held, traces / 50, traces - traces / 50);
}

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
} Weak;

static bool has_edge(const RealtimeOrder *order, Edge e)
{
    return order->successors[2 * e.a + 1] >> (2 * e.b) & 1;
}

static bool weak_consistent(const Weak *weak, const RealtimeOrder *order)
{
    for (int i = 0; i < weak->bad_count; i++)
        if (has_edge(order, weak->bad[i].first) && has_edge(order, weak->bad[i].second))
            return false;
    return true;
}

static bool weak_addable(void *context, const RealtimeOrder *order, uint32_t a, uint32_t b)
{
    const Weak *weak = context;
    RealtimeOrder more = *order;
    return realtime_add(&more, 2 * weak->n, 2 * a + 1, 2 * b) && weak_consistent(weak, &more);
}

static void random_weak(Random *random, const Trace *trace, Weak *weak)
{
    *weak = (Weak){.n = (uint32_t)trace->h.n};
    for (int i = ref_random(random, 7); i-- > 0;) {
        Edge e[2];
        for (int k = 0; k < 2; k++) {
            e[k].a = (uint32_t)ref_random(random, trace->h.n);
            e[k].b = (uint32_t)ref_random(random, trace->h.n);
        }
        if (ref_random(random, 2))
            e[1] = e[0];
        weak->bad[weak->bad_count].first = e[0];
        weak->bad[weak->bad_count].second = e[1];
        if (weak_consistent(&(Weak){.bad = {{e[0], e[1]}}, .bad_count = 1}, &trace->order))
            weak->bad_count++;
    }
}

static bool serial_exists(const RefHistory *h, const RealtimeOrder *order, unsigned done,
                          const RefState *state)
{
    if (done == (1u << h->n) - 1)
        return true;
    for (int k = 0; k < h->n; k++) {
        bool ready = !(done >> k & 1);
        for (int j = 0; j < h->n && ready; j++)
            ready = done >> j & 1 || j == k || !has_edge(order, (Edge){(uint32_t)j, (uint32_t)k});
        if (!ready)
            continue;
        RefOutcome out[MOST_STATE];
        int count = ref_outcomes(h->model, &h->ops[k], state, out);
        for (int i = 0; i < count; i++)
            if (h->ops[k].result == out[i].result &&
                serial_exists(h, order, done | 1u << k, &out[i].state))
                return true;
    }
    return false;
}

/* Every set of edges, whether or not a client could be in time with it. */
static bool all_sets_serial(const Trace *trace, const Weak *weak)
{
    uint32_t n = weak->n;
    for (uint32_t set = 0; set < 1u << (n * n); set++) {
        RealtimeOrder order = trace->order;
        bool fine = true;
        for (uint32_t e = 0; e < n * n && fine; e++)
            if (set >> e & 1)
                fine = e / n != e % n && realtime_add(&order, 2 * n, 2 * (e / n) + 1, 2 * (e % n));
        RefState start = ref_initial(trace->h.model);
        if (fine && weak_consistent(weak, &order) && !serial_exists(&trace->h, &order, 0, &start))
            return false;
    }
    return true;
}

static void test_weak_against_all_sets(void **state)
{
    (void)state;
    static const int models[] = {FIFO, LIFO, REGISTER};
    long traces = getenv("HEDDLE_NIGHTLY") ? 20000 : 1500, held = 0;
    Random random = {4711};
    for (long i = 0; i < traces; i++) {
        Trace trace;
        Weak weak;
        int model = models[i % 3];
        do
            random_trace(&random, model, &trace);
        while (trace.h.n > 4);
        random_weak(&random, &trace, &weak);
        Arena *arena = arena_new();
        Values *values = values_new();
        Error error;
        Spec *spec = spec_builtin(arena, values, str_of(ref_specs[model]), &error);
        Automaton *automaton = automaton_new(spec);
        Linearizer *linearizer = linearizer_new();
        uint32_t labels[MOST_OPS];
        for (int k = 0; k < trace.h.n; k++) {
            const RefOp *op = &trace.h.ops[k];
            const RefMethod *method = &ref_methods[model][op->op];
            Value argument = value_int(values, op->a);
            SpecCall call = {.count = (uint16_t)method->args,
                             .arguments = &argument,
                             .result = ref_value(values, model, op->result, false)};
            assert_true(spec->resolve(spec, str_of(method->name), call.count, &call.method));
            labels[k] = automaton_label(automaton, &call);
        }
        RealtimeProblem problem = {.automaton = automaton,
                                   .count = (uint32_t)trace.h.n,
                                   .labels = labels,
                                   .stuck = LINEARIZE_NONE,
                                   .addable = weak_addable,
                                   .context = &weak};
        LinearizeLimits limits = {0};
        RealtimeResult result = realtime_check(linearizer, &problem, &trace.order, &limits);
        bool expected = all_sets_serial(&trace, &weak);
        held += expected;
        if ((result.verdict == VERDICT_HOLDS) != expected) {
            ref_print(&trace.h);
            print_error("weak trace %ld: brute force says %d\n", i, expected);
            fail();
        }
        linearizer_free(linearizer);
        automaton_free(automaton);
        values_free(values);
        arena_free(arena);
    }
    print_message("%ld weak traces, %ld hold\n", traces, held);
    assert_in_range(held, traces / 50, traces - traces / 50);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_def4_against_all_extensions),
                                       cmocka_unit_test(test_against_all_extensions),
                                       cmocka_unit_test(test_weak_against_all_sets)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
