/* Algorithm B3 against brute force over all linear extensions of random traces: all interval orders
 * that a trace admits, each checked over all serial orders with the independent models of
 * reference.h. Under weak models: over all sets of edges. */
#include "traces.h"

/* ---- other notions, by their definitions on one history ---- */

/* Quiescent consistency: only operations with a quiet moment between them keep their order. */
static bool is_quiescent(const Trace *trace, const uint64_t *rows)
{
    int n = trace->h.n;
    uint64_t kept[MOST_OPS] = {0};
    for (uint64_t cut = 1; cut + 1 < (uint64_t)1 << n; cut++) {
        bool quiet = true; /* between CUT and the others */
        for (int b = 0; b < n; b++)
            quiet = quiet && (cut >> b & 1 || !(cut & ~rows[b]));
        for (int b = 0; b < n && quiet; b++)
            if (!(cut >> b & 1))
                kept[b] |= cut;
    }
    return is_serial(trace, kept);
}

/* Operations that found nothing, and overlap another one, are left out. */
static uint32_t failed_of(const Trace *trace)
{
    uint32_t failed = 0;
    for (int k = 0; k < trace->h.n; k++)
        if (trace->h.ops[k].result == NONE)
            failed |= 1u << k;
    return failed;
}

static bool is_serial_but_for_failures(const Trace *trace, const uint64_t *rows)
{
    uint64_t left_out = 0;
    uint32_t failed = failed_of(trace);
    for (int f = 0; f < trace->h.n; f++)
        for (int k = 0; k < trace->h.n; k++)
            if (failed >> f & 1 && k != f && !(rows[f] >> k & 1) && !(rows[k] >> f & 1))
                left_out |= (uint64_t)1 << f;
    return is_serial_without(trace, rows, left_out);
}

typedef bool Notion(const Trace *trace, const uint64_t *rows);

/* What must be true of an answer besides its verdict. */
static void check_result(const Setup *setup, const Trace *trace, const RealtimeResult *result)
{
    if (result->verdict == VERDICT_HOLDS)
        return;
    uint64_t rows[MOST_OPS];
    int n = trace->h.n;
    assert_int_equal(result->verdict, VERDICT_VIOLATED);
    for (int e = 0; e < 2 * n; e++) { /* an order, and not less than that of the trace */
        assert_false(result->order.successors[e] >> e & 1);
        assert_int_equal(trace->order.successors[e] & ~result->order.successors[e], 0);
    }
    rows_of(&result->order, n, rows);
    if (!setup->problem.def4)
        assert_false(is_serial(trace, rows));
}

static bool visit_serial(void *context, const Trace *trace, const uint64_t *rows)
{
    (void)context;
    return is_serial(trace, rows);
}

static void test_against_all_extensions(void **state)
{
    (void)state;
    long traces = getenv("HEDDLE_NIGHTLY") ? 100000 : 10000, held = 0;
    uint64_t searches = 0;
    Random random = {77};
    for (long i = 0; i < traces; i++) {
        Trace trace;
        Setup setup;
        size_t histories;
        random_trace(&random, models[i % 3], 5, &trace);
        set_up(&setup, &random, &trace);
        RealtimeResult result = decide(&setup, &trace);
        bool expected = all_histories(&trace, visit_serial, NULL, &histories);
        held += expected;
        searches += result.searches;
        if ((result.verdict == VERDICT_HOLDS) != expected)
            differ(&trace, i, expected);
        check_result(&setup, &trace, &result);
        check_limit(&setup, &trace, &result);
        /* each search leaves at least one history to no other, the weakest of those that remain */
        if (expected)
            assert_in_range(result.searches, 1, histories);
        tear_down(&setup);
    }
    print_message("%ld traces, %ld hold, %.2f searches a trace\n", traces, held,
                  (double)searches / (double)traces);
    assert_in_range(held, traces / 50, traces - traces / 50);
}

/* ---- other notions ---- */

static bool visit_notion(void *context, const Trace *trace, const uint64_t *rows)
{
    return (*(Notion **)context)(trace, rows);
}

