/* The sweep against brute force over all linear extensions of random traces, and, where these are
 * too many, against algorithm B3, which asks for one history after the other. */
#include "judge/graph/sweep.h"
#include "traces.h"
#include "twin.h"

#define ENOUGH UINT64_MAX /* steps */

static bool visit_serial(void *context, const Trace *trace, const uint64_t *rows)
{
    (void)context;
    return is_serial(trace, rows);
}

/* BAD is an order, has what that of the trace has, only adds edges from returns to calls and what
 * follows, and no serial order keeps it. */
static void check_bad(const Trace *trace, const RealtimeOrder *bad)
{
    uint64_t rows[MOST_OPS];
    uint32_t n = (uint32_t)trace->h.n;
    RealtimeOrder again = trace->order;
    for (uint32_t a = 0; a < n; a++)
        for (uint32_t b = 0; b < n; b++)
            if (has_edge(bad, a, b))
                assert_true(realtime_add(&again, 2 * n, 2 * a + 1, 2 * b));
    assert_memory_equal(&again, bad, sizeof again);
    rows_of(bad, trace->h.n, rows);
    assert_false(is_serial(trace, rows));
}

/* All values are 1: more serial orders explain a history, and more states are the same. */
static void make_equal(Trace *trace)
{
    for (int k = 0; k < trace->h.n; k++) {
        trace->h.ops[k].a = 1;
        if (trace->h.ops[k].result != DONE && trace->h.ops[k].result != NONE)
            trace->h.ops[k].result = 1;
    }
}

static void test_against_all_extensions(void **state)
{
    (void)state;
    static const int kinds[] = {FIFO, LIFO, REGISTER, BAG};
    long traces = twin_count(10000, 100000), held = 0;
    Random random = {101};
    Sweep *sweep = sweep_new();
    for (long i = 0; i < traces; i++) {
        Trace trace;
        Setup setup;
        size_t histories;
        RealtimeOrder bad;
        random_trace(&random, kinds[i % 4], 5, &trace);
        if (ref_random(&random, 2))
            make_equal(&trace);
        set_up(&setup, &random, &trace);
        Verdict verdict = sweep_check(sweep, &setup.problem, &trace.order, ENOUGH, &bad);
        bool expected = all_histories(&trace, visit_serial, NULL, &histories);
        held += expected;
        if (verdict != (expected ? VERDICT_HOLDS : VERDICT_VIOLATED))
            differ(&trace, i, expected);
        if (!expected)
            check_bad(&trace, &bad);
        tear_down(&setup);
    }
    sweep_free(sweep);
    print_message("%ld traces, %ld hold\n", traces, held);
    assert_in_range(held, traces / 50, traces - traces / 50);
}

/* Every operation is a thread of its own: an order of random pairs of events, sparse enough for
 * many histories. */
static void scatter(Random *random, Trace *trace)
{
    uint32_t n = (uint32_t)trace->h.n;
    trace->order = (RealtimeOrder){{0}};
    for (uint32_t k = 0; k < n; k++)
        realtime_add(&trace->order, 2 * n, 2 * k, 2 * k + 1);
    for (int i = ref_random(random, 3 * trace->h.n); i-- > 0;)
        realtime_add(&trace->order, 2 * n, (uint32_t)ref_random(random, 2 * trace->h.n),
                     (uint32_t)ref_random(random, 2 * trace->h.n));
}

static bool any_edge(void *context, const RealtimeOrder *order, uint32_t a, uint32_t b)
{
    (void)context, (void)order, (void)a, (void)b;
    return true;
}

/* B3 without the sweep, with it, and over all sets of edges that make no cycle, as under a weak
 * model, have to agree. */
static void test_against_searches(void **state)
{
    (void)state;
    static const int kinds[] = {FIFO, LIFO, REGISTER, BAG};
    long traces = twin_count(6000, 100000), held = 0, swept = 0, undecided = 0;
    Random random = {102};
    Sweep *sweep = sweep_new();
    for (long i = 0; i < traces; i++) {
        Trace trace;
        Setup setup;
        RealtimeOrder bad;
        random_trace(&random, kinds[i % 4], 8, &trace);
        scatter(&random, &trace);
        if (ref_random(&random, 3))
            make_equal(&trace);
        set_up(&setup, &random, &trace);
        setup.problem.most_searches = 20000;
        RealtimeResult expected = decide(&setup, &trace);
        setup.problem.addable = any_edge;
        RealtimeResult weak = decide(&setup, &trace);
        setup.problem.addable = NULL;
        setup.problem.sweep = sweep;
        RealtimeResult result = decide(&setup, &trace);
        Verdict verdict = sweep_check(sweep, &setup.problem, &trace.order, ENOUGH, &bad);
        assert_int_not_equal(verdict, VERDICT_INCONCLUSIVE);
        if (verdict == VERDICT_VIOLATED)
            check_bad(&trace, &bad);
        if (result.verdict == VERDICT_VIOLATED)
            check_bad(&trace, &result.order);
        if (result.verdict == VERDICT_INCONCLUSIVE)
            undecided++;
        else
            assert_int_equal(result.verdict, verdict);
        if (expected.verdict != VERDICT_INCONCLUSIVE && expected.verdict != verdict)
            differ(&trace, i, expected.verdict == VERDICT_HOLDS);
        if (weak.verdict != VERDICT_INCONCLUSIVE)
            assert_int_equal(weak.verdict, verdict);
        for (uint64_t steps = 0; steps < 1000; steps = 2 * steps + 10) {
            Verdict early = sweep_check(sweep, &setup.problem, &trace.order, steps, &bad);
            assert_true(early == verdict || early == VERDICT_INCONCLUSIVE);
        }
        held += verdict == VERDICT_HOLDS;
        swept += expected.searches > REALTIME_SWEEP_AFTER;
        tear_down(&setup);
    }
    sweep_free(sweep);
    print_message("%ld traces, %ld hold, %ld need many searches, %ld too many\n", traces, held,
                  swept, undecided);
    assert_in_range(undecided, 0, traces / 500);
    assert_in_range(held, traces / 50, traces - traces / 50);
    assert_in_range(swept, traces / 50, traces);
}

/* Writes that all overlap: the sweep has too many configurations, and one search is enough. */
static void test_gives_up(void **state)
{
    (void)state;
    Random random = {103};
    Trace trace = {.h = {.model = REGISTER, .n = MOST_OPS}};
    Setup setup;
    RealtimeOrder bad;
    uint32_t n = (uint32_t)trace.h.n;
    for (uint32_t k = 0; k < n; k++) /* every call comes before every return */
        for (uint32_t j = 0; j < n; j++)
            realtime_add(&trace.order, 2 * n, 2 * k, 2 * j + 1);
    for (int k = 0; k < trace.h.n; k++)
        trace.h.ops[k] = (RefOp){.op = 1, .a = 1 + k, .result = DONE};
    set_up(&setup, &random, &trace);
    setup.problem.sweep = sweep_new();
    assert_int_equal(sweep_check(setup.problem.sweep, &setup.problem, &trace.order, ENOUGH, &bad),
                     VERDICT_INCONCLUSIVE);
    assert_int_equal(decide(&setup, &trace).verdict, VERDICT_HOLDS);
    sweep_free(setup.problem.sweep);
    tear_down(&setup);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_against_all_extensions),
        cmocka_unit_test(test_against_searches),
        cmocka_unit_test(test_gives_up),
    };
    return TWIN_RUN(argc, argv, tests);
}
