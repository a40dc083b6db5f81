/* Quasi linearizability along a history (judge/quasi/quasi.h) against the relaxed automaton, by a
 * search that tries every order (judge/linear/slow.h); the automaton itself is compared with the
 * definitions in spec_relax.c; and Definition 4 for histories against the search for general
 * orders. Values are different here, longer histories are made, some operations are pending: what
 * leaves out choices in quasi_doom.c and quasi_needs.c is at work. */
#include "judge/linear/checker_internal.h"
#include "judge/quasi/def4.h"
#include "judge/linear/slow.h"
#include "judge/quasi/relax.h"
#include "../../bench/history_simulate.h"
#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>
#include "twin.h"

#define NEAR 5u

static const int kinds[] = {SIM_QUEUE, SIM_STACK, SIM_PRIORITY, SIM_REGISTER};

typedef struct Tally {
    long holds, violated, undecided;
} Tally;

/* Exchanges the results of two takes (or reads), at most FAR operations from each other. */
static void exchange_results(Random *random, History *history, size_t far)
{
    Operation *ops = history->operations.at;
    size_t n = history->operations.count, first = (size_t)random_below(random, n);
    for (size_t i = first + 1; i < n && i <= first + far; i++)
        if (ops[i].name == ops[first].name && ops[first].count == 0 &&
            random_below(random, 2) == 0) {
            Value result = ops[first].result;
            ops[first].result = ops[i].result;
            ops[i].result = result;
            return;
        }
}

static void make_pending(Random *random, History *history)
{
    Operation *op = &history->operations.at[random_below(random, history->operations.count)];
    op->returned = HISTORY_PENDING;
    op->result = VALUE_UNKNOWN;
}

/* Definition 4 by the search for general orders; pending operations may have happened or not. */
static Verdict by_general_search(const Plan *plan, const LinearizeProblem *problem)
{
    const RelaxClasses *classes = relax_classes(plan->spec);
    Automaton *automaton = automaton_new(classes->inner);
    uint32_t labels[64], count = problem->count;
    uint8_t class[64];
    uint64_t before[64] = {0}, pending = 0, everyone = ((uint64_t)1 << count) - 1;
    for (uint32_t i = 0; i < count; i++) {
        const SpecCall *call = automaton_call(problem->automaton, problem->ops[i].label);
        labels[i] = automaton_label(automaton, call);
        class[i] = relax_class_of(plan->spec, call->method);
        if (problem->ops[i].returned == LINEARIZE_PENDING)
            pending |= (uint64_t)1 << i;
        for (uint32_t j = 0; j < count; j++)
            if (problem->ops[j].returned < problem->ops[i].called)
                before[i] |= (uint64_t)1 << j;
    }
    Def4Problem def4 = {.automaton = automaton,
                        .classes = classes,
                        .labels = labels,
                        .class = class,
                        .before = before,
                        .count = count,
                        .stuck = LINEARIZE_NONE};
    LinearizeLimits limits = {0};
    Verdict verdict = VERDICT_VIOLATED;
    for (uint64_t gone = pending; verdict == VERDICT_VIOLATED; gone = (gone - 1) & pending) {
        def4.all = everyone & ~gone;
        verdict = def4_search(&def4, &limits, NULL).verdict;
        if (!gone)
            break;
    }
    automaton_free(automaton);
    return verdict;
}

/* RANKS, PAIRS: both groups are relaxed, and nothing is pending: of a queue (ranks.h), of a stack
 * or a priority queue (nesting.h). */
typedef enum Draw { DRAW_ANY, DRAW_RANKS, DRAW_PAIRS } Draw;