static void compare_notion(Notion *notion, bool failures, uint64_t seed)
{
    long traces = getenv("HEDDLE_NIGHTLY") ? 100000 : 4000, held = 0;
    Random random = {seed};
    for (long i = 0; i < traces; i++) {
        Trace trace;
        Setup setup;
        size_t histories;
        random_trace(&random, models[i % 3], 5, &trace);
        set_up(&setup, &random, &trace);
        if (failures)
            setup.problem.failed = failed_of(&trace);
        else
            setup.problem.notion = REALTIME_QUIESCENT;
        RealtimeResult result = decide(&setup, &trace);
        bool expected = all_histories(&trace, visit_notion, &notion, &histories);
        held += expected;
        if ((result.verdict == VERDICT_HOLDS) != expected)
            differ(&trace, i, expected);
        if (result.verdict == VERDICT_VIOLATED) {
            uint64_t rows[MOST_OPS];
            rows_of(&result.order, trace.h.n, rows);
            assert_false(is_serial_without(&trace, rows, result.left_out));
        }
        tear_down(&setup);
    }
    print_message("%ld traces, %ld hold\n", traces, held);
    assert_in_range(held, traces / 50, traces - traces / 50);
}

static void test_failures_against_all_extensions(void **state)
{
    (void)state;
    compare_notion(is_serial_but_for_failures, true, 91);
}

static void test_quiescence_against_all_extensions(void **state)
{
    (void)state;
    compare_notion(is_quiescent, false, 92);
}

/* ---- Definition 4 of quasi linearizability instead of linearizability ---- */

static bool visit_quasi(void *context, const Trace *trace, const uint64_t *rows)
{
    (void)trace;
    Def4Problem problem = *(Def4Problem *)context;
    problem.before = rows;
    return def4_slow(&problem, UINT64_MAX) == VERDICT_HOLDS;
}

