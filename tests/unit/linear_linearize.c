/* The search, in interval and in partial-order form, the monitors and the division into parts,
 * against brute force over all orders with independently written models (reference.h). */
#include "judge/linear/checker.h"
#include "reference.h"
#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>
#include "twin.h"

static uint64_t seed(void)
{
    return getenv("HEDDLE_SEED") ? strtoull(getenv("HEDDLE_SEED"), NULL, 0) : 1;
}

static void fail_on(const RefHistory *h, const char *what, bool expected, long iteration)
{
    ref_print(h);
    print_error("%s differs: brute force says %s; iteration %ld of HEDDLE_SEED=%llu\n", what,
                expected ? "linearizable" : "not linearizable", iteration,
                (unsigned long long)seed());
    fail();
}

/* The witness must be a legal order that respects real time: checked with the reference models. */
static bool witness_ok(const RefHistory *h, const uint32_t *index, const LinearizeResult *result)
{
    unsigned in = 0;
    RefState states[64];
    int state_count = 1;
    states[0] = ref_initial(h->model);
    for (uint32_t k = 0; k < result->order_count; k++) {
        int x = 0;
        while (index[x] != result->order[k])
            x++;
        for (int j = 0; j < h->n; j++)
            if (!(in >> j & 1) && j != x && ref_precedes(&h->ops[j], &h->ops[x]))
                return false;
        RefState next[64];
        int next_count = 0;
        for (int s = 0; s < state_count; s++) {
            RefOutcome out[MOST_STATE];
            int count = ref_outcomes(h->model, &h->ops[x], &states[s], out);
            for (int o = 0; o < count && next_count < 64; o++)
                if (h->ops[x].result == UNKNOWN || h->ops[x].result == out[o].result)
                    next[next_count++] = out[o].state;
        }
        memcpy(states, next, sizeof states);
        state_count = next_count;
        in |= 1u << x;
    }
    for (int j = 0; j < h->n; j++)
        if (!(in >> j & 1) && h->ops[j].returned != INT32_MAX)
            return false;
    return state_count > 0;
}

typedef struct Model {
    Arena *arena;
    Values *values;
    Spec *spec;
    Automaton *automaton;
    Checker *checker;
    Linearizer *linearizer;
} Model;

static void model_open(Model *m, int model)
{
    Error error;
    m->arena = arena_new();
    m->values = values_new();
    m->spec = spec_builtin(m->arena, m->values, str_of(ref_specs[model]), &error);
    assert_non_null(m->spec);
    m->automaton = automaton_new(m->spec);
    m->checker = checker_new(m->spec, true);
    m->linearizer = linearizer_new();
}

static void model_close(Model *m)
{
    checker_free(m->checker);
    automaton_free(m->automaton);
    linearizer_free(m->linearizer);
    arena_free(m->arena);
    values_free(m->values);
}

/* The same with so many pending calls behind everything that masks take two words. */
static bool holds_when_wide(Model *m, const LinearizeOp *ops, const uint64_t *before,
                            uint32_t count, bool partial)
{
    enum { MORE = 70 };
    LinearizeOp wide[MOST_OPS + MORE];
    uint64_t rows[2 * (MOST_OPS + MORE)] = {0};
    uint64_t all = ((uint64_t)1 << count) - 1;
    memcpy(wide, ops, count * sizeof *ops);
    uint32_t label = 0; /* of a call that may change the state */
    for (uint32_t i = 0; i < count; i++) {
        SpecCall call = *automaton_call(m->automaton, ops[i].label);
        call.result = VALUE_UNKNOWN;
        label = automaton_label(m->automaton, &call);
        rows[2 * i] = before[i];
        if (!automaton_reads_only(m->automaton, label))
            break;
    }
    for (uint32_t i = 0; i < count; i++)
        rows[2 * i] = before[i];
    for (uint32_t i = count; i < count + MORE; i++) {
        wide[i] = (LinearizeOp){label, 1000 + i, LINEARIZE_PENDING, false};
        for (uint32_t j = 0; j < count; j++)
            if (ops[j].returned == LINEARIZE_PENDING)
                all &= ~((uint64_t)1 << j);
        rows[2 * i] = all;
    }
    LinearizeProblem problem = {.automaton = m->automaton,
                                .ops = wide,
                                .count = count + MORE,
                                .before = partial ? rows : NULL,
                                .stuck = LINEARIZE_NONE};
    LinearizeLimits limits = {0};
    return linearize(m->linearizer, &problem, &limits).verdict == VERDICT_HOLDS;
}

