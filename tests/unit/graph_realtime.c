/* Algorithm B3 against brute force over all linear extensions of random traces: all interval orders
 * that a trace admits, each checked over all serial orders with the independent models of
 * reference.h. Under weak models: over all sets of edges. */
#include "traces.h"
#include "twin.h"

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

/* Every other operation: its call is in progress until the history ends. */
static uint32_t late_of(const Trace *trace)
{
    return (1u << trace->h.n) / 3;
}

static bool is_serial_but_for_lag(const Trace *trace, const uint64_t *rows)
{
    uint64_t fewer[MOST_OPS];
    for (int k = 0; k < trace->h.n; k++)
        fewer[k] = rows[k] & ~(uint64_t)late_of(trace);
    return is_serial(trace, fewer);
}

static bool is_quiescent_but_for_lag(const Trace *trace, const uint64_t *rows)
{
    uint64_t fewer[MOST_OPS];
    for (int k = 0; k < trace->h.n; k++)
        fewer[k] = rows[k] & ~(uint64_t)late_of(trace);
    return is_quiescent(trace, fewer);
}

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

/* Linearizability for the specifications KINDS, of which there are KIND_COUNT. */
static void compare_linearizable(const int *kinds, int kind_count, long day, uint64_t seed)
{
    long traces = twin_count(day, 100000), held = 0;
    uint64_t searches = 0;
    Random random = {seed};
    for (long i = 0; i < traces; i++) {
        Trace trace;
        Setup setup;
        size_t histories;
        random_trace(&random, kinds[i % kind_count], 5, &trace);
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

static void test_against_all_extensions(void **state)
{
    (void)state;
    compare_linearizable(models, COUNT_OF(models), 10000, 77);
}

/* A bag is the same notion with a weaker specification, of which one call has several outcomes. */
static void test_bag_against_all_extensions(void **state)
{
    (void)state;
    compare_linearizable(&(const int){BAG}, 1, 2000, 96);
}

/* ---- other notions ---- */

static bool visit_notion(void *context, const Trace *trace, const uint64_t *rows)
{
    return (*(Notion **)context)(trace, rows);
}

typedef enum Kind { FAILURES, QUIESCENCE, LAG, LAG_QUIESCENCE, LAG_FAILURES } Kind;

static void ask(Setup *setup, const Trace *trace, Kind kind)
{
    if (kind == FAILURES || kind == LAG_FAILURES)
        setup->problem.failed = failed_of(trace);
    if (kind == QUIESCENCE || kind == LAG_QUIESCENCE)
        setup->problem.notion = REALTIME_QUIESCENT;
    if (kind >= LAG)
        setup->problem.late = late_of(trace);
}

static void compare_notion(Notion *notion, Kind kind, uint64_t seed)
{
    long traces = twin_count(4000, 100000), held = 0;
    Random random = {seed};
    for (long i = 0; i < traces; i++) {
        Trace trace;
        Setup setup;
        size_t histories;
        random_trace(&random, models[i % 3], 5, &trace);
        set_up(&setup, &random, &trace);
        ask(&setup, &trace, kind);
        RealtimeResult result = decide(&setup, &trace);
        bool expected = all_histories(&trace, visit_notion, &notion, &histories);
        held += expected;
        if ((result.verdict == VERDICT_HOLDS) != expected)
            differ(&trace, i, expected);
        if (result.verdict == VERDICT_VIOLATED) {
            uint64_t rows[MOST_OPS];
            rows_of(&result.order, trace.h.n, rows);
            assert_false(is_serial_without(&trace, rows, result.left_out));
            for (int k = 0; k < trace.h.n && kind >= LAG; k++) /* nothing has to follow it */
                if (late_of(&trace) >> k & 1)
                    assert_int_equal(result.order.successors[2 * k + 1], 0);
        }
        tear_down(&setup);
    }
    print_message("%ld traces, %ld hold\n", traces, held);
    assert_in_range(held, traces / 50, traces - traces / 50);
}

static void test_failures_against_all_extensions(void **state)
{
    (void)state;
    compare_notion(is_serial_but_for_failures, FAILURES, 91);
}

static void test_quiescence_against_all_extensions(void **state)
{
    (void)state;
    compare_notion(is_quiescent, QUIESCENCE, 92);
}

static bool is_serial_but_for_both(const Trace *trace, const uint64_t *rows)
{
    uint64_t fewer[MOST_OPS];
    for (int k = 0; k < trace->h.n; k++)
        fewer[k] = rows[k] & ~(uint64_t)late_of(trace);
    return is_serial_but_for_failures(trace, fewer);
}

static void test_lag_against_all_extensions(void **state)
{
    (void)state;
    compare_notion(is_serial_but_for_lag, LAG, 94);
    compare_notion(is_quiescent_but_for_lag, LAG_QUIESCENCE, 95);
    compare_notion(is_serial_but_for_both, LAG_FAILURES, 97);
}

/* ---- sequential consistency: the given order is that of each thread, and no other counts ---- */

/* Takes the accesses that random_trace() lets conflict out of the order: what stays is that each
 * operation of a thread returns before the next one of that thread is called. */
static void keep_threads(Random *random, Trace *trace, int *thread)
{
    int n = trace->h.n, threads = 1 + ref_random(random, 3);
    trace->order = (RealtimeOrder){{0}};
    for (int k = 0; k < n; k++) {
        thread[k] = ref_random(random, threads);
        realtime_add(&trace->order, 2 * (uint32_t)n, 2 * (uint32_t)k, 2 * (uint32_t)k + 1);
        for (int j = 0; j < k; j++)
            if (thread[j] == thread[k])
                realtime_add(&trace->order, 2 * (uint32_t)n, 2 * (uint32_t)j + 1, 2 * (uint32_t)k);
    }
}

/* Lamport's definition: the operations of all threads in some order, those of a thread in theirs.
 */
static bool interleaves(const Trace *trace, const int *thread, uint64_t done, const RefState *state)
{
    const RefHistory *h = &trace->h;
    RefOutcome out[MOST_STATE];
    uint32_t met = 0; /* threads whose first operation that is left was tried */
    if (done == ((uint64_t)1 << h->n) - 1)
        return !trace->stuck || !ref_outcomes(h->model, &(RefOp){.op = TAKE}, state, out);
    for (int k = 0; k < h->n; k++) {
        if (done >> k & 1 || met >> thread[k] & 1)
            continue;
        met |= 1u << thread[k];
        int count = ref_outcomes(h->model, &h->ops[k], state, out);
        for (int i = 0; i < count; i++)
            if (h->ops[k].result == out[i].result &&
                interleaves(trace, thread, done | (uint64_t)1 << k, &out[i].state))
                return true;
    }
    return false;
}

static void test_sequential_against_all_orders(void **state)
{
    (void)state;
    static const int kinds[] = {FIFO, LIFO, REGISTER, BAG};
    long traces = twin_count(4000, 100000), held = 0;
    Random random = {97};
    for (long i = 0; i < traces; i++) {
        Trace trace;
        Setup setup;
        int thread[MOST_OPS];
        random_trace(&random, kinds[i % 4], 7, &trace);
        keep_threads(&random, &trace, thread);
        set_up(&setup, &random, &trace);
        setup.problem.notion = REALTIME_SEQUENTIAL;
        RefState start = ref_initial(trace.h.model);
        bool expected = interleaves(&trace, thread, 0, &start);
        held += expected;
        if ((decide(&setup, &trace).verdict == VERDICT_HOLDS) != expected)
            differ(&trace, i, expected);
        tear_down(&setup);
    }
    print_message("%ld traces, %ld hold\n", traces, held);
    assert_in_range(held, traces / 50, traces - traces / 50);
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
    long traces = twin_count(2000, 100000), held = 0;
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

/* ---- under a weak model ---- */

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

static void test_weak_against_all_sets(void **state)
{
    (void)state;
    long traces = twin_count(12000, 300000), held = 0;
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

/* The other notions under a weak model. */
static void test_weak_notions(void **state)
{
    (void)state;
    static Notion *const notions[] = {is_serial_but_for_failures, is_quiescent,
                                      is_serial_but_for_lag};
    long traces = twin_count(6000, 300000), held[3] = {0};
    Random random = {93};
    for (long i = 0; i < traces; i++) {
        static Weak weak;
        Trace trace;
        Setup setup;
        Kind kind = (Kind)(i % 3);
        random_trace(&random, models[i / 3 % 3], 5, &trace);
        random_weak(&random, &trace, &weak);
        set_up(&setup, &random, &trace);
        setup.problem.addable = weak_may_add;
        setup.problem.context = &weak;
        ask(&setup, &trace, kind);
        RealtimeResult result = decide(&setup, &trace);
        bool expected = all_sets_serial(&trace, &weak, &trace.order, 0, notions[kind]);
        held[kind] += expected;
        if ((result.verdict == VERDICT_HOLDS) != expected)
            differ(&trace, i, expected);
        tear_down(&setup);
    }
    print_message("%ld weak traces, %ld, %ld and %ld hold\n", traces, held[0], held[1], held[2]);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_def4_against_all_extensions),
                                       cmocka_unit_test(test_against_all_extensions),
                                       cmocka_unit_test(test_bag_against_all_extensions),
                                       cmocka_unit_test(test_sequential_against_all_orders),
                                       cmocka_unit_test(test_failures_against_all_extensions),
                                       cmocka_unit_test(test_quiescence_against_all_extensions),
                                       cmocka_unit_test(test_lag_against_all_extensions),
                                       cmocka_unit_test(test_weak_notions),
                                       cmocka_unit_test(test_weak_against_all_sets)};
    return TWIN_RUN(argc, argv, tests);
}