static void test_def4_against_all_extensions(void **state)
{
    (void)state;
    long traces = getenv("HEDDLE_NIGHTLY") ? 100000 : 2000, held = 0;
    Random random = {78};
    for (long i = 0; i < traces; i++) {
        Trace trace;
        Setup setup;
        size_t histories;
        random_trace(&random, models[i % 3], 5, &trace);
        set_up(&setup, &random, &trace);
        uint8_t class[MOST_OPS];
        bool classless = ref_random(&random, 4) == 0; /* puts in no class */
        RelaxClasses classes = {.inner = setup.spec, .semantics = RELAX_DEF4, .count = 2};
        classes.factor[0] = (uint32_t)ref_random(&random, 2);
        classes.factor[1] = (uint32_t)ref_random(&random, 3);
        for (int k = 0; k < trace.h.n; k++)
            class[k] = ref_methods[trace.h.model][trace.h.ops[k].op].args
                           ? (classless ? RELAX_NO_CLASS : 0)
                           : 1;
        Def4Problem problem = {.automaton = setup.automaton,
                               .classes = &classes,
                               .labels = setup.labels,
                               .class = class,
                               .count = (uint32_t)trace.h.n,
                               .all = ((uint64_t)1 << trace.h.n) - 1,
                               .stuck = setup.problem.stuck};
        setup.problem.def4 = &problem;
        RealtimeResult result = decide(&setup, &trace);
        bool expected = all_histories(&trace, visit_quasi, &problem, &histories);
        held += expected;
        if ((result.verdict == VERDICT_HOLDS) != expected) {
            print_error("factors %u and %u\n", classes.factor[0], classes.factor[1]);
            differ(&trace, i, expected);
        }
        check_result(&setup, &trace, &result);
        check_limit(&setup, &trace, &result);
        tear_down(&setup);
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
    RealtimeOrder allowed[256]; /* what was asked for, and may be */
    int allowed_count;
} Weak;

static bool weak_consistent(const Weak *weak, const RealtimeOrder *order)
{
    for (int i = 0; i < weak->bad_count; i++)
        if (has_edge(order, weak->bad[i].first.a, weak->bad[i].first.b) &&
            has_edge(order, weak->bad[i].second.a, weak->bad[i].second.b))
            return false;
    return true;
}

/* Nothing is asked for that is there already, makes a cycle, or was looked at before. */
static bool weak_addable(void *context, const RealtimeOrder *order, uint32_t a, uint32_t b)
{
    Weak *weak = context;
    RealtimeOrder more = *order;
    assert_false(has_edge(order, a, b));
    assert_true(realtime_add(&more, 2 * weak->n, 2 * a + 1, 2 * b));
    if (!weak_consistent(weak, &more))
        return false;
    for (int i = 0; i < weak->allowed_count; i++)
        assert_memory_not_equal(&weak->allowed[i], &more, sizeof more);
    if (weak->allowed_count < (int)COUNT_OF(weak->allowed))
        weak->allowed[weak->allowed_count++] = more;
    return true;
}

static void random_weak(Random *random, const Trace *trace, Weak *weak)
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
static bool all_sets_serial(const Trace *trace, const Weak *weak, const RealtimeOrder *order,
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

static void test_weak_against_all_sets(void **state)
{
    (void)state;
    long traces = getenv("HEDDLE_NIGHTLY") ? 300000 : 12000, held = 0;
    Random random = {
        4706}; /* among the first: one that tells edges not added from times, 1 in 60,000 */
    for (long i = 0; i < traces; i++) {
        static Weak weak;
        Trace trace;
        Setup setup;
        random_trace(&random, models[i % 3], 6, &trace);
        random_weak(&random, &trace, &weak);
        set_up(&setup, &random, &trace);
        setup.problem.addable = weak_addable;
        setup.problem.context = &weak;
        RealtimeResult result = decide(&setup, &trace);
        bool expected = all_sets_serial(&trace, &weak, &trace.order, 0, is_serial);
        held += expected;
        if ((result.verdict == VERDICT_HOLDS) != expected)
            differ(&trace, i, expected);
        check_result(&setup, &trace, &result);
        if (!expected)
            assert_true(weak_consistent(&weak, &result.order));
        tear_down(&setup);
    }
    print_message("%ld weak traces, %ld hold\n", traces, held);
    assert_in_range(held, traces / 50, traces - traces / 50);
}

static bool weak_may_add(void *context, const RealtimeOrder *order, uint32_t a, uint32_t b)
{
    const Weak *weak = context;
    RealtimeOrder more = *order;
    return realtime_add(&more, 2 * weak->n, 2 * a + 1, 2 * b) && weak_consistent(weak, &more);
}

/* The other notions under a weak model. */
static void test_weak_notions(void **state)
{
    (void)state;
    long traces = getenv("HEDDLE_NIGHTLY") ? 100000 : 4000, held[2] = {0};
    Random random = {93};
    for (long i = 0; i < traces; i++) {
        static Weak weak;
        Trace trace;
        Setup setup;
        bool failures = i % 2;
        random_trace(&random, models[i % 3], 5, &trace);
        random_weak(&random, &trace, &weak);
        set_up(&setup, &random, &trace);
        setup.problem.addable = weak_may_add;
        setup.problem.context = &weak;
        if (failures)
            setup.problem.failed = failed_of(&trace);
        else
            setup.problem.notion = REALTIME_QUIESCENT;
        RealtimeResult result = decide(&setup, &trace);
        bool expected = all_sets_serial(&trace, &weak, &trace.order, 0,
                                        failures ? is_serial_but_for_failures : is_quiescent);
        held[failures] += expected;
        if ((result.verdict == VERDICT_HOLDS) != expected)
            differ(&trace, i, expected);
        tear_down(&setup);
    }
    print_message("%ld weak traces, %ld and %ld hold\n", traces, held[0], held[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_def4_against_all_extensions),
                                       cmocka_unit_test(test_against_all_extensions),
                                       cmocka_unit_test(test_failures_against_all_extensions),
                                       cmocka_unit_test(test_quiescence_against_all_extensions),
                                       cmocka_unit_test(test_weak_notions),
                                       cmocka_unit_test(test_weak_against_all_sets)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