static void compare(RelaxSemantics semantics, uint64_t seed, Draw draw, Tally *tally)
{
    Random random = {seed};
    Arena *arena = arena_new();
    Values *values = values_new();
    Error error = {0};
    int kind = kinds[random_below(&random, COUNT_OF(kinds))];
    uint64_t which = random_below(&random, 4), a = random_below(&random, 4),
             b = random_below(&random, 3);
    long ops = 4 + (long)random_below(&random, 6), slack = (long)random_below(&random, 4);
    bool both = draw != DRAW_ANY;
    if (both) {
        kind = draw == DRAW_RANKS ? SIM_QUEUE : kind < SIM_PRIORITY ? SIM_STACK : SIM_PRIORITY;
        which = 2;
        a += !a;
        b += !b;
    }
    if (semantics == RELAX_KOOO && which != 1) { /* the automaton tries all continuations */
        ops = MIN(ops, both && random_below(&random, 8) ? 6 : 7);
        a = MIN(a, 2);
        b = which == 3 ? MIN(b, 1) : b;
    }
    if (semantics == RELAX_DEF4 && draw == DRAW_PAIRS) { /* what is short holds */
        ops += 6;
        a = MIN(a, 1 + random_below(&random, 2));
    }
    int clients = 1 + (int)random_below(&random, 4);
    History *history = simulate(values, kind, ops, clients, random_next(&random), slack);
    for (uint64_t i = random_below(&random, 3) * (both ? 8 : 4); i > 0; i--)
        exchange_results(&random, history, NEAR);
    for (uint64_t i = draw == DRAW_PAIRS ? random_below(&random, 8) : 0; i > 0; i--)
        exchange_results(&random, history, 100);
    for (uint64_t i = both ? 0 : random_below(&random, 4); i > 2; i--)
        make_pending(&random, history);
    char factors[64];
    const char *const *names = sim_names[kind];
    if (which < 2)
        snprintf(factors, sizeof factors, "%s:%u", names[which], (unsigned)a);
    else if (which == 2)
        snprintf(factors, sizeof factors, "%s:%u,%s:%u", names[0], (unsigned)a, names[1],
                 (unsigned)b);
    else
        snprintf(factors, sizeof factors, "%s+%s:%u", names[0], names[1], (unsigned)b);
    Spec *inner = spec_builtin(arena, values, str_of(sim_specs[kind]), &error);
    Spec *spec = spec_relax(arena, inner, str_of(factors), semantics, &error);
    assert_non_null(spec);
    Plan plan;
    assert_true(plan_make(&plan, history, spec, true, &error));
    Checker *checker = checker_new(spec, true);
    LinearizeLimits limits = {0};
    GroupVerdict verdict = checker_group(checker, &plan, &plan.groups.at[0], &limits);
    const uint32_t *members = plan.members.at + plan.groups.at[0].first;
    checker_load(checker, &plan, members, plan.groups.at[0].count);
    LinearizeProblem problem = checker_problem(checker, &plan, members);
    Verdict slow =
        semantics == RELAX_DEF4 ? by_general_search(&plan, &problem) : slow_check(&problem, 20000);
    tally->holds += slow == VERDICT_HOLDS;
    tally->violated += slow == VERDICT_VIOLATED;
    tally->undecided += slow == VERDICT_INCONCLUSIVE;
    if (slow != VERDICT_INCONCLUSIVE && slow != verdict.verdict) {
        print_error("%s %s, semantics %d, seed %llu: %d, the automaton says %d\n", sim_kinds[kind],
                    factors, (int)semantics, (unsigned long long)seed, (int)verdict.verdict,
                    (int)slow);
        for (size_t i = 0; i < history->operations.count; i++) {
            const Operation *op = &history->operations.at[i];
            Buffer text = {0};
            buffer_printf(&text, "  %3u to %3d: %s(", op->called,
                          op->returned == HISTORY_PENDING ? -1 : (int)op->returned,
                          value_text(values, value_of_symbol(op->name)).at);
            if (op->count)
                value_print(values, history->arguments.at[op->arguments], &text);
            buffer_printf(&text, ") -> ");
            value_print(values, op->result, &text);
            print_error("%.*s\n", (int)text.count, text.at);
            vec_free(&text);
        }
        fail();
    }
    checker_free(checker);
    plan_free(&plan);
    history_free(history);
    spec_relax_free(spec);
    values_free(values);
    arena_free(arena);
}

static void run(RelaxSemantics semantics, long count, Draw draw)
{
    const char *from = getenv("HEDDLE_SEED");
    uint64_t seed = from ? strtoull(from, NULL, 10) : 0;
    Tally tally = {0};
    for (long i = 0; i < count; i++)
        compare(semantics, seed + (uint64_t)i * 2 + (uint64_t)semantics, draw, &tally);
    print_message("%ld hold, %ld do not, %ld were not decided\n", tally.holds, tally.violated,
                  tally.undecided);
    assert_true(tally.holds > count / 10 && tally.violated > count / 50 &&
                tally.undecided < count / 10);
}

static long count_of_all(void)
{
    return twin_count(5000, 300000);
}

/* The search that knows nothing of ranks: what linearize_dead_ends does after a contradiction. */
static Verdict by_search(Linearizer *linearizer, const LinearizeProblem *problem)
{
    LinearizeLimits limits = {.configurations = 20000};
    LinearizeResult result = {.verdict = VERDICT_VIOLATED, .at_the_latest = true};
    LinearizeDeadEnd end;
    linearize_dead_ends(linearizer, problem, &limits, &result, &end, 1);
    return result.verdict;
}