/* The monitor on every beginning of the history, against the search. */
static void compare_prefixes(Model *m, const Plan *plan, const LinearizeOp *ops, uint32_t count,
                             const RefHistory *h, long iteration)
{
    MonitorResult monitor = {0};
    for (uint32_t cut = 0; cut <= plan->history->positions; cut++) {
        LinearizeOp part[MOST_OPS];
        uint32_t taken = 0;
        for (uint32_t i = 0; i < count; i++) {
            if (ops[i].called >= cut)
                continue;
            part[taken] = ops[i];
            if (ops[i].returned >= cut) {
                SpecCall call = *automaton_call(m->automaton, ops[i].label);
                call.result = VALUE_UNKNOWN;
                part[taken].label = automaton_label(m->automaton, &call);
                part[taken].returned = LINEARIZE_PENDING;
            }
            taken++;
        }
        LinearizeProblem problem = {
            .automaton = m->automaton, .ops = part, .count = taken, .stuck = LINEARIZE_NONE};
        LinearizeLimits limits = {0};
        bool expected = linearize(m->linearizer, &problem, &limits).verdict == VERDICT_HOLDS;
        monitor_check(plan, &plan->groups.at[0], cut, &monitor);
        if (monitor.answer != MONITOR_UNABLE && (monitor.answer == MONITOR_HOLDS) != expected)
            fail_on(h, "the monitor on a beginning", expected, iteration);
    }
    monitor_result_free(&monitor);
}

static void compare(Model *m, const RefHistory *h, long iteration, long *held)
{
    bool expected = ref_linearizable(h);
    *held += expected;
    uint32_t index[MOST_OPS];
    History *history = ref_history(m->values, h, index);
    Plan plan;
    Error error;
    bool planned = plan_make(&plan, history, m->spec, false, &error);
    assert_true(planned);
    LinearizeOp ops[MOST_OPS];
    uint64_t before[MOST_OPS] = {0};
    bool optional = false;
    for (int i = 0; i < h->n; i++) {
        SpecCall call;
        plan_call(&plan, index[i], &call);
        const Operation *op = &history->operations.at[index[i]];
        ops[index[i]] = (LinearizeOp){automaton_label(m->automaton, &call), op->called,
                                      op->returned, h->ops[i].optional};
        optional = optional || h->ops[i].optional;
        for (int j = 0; j < h->n; j++)
            if (ref_precedes(&h->ops[j], &h->ops[i]))
                before[index[i]] |= (uint64_t)1 << index[j];
    }
    LinearizeProblem problem = {
        .automaton = m->automaton, .ops = ops, .count = (uint32_t)h->n, .stuck = LINEARIZE_NONE};
    LinearizeLimits limits = {0};
    LinearizeResult result = linearize(m->linearizer, &problem, &limits);
    if ((result.verdict == VERDICT_HOLDS) != expected)
        fail_on(h, "the search", expected, iteration);
    if (!optional) {
        if (expected && !witness_ok(h, index, &result))
            fail_on(h, "the order found by the search", expected, iteration);
        problem.before = before;
        result = linearize(m->linearizer, &problem, &limits);
        if ((result.verdict == VERDICT_HOLDS) != expected)
            fail_on(h, "the search over a partial order", expected, iteration);
        if (expected && !witness_ok(h, index, &result))
            fail_on(h, "the order found over a partial order", expected, iteration);
        if (iteration % 4 == 0 && h->n &&
            (holds_when_wide(m, ops, before, (uint32_t)h->n, false) != expected ||
             holds_when_wide(m, ops, before, (uint32_t)h->n, true) != expected))
            fail_on(h, "the search with wide masks", expected, iteration);
        MonitorResult monitor = {0};
        monitor_check(&plan, &plan.groups.at[0], MONITOR_WHOLE, &monitor);
        if (monitor.answer != MONITOR_UNABLE && (monitor.answer == MONITOR_HOLDS) != expected)
            fail_on(h, "the monitor", expected, iteration);
        if (monitor.answer == MONITOR_VIOLATED)
            compare_prefixes(m, &plan, ops, (uint32_t)h->n, h, iteration);
        monitor_result_free(&monitor);
        plan_free(&plan);
        planned = plan_make(&plan, history, m->spec, true, &error);
        assert_true(planned);
        bool holds = true;
        for (size_t g = 0; g < plan.groups.count; g++) {
            GroupVerdict verdict = checker_group(m->checker, &plan, &plan.groups.at[g], &limits);
            holds = holds && verdict.verdict == VERDICT_HOLDS;
            if (verdict.verdict == VERDICT_VIOLATED && iteration % 16 == 0) {
                Explanation explanation;
                checker_explain(m->checker, &plan, &plan.groups.at[g], &verdict, &limits,
                                &explanation);
                assert_true(explanation.core.count > 0);
                explanation_free(&explanation);
            }
        }
        if (holds != expected)
            fail_on(h, "the check part by part", expected, iteration);
    }
    plan_free(&plan);
    history_free(history);
}

static void run_model(int model, bool distinct, bool optional, long histories)
{
    Model m;
    Random random = {seed() * 1000003 + (uint64_t)model * 7 + distinct * 2 + optional};
    long held = 0;
    model_open(&m, model);
    for (long i = 0; i < histories; i++) {
        if (i % 2000 == 1999) { /* tables must not only ever grow */
            model_close(&m);
            model_open(&m, model);
        }
        RefHistory h;
        ref_random_history(&random, model, 1 + ref_random(&random, distinct ? 8 : 7), distinct, &h);
        for (int j = 0; optional && j < h.n; j++)
            h.ops[j].optional = h.ops[j].returned != INT32_MAX && ref_random(&random, 3) == 0;
        compare(&m, &h, i, &held);
    }
    model_close(&m);
    /* a test that only sees one answer tests little */
    assert_in_range(held, histories / 100, histories - histories / 100);
}

