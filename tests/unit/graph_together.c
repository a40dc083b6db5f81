/* Set linearizability (REALTIME_SET of judge/graph/realtime.h) against its definition: for every
 * history that a random trace admits, every sequence of sets of operations is tried; the operations
 * of a set overlap pairwise, are the same call with the same result, and take effect as one, in the
 * independent models of reference.h. */
#include "traces.h"
#include "twin.h"

/* What may be done together: takes (and reads) that found something. */
static uint32_t together_of(const Trace *trace)
{
    uint32_t together = 0;
    for (int k = 0; k < trace->h.n; k++)
        if (!ref_methods[trace->h.model][trace->h.ops[k].op].args &&
            trace->h.ops[k].result != NONE && trace->h.ops[k].result != DONE)
            together |= 1u << k;
    return together;
}

static bool is_step(const Trace *trace, const uint64_t *rows, uint64_t set, uint64_t done)
{
    int first = __builtin_ctzll(set);
    uint64_t together = together_of(trace);
    for (int k = 0; k < trace->h.n; k++) {
        if (!(set >> k & 1))
            continue;
        if (rows[k] & (~done | set)) /* something that comes before K is left, or in the set */
            return false;
        if (k != first && (!(together >> k & together >> first & 1) ||
                           trace->h.ops[k].op != trace->h.ops[first].op ||
                           trace->h.ops[k].result != trace->h.ops[first].result))
            return false;
    }
    return true;
}

/* Can sets of the operations that are not DONE follow STATE? */
static bool sets_exist(const Trace *trace, const uint64_t *rows, uint64_t done,
                       const RefState *state)
{
    const RefHistory *h = &trace->h;
    RefOutcome out[MOST_STATE];
    uint64_t left = (((uint64_t)1 << h->n) - 1) & ~done;
    if (!left)
        return !trace->stuck || !ref_outcomes(h->model, &(RefOp){.op = TAKE}, state, out);
    for (uint64_t set = left; set; set = (set - 1) & left) {
        if (!is_step(trace, rows, set, done))
            continue;
        const RefOp *op = &h->ops[__builtin_ctzll(set)];
        int count = ref_outcomes(h->model, op, state, out);
        for (int i = 0; i < count; i++)
            if (op->result == out[i].result && sets_exist(trace, rows, done | set, &out[i].state))
                return true;
    }
    return false;
}

static bool visit_sets(void *context, const Trace *trace, const uint64_t *rows)
{
    RefState start = ref_initial(trace->h.model);
    (void)context;
    return sets_exist(trace, rows, 0, &start);
}

/* Lets A and B overlap in every history, if the trace allows that. */
static bool overlap(Trace *trace, uint32_t a, uint32_t b)
{
    RealtimeOrder more = trace->order;
    uint32_t events = 2 * (uint32_t)trace->h.n;
    if (!realtime_add(&more, events, 2 * a, 2 * b + 1) ||
        !realtime_add(&more, events, 2 * b, 2 * a + 1))
        return false;
    trace->order = more;
    return true;
}

/* Gives results anew, of a serial run in which some takes do what an earlier one did, then changes
 * a few. */
static void set_results(Random *random, Trace *trace)
{
    RefOp *ops = trace->h.ops;
    RefState state = ref_initial(trace->h.model);
    for (int k = 0; k < trace->h.n; k++) {
        RefOutcome out[MOST_STATE];
        int with = k - 1; /* an earlier take that found something */
        while (with >= 0 && (ops[with].op != ops[k].op || ops[with].result == NONE))
            with--;
        ref_outcomes(trace->h.model, &ops[k], &state, out);
        ops[k].result = out[0].result;
        if (with >= 0 && ops[k].result != DONE && ref_random(random, 2) &&
            (overlap(trace, (uint32_t)k, (uint32_t)with) || ref_random(random, 8) == 0))
            ops[k].result = ops[with].result;
        else
            state = out[0].state;
        if (ops[k].result != DONE && ref_random(random, 8) == 0)
            ops[k].result = ref_random(random, 4) ? 1 + ref_random(random, 4) : NONE;
    }
}

static void test_against_all_extensions(void **state)
{
    (void)state;
    long traces = twin_count(4000, 100000), held = 0, weaker = 0;
    const char *from = getenv("HEDDLE_SEED");
    Random random = {from ? strtoull(from, NULL, 10) : 95};
    for (long i = 0; i < traces; i++) {
        Trace trace;
        Setup setup;
        size_t histories;
        random_trace(&random, models[i % 3], 6, &trace);
        set_results(&random, &trace);
        set_up(&setup, &random, &trace);
        bool linearizable = decide(&setup, &trace).verdict == VERDICT_HOLDS;
        setup.problem.notion = REALTIME_SET;
        setup.problem.together = together_of(&trace);
        RealtimeResult result = decide(&setup, &trace);
        bool expected = all_histories(&trace, visit_sets, NULL, &histories);
        held += expected;
        weaker += expected && !linearizable;
        if ((result.verdict == VERDICT_HOLDS) != expected)
            differ(&trace, i, expected);
        if (result.verdict == VERDICT_VIOLATED) { /* an order that no sequence of sets keeps */
            uint64_t rows[MOST_OPS];
            rows_of(&result.order, trace.h.n, rows);
            assert_false(visit_sets(NULL, &trace, rows));
        }
        check_limit(&setup, &trace, &result);
        tear_down(&setup);
    }
    print_message("%ld traces, %ld hold, %ld of them are not linearizable\n", traces, held, weaker);
    assert_in_range(held, traces / 50, traces - traces / 50);
    assert_true(weaker > traces / 100);
}

static bool are_sets(const Trace *trace, const uint64_t *rows)
{
    return visit_sets(NULL, trace, rows);
}

/* Under a weak model: over all sets of edges with which the execution stays consistent. */
static void test_weak_against_all_sets(void **state)
{
    (void)state;
    long traces = twin_count(2000, 100000), held = 0;
    Random random = {98};
    for (long i = 0; i < traces; i++) {
        static Weak weak;
        Trace trace;
        Setup setup;
        random_trace(&random, models[i % 3], 5, &trace);
        set_results(&random, &trace);
        random_weak(&random, &trace, &weak);
        set_up(&setup, &random, &trace);
        setup.problem.addable = weak_may_add;
        setup.problem.context = &weak;
        setup.problem.notion = REALTIME_SET;
        setup.problem.together = together_of(&trace);
        bool expected = all_sets_serial(&trace, &weak, &trace.order, 0, are_sets);
        held += expected;
        if ((decide(&setup, &trace).verdict == VERDICT_HOLDS) != expected)
            differ(&trace, i, expected);
        tear_down(&setup);
    }
    print_message("%ld weak traces, %ld hold\n", traces, held);
    assert_in_range(held, traces / 50, traces - traces / 50);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_against_all_extensions),
                                       cmocka_unit_test(test_weak_against_all_sets)};
    return TWIN_RUN(argc, argv, tests);
}