/* Is the order one of all operations that respects their intervals, and has the operations one
 * after the other an order, too? */
static void check_order(const Checker *checker, const LinearizeProblem *problem,
                        const LinearizeResult *result, Tally *tally)
{
    LinearizeOp *serial = calloc(problem->count, sizeof *serial);
    bool *placed = calloc(problem->count, sizeof *placed);
    assert_int_equal(result->order_count, problem->count);
    for (uint32_t i = 0; i < problem->count; i++) {
        uint32_t op = result->order[i];
        assert_false(placed[op]);
        placed[op] = true;
        for (uint32_t j = 0; j < i; j++)
            assert_true(problem->ops[op].returned > problem->ops[result->order[j]].called);
        serial[i] = (LinearizeOp){problem->ops[op].label, i * 2, i * 2 + 1, false};
    }
    LinearizeProblem alone = {.automaton = problem->automaton,
                              .ops = serial,
                              .count = problem->count,
                              .stuck = LINEARIZE_NONE};
    Verdict verdict = by_search(checker->linearizer, &alone);
    assert_true(verdict != VERDICT_VIOLATED);
    tally->undecided += verdict == VERDICT_INCONCLUSIVE;
    tally->holds++;
    free(serial);
    free(placed);
}

/* Longer histories of queues, both groups relaxed, which are decided by ranks (ranks.h): the search
 * that reads and writes place by place must say the same, and accept the order that was found. */
static void test_ranks(void **state)
{
    (void)state;
    const char *from = getenv("HEDDLE_SEED");
    uint64_t seed = from ? strtoull(from, NULL, 10) : 0;
    long count = twin_count(400, 100000);
    Tally tally = {0}, orders = {0};
    for (long i = 0; i < count; i++) {
        Random random = {seed + (uint64_t)i};
        Arena *arena = arena_new();
        Values *values = values_new();
        Error error = {0};
        /* the search's time grows steeply with the length, and under kooo with the factors, as it
         * tries all calls after the end: few are long, few have large factors */
        RelaxSemantics semantics = random_below(&random, 2) ? RELAX_KOOO : RELAX_SLOT;
        bool is_long = random_below(&random, 16) == 0;
        uint64_t most = semantics == RELAX_SLOT || random_below(&random, 64) == 0 ? 3 : 2;
        unsigned puts = 1 + (unsigned)random_below(&random, is_long ? 2 : most);
        unsigned takes = 1 + (unsigned)random_below(&random, most);
        long ops = 10 + (long)random_below(&random, is_long ? 40 : 8);
        long slack = (long)random_below(&random, 3);
        int clients = 1 + (int)random_below(&random, 4);
        History *history = simulate(values, SIM_QUEUE, ops, clients, random_next(&random), slack);
        for (uint64_t n = random_below(&random, 8); n > 0; n--)
            exchange_results(&random, history, NEAR);
        char factors[64];
        snprintf(factors, sizeof factors, "enq:%u,deq:%u", puts, takes);
        Spec *inner = spec_builtin(arena, values, str_of("fifo"), &error);
        Spec *spec = spec_relax(arena, inner, str_of(factors), semantics, &error);
        Plan plan;
        assert_true(plan_make(&plan, history, spec, true, &error));
        Checker *checker = checker_new(spec, true);
        checker_load(checker, &plan, plan.members.at, plan.groups.at[0].count);
        LinearizeProblem problem = checker_problem(checker, &plan, plan.members.at);
        LinearizeLimits limits = {.configurations = 20000};
        LinearizeResult result = linearize(checker->linearizer, &problem, &limits);
        assert_true(result.verdict != VERDICT_INCONCLUSIVE);
        if (result.verdict == VERDICT_HOLDS)
            check_order(checker, &problem, &result, &orders);
        Verdict slow = by_search(checker->linearizer, &problem);
        tally.holds += slow == VERDICT_HOLDS;
        tally.violated += slow == VERDICT_VIOLATED;
        tally.undecided += slow == VERDICT_INCONCLUSIVE;
        if (slow != VERDICT_INCONCLUSIVE && slow != result.verdict)
            print_error("seed %llu: %s: %d by ranks, %d by the search\n",
                        (unsigned long long)(seed + (uint64_t)i), factors, (int)result.verdict,
                        (int)slow);
        assert_true(slow == VERDICT_INCONCLUSIVE || slow == result.verdict);
        checker_free(checker);
        plan_free(&plan);
        history_free(history);
        spec_relax_free(spec);
        values_free(values);
        arena_free(arena);
    }
    print_message("%ld hold, %ld do not, %ld were not decided; %ld orders, %ld not decided\n",
                  tally.holds, tally.violated, tally.undecided, orders.holds, orders.undecided);
    assert_true(tally.holds > count / 10 && tally.violated > count / 10 &&
                tally.undecided < count / 10);
}