static void test_all_models(void **state)
{
    (void)state;
    for (int model = 0; model < MODELS; model++)
        run_model(model, false, false, twin_count(100000, 1000000) / MODELS + 1);
}

static void test_distinct_values(void **state)
{
    (void)state;
    static const int models[] = {FIFO, LIFO, REGISTER, KV};
    for (size_t i = 0; i < COUNT_OF(models); i++)
        run_model(models[i], true, false, twin_count(30000, 1000000));
}

static void test_optional_operations(void **state)
{
    (void)state;
    for (int model = 0; model < MODELS; model++)
        run_model(model, false, true, twin_count(1000, 20000));
}

/* ---- orders that are none of intervals ---- */

/* All orders of H that keep ROWS are tried; pending operations may be left out. */
static bool partial_search(const RefHistory *h, const uint64_t *rows, uint64_t in,
                           const RefState *state)
{
    bool all = true;
    for (int i = 0; i < h->n; i++)
        all = all && (in >> i & 1 || h->ops[i].returned == INT32_MAX);
    if (all)
        return true;
    for (int i = 0; i < h->n; i++) {
        if (in >> i & 1 || rows[i] & ~in)
            continue;
        RefOutcome out[MOST_STATE];
        int count = ref_outcomes(h->model, &h->ops[i], state, out);
        for (int k = 0; k < count; k++)
            if ((h->ops[i].result == UNKNOWN || h->ops[i].result == out[k].result) &&
                partial_search(h, rows, in | (uint64_t)1 << i, &out[k].state))
                return true;
    }
    return false;
}

/* Operations before others in a random order of them all, none before one that is pending. */
static void random_rows(Random *random, const RefHistory *h, uint64_t *rows)
{
    int order[MOST_OPS];
    for (int i = 0; i < h->n; i++) {
        int place = ref_random(random, i + 1);
        order[i] = order[place];
        order[place] = i;
    }
    memset(rows, 0, sizeof *rows * MOST_OPS);
    for (int j = 0; j < h->n; j++)
        for (int i = 0; i < j; i++)
            if (h->ops[order[i]].returned != INT32_MAX && ref_random(random, 3) == 0)
                rows[order[j]] |= rows[order[i]] | (uint64_t)1 << order[i];
}

static void test_partial_orders(void **state)
{
    (void)state;
    static const int models[] = {FIFO, REGISTER, COUNTER, SET};
    long histories = twin_count(40000, 1000000), held = 0;
    Random random = {seed() * 1000003 + 99};
    Model m;
    for (long i = 0; i < histories; i++) {
        RefHistory h;
        uint64_t rows[MOST_OPS];
        LinearizeOp ops[MOST_OPS];
        int model = models[i * 4 / histories];
        if (i * 4 % histories < 4) {
            if (i)
                model_close(&m);
            model_open(&m, model);
        }
        ref_random_history(&random, model, 1 + ref_random(&random, 6), false, &h);
        for (int k = 0; k < h.n; k++)
            if (ref_random(&random, 3) == 0) {
                h.ops[k].returned = INT32_MAX;
                h.ops[k].result = UNKNOWN;
            }
        random_rows(&random, &h, rows);
        for (int k = 0; k < h.n; k++) {
            const RefMethod *method = &ref_methods[model][h.ops[k].op];
            Value argument = value_int(m.values, h.ops[k].a);
            SpecCall call = {.count = (uint16_t)method->args,
                             .arguments = &argument,
                             .result = ref_value(m.values, model, h.ops[k].result, false)};
            assert_true(m.spec->resolve(m.spec, str_of(method->name), call.count, &call.method));
            ops[k] =
                (LinearizeOp){.label = automaton_label(m.automaton, &call),
                              .returned = h.ops[k].returned == INT32_MAX ? LINEARIZE_PENDING : 0};
        }
        LinearizeProblem problem = {.automaton = m.automaton,
                                    .ops = ops,
                                    .count = (uint32_t)h.n,
                                    .before = rows,
                                    .stuck = LINEARIZE_NONE};
        LinearizeLimits limits = {0};
        LinearizeResult result = linearize(m.linearizer, &problem, &limits);
        RefState start = ref_initial(model);
        bool expected = partial_search(&h, rows, 0, &start);
        held += expected;
        if ((result.verdict == VERDICT_HOLDS) != expected)
            fail_on(&h, "the search over a general order", expected, i);
        uint64_t done = 0;
        for (uint32_t k = 0; expected && k < result.order_count; k++) {
            assert_int_equal(rows[result.order[k]] & ~done, 0);
            done |= (uint64_t)1 << result.order[k];
        }
    }
    model_close(&m);
    assert_in_range(held, histories / 100, histories - histories / 100);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_models), cmocka_unit_test(test_distinct_values),
        cmocka_unit_test(test_optional_operations), cmocka_unit_test(test_partial_orders)};
    return TWIN_RUN(argc, argv, tests);
}
