/* Long histories: those of a correct object hold; with one violation planted, always found. What is
 * planted is a violation for certain, by an argument that needs no checker (see `plant`). */
#include "judge/linear/checker.h"
#include "../../bench/history_simulate.h"
#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

static bool precedes(const Operation *a, const Operation *b)
{
    return a->returned != HISTORY_PENDING && a->returned < b->called;
}

typedef struct Search {
    History *history;
    int kind;
    Vec(uint32_t) put_of; /* by operation: the put of what it took or read, or UINT32_MAX */
} Search;

/* The operation that put the value which operation I took. */
static void find_puts(Search *s)
{
    HashMap put = {0};
    for (uint32_t i = 0; i < s->history->operations.count; i++) {
        const Operation *op = &s->history->operations.at[i];
        Str name = value_text(s->history->values, value_of_symbol(op->name));
        if (str_is(name, sim_names[s->kind][0]))
            *hashmap_put(&put, s->history->arguments.at[op->arguments].word, NULL) = i + 1;
    }
    for (uint32_t i = 0; i < s->history->operations.count; i++) {
        const uint64_t *at = hashmap_find(&put, s->history->operations.at[i].result.word);
        vec_push(&s->put_of, at ? (uint32_t)*at - 1 : UINT32_MAX);
    }
    hashmap_free(&put);
}

/* Is exchanging the results of x and y, x before y, a violation for certain? With a and b the puts
 * of what x and y took: queue: a precedes b and x precedes y: afterwards y takes the older value
 * although x took the younger. stack: b precedes a, a precedes x, x precedes y: x takes the value
 * of b while that of a lies on it and is only taken later, by y. register: a precedes b, and b
 * precedes y; then y alone, given the value of a, reads what has been overwritten (x is left as it
 * is). priority queue: the value of a is smaller, a precedes x, x precedes y: x takes the larger
 * value while the smaller one is inside, since y takes it only later. */
static bool certain(const Search *s, uint32_t x, uint32_t y)
{
    if (s->put_of.at[x] == UINT32_MAX || s->put_of.at[y] == UINT32_MAX ||
        s->put_of.at[x] == s->put_of.at[y])
        return false;
    const Operation *ops = s->history->operations.at, *a = &ops[s->put_of.at[x]],
                    *b = &ops[s->put_of.at[y]];
    switch (s->kind) {
    case SIM_QUEUE:
        return precedes(a, b) && precedes(&ops[x], &ops[y]);
    case SIM_STACK:
        return precedes(b, a) && precedes(a, &ops[x]) && precedes(&ops[x], &ops[y]);
    case SIM_PRIORITY:
        return value_compare(s->history->values, ops[x].result, ops[y].result) < 0 &&
               precedes(a, &ops[x]) && precedes(&ops[x], &ops[y]);
    default:
        return precedes(a, b) && precedes(b, &ops[y]);
    }
}

static bool plant(History *history, int kind, Random *random)
{
    Search s = {.history = history, .kind = kind};
    find_puts(&s);
    uint32_t n = (uint32_t)history->operations.count;
    bool planted = false;
    for (int tries = 0; tries < 200000 && !planted; tries++) {
        uint32_t x = (uint32_t)random_below(random, n);
        uint32_t y = x + 1 + (uint32_t)random_below(random, 200);
        if (y >= n || !certain(&s, x, y))
            continue;
        Value result = history->operations.at[x].result;
        if (kind != SIM_REGISTER)
            history->operations.at[x].result = history->operations.at[y].result;
        history->operations.at[y].result = result;
        planted = true;
    }
    vec_free(&s.put_of);
    return planted;
}

static Verdict check(const History *history, const Spec *spec, bool monitors)
{
    Plan plan;
    Error error;
    assert_true(plan_make(&plan, history, spec, true, &error));
    Checker *checker = checker_new(spec, monitors);
    LinearizeLimits limits = {.memory = (size_t)1 << 30, .configurations = 3000000};
    Verdict verdict = VERDICT_HOLDS;
    for (size_t g = 0; g < plan.groups.count && verdict == VERDICT_HOLDS; g++)
        verdict = checker_group(checker, &plan, &plan.groups.at[g], &limits).verdict;
    checker_free(checker);
    plan_free(&plan);
    return verdict;
}