/* Takes that find nothing, puts that overlap, and nothing is ever taken: this holds (all takes may
 * stand before all puts), and is known by ranks without the search, which tries every order of the
 * puts with every call after the end. */
static void test_nothing_taken(void **state)
{
    (void)state;
    Arena *arena = arena_new();
    Values *values = values_new();
    Error error = {0};
    History *history = history_new(values);
    HistoryBuilder builder;
    history_build(&builder, history, "nothing taken");
    /* the process of each call and, the second time, of its return; the first three take */
    static const int events[] = {0, 1, 2, 1, 3, 4, 3,  0,  5, 2, 5,
                                 6, 4, 7, 6, 8, 9, 10, 10, 9, 8, 7};
    bool called[11] = {false};
    for (size_t i = 0; i < COUNT_OF(events); i++) {
        int who = events[i];
        Value process = value_int(values, who);
        Value name = value_string(values, str_of(sim_names[SIM_QUEUE][who < 3]));
        if (called[who])
            assert_true(history_return(&builder, process, 0, VALUE_NONE, 0, NULL));
        else
            assert_true(history_call(&builder, process, value_symbol(values, name), 0, &process,
                                     who < 3 ? 0 : 1, (uint32_t)i + 1, NULL));
        called[who] = true;
    }
    history_finish(&builder);
    for (int semantics = 0; semantics < 2; semantics++) {
        Spec *inner = spec_builtin(arena, values, str_of("fifo"), &error);
        Spec *spec =
            spec_relax(arena, inner, str_of("enq:2,deq:1"), (RelaxSemantics)semantics, &error);
        Plan plan;
        assert_true(plan_make(&plan, history, spec, true, &error));
        Checker *checker = checker_new(spec, true);
        checker_load(checker, &plan, plan.members.at, plan.groups.at[0].count);
        LinearizeProblem problem = checker_problem(checker, &plan, plan.members.at);
        LinearizeLimits limits = {.configurations = 1000};
        LinearizeResult result = linearize(checker->linearizer, &problem, &limits);
        assert_int_equal(result.verdict, VERDICT_HOLDS);
        checker_free(checker);
        plan_free(&plan);
        spec_relax_free(spec);
    }
    history_free(history);
    values_free(values);
    arena_free(arena);
}

/* One call after the other: push 1, 2, 3, 4, 5, pop 5, push 6, pop 1, pop 4; both groups are
 * relaxed by 1. Under kooo a call after the end may push 1 again, and change places with push 6:
 * push 1, 2, 3, 4, 5, pop 5, push 1, pop 1, 4, push 6 is what a stack does. Else it is violated: 2
 * and 3 stay, and at least 1 to 4 are pushed before anything is popped, so 1 would have to be
 * pushed after 2 and 3, two places later. */
static void test_put_again(void **state)
{
    (void)state;
    static const int calls[] = {1, 2, 3, 4, 5, -5, 6, -1, -4}; /* negative: popped */
    Arena *arena = arena_new();
    Values *values = values_new();
    Error error = {0};
    History *history = history_new(values);
    HistoryBuilder builder;
    history_build(&builder, history, "put again");
    for (uint32_t i = 0; i < COUNT_OF(calls); i++) {
        bool pops = calls[i] < 0;
        Value process = value_int(values, 0), value = value_int(values, abs(calls[i]));
        Value name = value_string(values, str_of(sim_names[SIM_STACK][pops]));
        assert_true(history_call(&builder, process, value_symbol(values, name), 0, &value,
                                 pops ? 0 : 1, i + 1, NULL));
        assert_true(history_return(&builder, process, 0, pops ? value : VALUE_NONE, 0, NULL));
    }
    history_finish(&builder);
    for (int semantics = 0; semantics < 2; semantics++) {
        Spec *inner = spec_builtin(arena, values, str_of("lifo"), &error);
        Spec *spec =
            spec_relax(arena, inner, str_of("push:1,pop:1"), (RelaxSemantics)semantics, &error);
        Plan plan;
        assert_true(plan_make(&plan, history, spec, true, &error));
        Checker *checker = checker_new(spec, true);
        LinearizeLimits limits = {0};
        GroupVerdict verdict = checker_group(checker, &plan, &plan.groups.at[0], &limits);
        assert_int_equal(verdict.verdict,
                         semantics == RELAX_KOOO ? VERDICT_HOLDS : VERDICT_VIOLATED);
        checker_free(checker);
        plan_free(&plan);
        spec_relax_free(spec);
    }
    history_free(history);
    values_free(values);
    arena_free(arena);
}

/* Short ones against the automaton (kooo, slot) and the search for general orders (def4). */
static long count_of_short(void)
{
    return twin_count(500, 100000);
}

static void test_short_ranks_kooo(void **state)
{
    (void)state;
    run(RELAX_KOOO, count_of_short(), DRAW_RANKS);
}
static void test_short_ranks_slot(void **state)
{
    (void)state;
    run(RELAX_SLOT, count_of_short(), DRAW_RANKS);
}
static void test_short_ranks_def4(void **state)
{
    (void)state;
    run(RELAX_DEF4, count_of_short(), DRAW_RANKS);
}

/* Stacks and priority queues with both groups relaxed (nesting.h). */
static void test_pairs_kooo(void **state)
{
    (void)state;
    run(RELAX_KOOO, count_of_short(), DRAW_PAIRS);
}
static void test_pairs_slot(void **state)
{
    (void)state;
    run(RELAX_SLOT, count_of_short(), DRAW_PAIRS);
}
static void test_pairs_def4(void **state)
{
    (void)state;
    run(RELAX_DEF4, count_of_short(), DRAW_PAIRS);
}

static void test_kooo(void **state)
{
    (void)state;
    run(RELAX_KOOO, count_of_all(), DRAW_ANY);
}
static void test_def4(void **state)
{
    (void)state;
    run(RELAX_DEF4, count_of_all(), DRAW_ANY);
}
static void test_slot(void **state)
{
    (void)state;
    run(RELAX_SLOT, count_of_all(), DRAW_ANY);
}

/* Somebody wants an end: what is not decided at once is left, whichever way it is decided. */
static void test_end_wanted(void **state)
{
    (void)state;
    static const RelaxSemantics semantics[] = {RELAX_SLOT, RELAX_KOOO, RELAX_DEF4};
    static const int of[] = {SIM_QUEUE, SIM_STACK, SIM_PRIORITY};
    static const volatile int wanted = 1;
    int left[COUNT_OF(of)][COUNT_OF(semantics)] = {{0}};
    for (uint64_t seed = 1; seed <= 24; seed++)
        for (size_t k = 0; k < COUNT_OF(of); k++)
            for (size_t s = 0; s < COUNT_OF(semantics); s++) {
                Arena *arena = arena_new();
                Values *values = values_new();
                Error error = {0};
                char factors[64];
                History *history = simulate(values, of[k], 200, 4, seed, 2);
                snprintf(factors, sizeof factors, "%s:2,%s:2", sim_names[of[k]][0],
                         sim_names[of[k]][1]);
                Spec *inner = spec_builtin(arena, values, str_of(sim_specs[of[k]]), &error);
                Spec *spec = spec_relax(arena, inner, str_of(factors), semantics[s], &error);
                Plan plan;
                assert_true(plan_make(&plan, history, spec, true, &error));
                Checker *checker = checker_new(spec, true);
                LinearizeLimits limits = {.stop = &wanted};
                GroupVerdict verdict = checker_group(checker, &plan, &plan.groups.at[0], &limits);
                if (verdict.verdict == VERDICT_INCONCLUSIVE) {
                    assert_string_equal(verdict.reason, "interrupted");
                    left[k][s]++;
                }
                assert_true(verdict.configurations <= 4096);
                checker_free(checker);
                plan_free(&plan);
                history_free(history);
                spec_relax_free(spec);
                values_free(values);
                arena_free(arena);
            }
    for (size_t k = 0; k < COUNT_OF(of); k++)
        for (size_t s = 0; s < COUNT_OF(semantics); s++) {
            print_message("%s %d: %d left\n", sim_kinds[of[k]], (int)semantics[s], left[k][s]);
            assert_true(left[k][s] > 0);
        }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_slot),
                                       cmocka_unit_test(test_kooo),
                                       cmocka_unit_test(test_ranks),
                                       cmocka_unit_test(test_nothing_taken),
                                       cmocka_unit_test(test_put_again),
                                       cmocka_unit_test(test_end_wanted),
                                       cmocka_unit_test(test_short_ranks_kooo),
                                       cmocka_unit_test(test_short_ranks_slot),
                                       cmocka_unit_test(test_short_ranks_def4),
                                       cmocka_unit_test(test_pairs_kooo),
                                       cmocka_unit_test(test_pairs_slot),
                                       cmocka_unit_test(test_pairs_def4),
                                       cmocka_unit_test(test_def4)};
    return TWIN_RUN(argc, argv, tests);
}