static void run_kind(int kind, long operations, int clients, bool monitors, int rounds)
{
    if (getenv("HEDDLE_NIGHTLY"))
        rounds *= 10;
    int planted = 0;
    for (int round = 0; round < rounds; round++) {
        Values *values = values_new();
        Arena *arena = arena_new();
        Error error;
        Random random = {(uint64_t)round * 77 + (uint64_t)kind};
        Spec *spec = spec_builtin(arena, values, str_of(sim_specs[kind]), &error);
        History *history = simulate(values, kind, operations, clients, random_next(&random), 0);
        assert_int_equal(check(history, spec, monitors), VERDICT_HOLDS);
        if (kind != SIM_KV && kind != SIM_SET) {
            bool found = plant(history, kind, &random); /* a short history may have no place */
            planted += found;
            if (found)
                assert_int_equal(check(history, spec, monitors), VERDICT_VIOLATED);
        } else { /* one result made impossible: a text nobody wrote; inside of what was never added
                  */
            uint32_t at = (uint32_t)random_below(&random, (uint64_t)operations);
            Operation *op = &history->operations.at[at];
            while (!str_is(value_text(values, value_of_symbol(op->name)),
                           sim_names[kind][kind == SIM_KV ? 1 : 2]))
                op = &history->operations.at[at = (at + 1) % (uint32_t)operations];
            if (kind == SIM_KV) {
                op->result = value_concat(values, op->result, value_string(values, STR("?")));
            } else {
                history->arguments.at[op->arguments] = value_int(values, 99);
                op->result = VALUE_TRUE;
            }
            assert_int_equal(check(history, spec, monitors), VERDICT_VIOLATED);
            planted++;
        }
        history_free(history);
        values_free(values);
        arena_free(arena);
    }
    assert_in_range(planted, rounds - rounds / 10, rounds);
}

static void test_monitors(void **state)
{
    (void)state;
    for (int kind = 0; kind < SIM_PRIORITY; kind++) { /* it has none */
        run_kind(kind, 2000, 8, true, 10);
        run_kind(kind, 20000, 40, true, 1);
    }
}

static void test_search(void **state)
{
    (void)state;
    for (int kind = 0; kind < SIM_KINDS; kind++)
        run_kind(kind, kind <= SIM_STACK ? 80 : 300, 3, false, 20);
}

/* Histories too long for brute force, some results exchanged: monitors and the facts about append
 * logs against the search alone. */
static void test_differential(void **state)
{
    (void)state;
    int rounds = getenv("HEDDLE_NIGHTLY") ? 3000 : 150, compared = 0, held = 0;
    for (int round = 0; round < rounds; round++)
        for (int kind = 0; kind < SIM_KINDS; kind++) {
            Values *values = values_new();
            Arena *arena = arena_new();
            Error error;
            Random random = {(uint64_t)round * 131 + (uint64_t)kind + 9};
            Spec *spec = spec_builtin(arena, values, str_of(sim_specs[kind]), &error);
            int clients = kind <= SIM_STACK ? 3 : 6;
            History *history = simulate(values, kind, 70, clients, random_next(&random), 0);
            for (uint64_t n = random_below(&random, 3); n-- > 0;) {
                Operation *a = &history->operations.at[random_below(&random, 70)];
                Operation *b = &history->operations.at[random_below(&random, 70)];
                if (a->name == b->name) {
                    Value result = a->result;
                    a->result = b->result;
                    b->result = result;
                }
            }
            Verdict fast = check(history, spec, true), slow = check(history, spec, false);
            assert_int_not_equal(fast, VERDICT_INCONCLUSIVE);
            if (slow != VERDICT_INCONCLUSIVE) {
                assert_int_equal(fast, slow);
                compared++;
                held += fast == VERDICT_HOLDS;
            }
            history_free(history);
            values_free(values);
            arena_free(arena);
        }
    assert_in_range(compared, rounds * SIM_KINDS / 2, rounds * SIM_KINDS);
    assert_in_range(held, compared / 10, compared - compared / 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_monitors),
                                       cmocka_unit_test(test_search),
                                       cmocka_unit_test(test_differential)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
