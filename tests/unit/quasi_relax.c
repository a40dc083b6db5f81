/* relax(spec, Q) and def4 against brute force: all orders, all permitted permutations, all
 * continuations, straight from the definitions in judge/quasi/relax.h. */
#include "judge/quasi/relax.h"
#include "judge/linear/checker_internal.h"
#include "judge/linear/slow.h"
#include "reference.h"
#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>
#include "twin.h"

typedef struct Brute {
    const RefHistory *h;
    RelaxSemantics semantics;
    int factor[2]; /* of puts, of takes; -1: not in a class */
    /* the run p: operations of the history, then of the continuation */
    RefOp run[MOST_OPS + 8];
    int length, own;         /* own: those of the history */
    int place[MOST_OPS + 8]; /* in its class */
    int result[MOST_OPS + 8];
    bool used[MOST_OPS + 8];
} Brute;

static int class_of(const Brute *b, const RefOp *op)
{
    bool put = b->h->model == REGISTER ? op->op == 1 : op->op == 0;
    int c = put ? 0 : 1;
    return b->factor[c] < 0 ? -1 : c;
}

/* kooo: what is taken in p was put before. */
static bool causal(const Brute *b)
{
    int inside[16] = {0};
    if (b->semantics != RELAX_KOOO || b->h->model == REGISTER)
        return true;
    for (int i = 0; i < b->length; i++)
        if (b->run[i].op == 0)
            inside[b->run[i].a]++;
        else if (b->result[i] != NONE && --inside[b->result[i]] < 0)
            return false;
    return true;
}

/* Fills place J of p' in every permitted way. */
static bool permute(Brute *b, int j, const RefState *state)
{
    if (j == b->length)
        return causal(b);
    int c = class_of(b, &b->run[j]);
    for (int y = 0; y < b->length; y++) {
        if (b->used[y] || class_of(b, &b->run[y]) != c || (c < 0 && y != j) ||
            (c >= 0 && abs(b->place[y] - b->place[j]) > b->factor[c]))
            continue;
        RefOutcome out[MOST_STATE];
        int count = ref_outcomes(b->h->model, &b->run[y], state, out);
        for (int k = 0; k < count; k++) {
            if (b->run[y].result != UNKNOWN && b->run[y].result != out[k].result)
                continue;
            b->used[y] = true;
            b->result[y] = out[k].result;
            bool found = permute(b, j + 1, &out[k].state);
            b->used[y] = false;
            if (found)
                return true;
        }
    }
    return false;
}

static bool run_allowed(Brute *b)
{
    int next[2] = {0, 0};
    for (int i = 0; i < b->length; i++) {
        int c = class_of(b, &b->run[i]);
        b->place[i] = c < 0 ? 0 : next[c]++;
    }
    RefState start = ref_initial(b->h->model);
    memset(b->used, 0, sizeof b->used);
    if (permute(b, 0, &start))
        return true;
    if (b->semantics != RELAX_KOOO)
        return false;
    int more[2] = {0, 0};
    for (int i = b->own; i < b->length; i++)
        more[class_of(b, &b->run[i])]++;
    for (int i = 0; i < b->h->n; i++) {
        int c = class_of(b, &b->h->ops[i]);
        if (c < 0 || more[c] >= b->factor[c])
            continue;
        bool repeated = false;
        for (int j = 0; j < i; j++)
            repeated = repeated || (b->h->ops[j].op == b->h->ops[i].op &&
                                    (c == 1 || b->h->ops[j].a == b->h->ops[i].a));
        if (repeated)
            continue;
        b->run[b->length] = b->h->ops[i];
        b->run[b->length++].result = UNKNOWN;
        bool found = run_allowed(b);
        b->length--;
        if (found)
            return true;
    }
    return false;
}

/* All orders p that respect real time. */
static bool orders(Brute *b, unsigned in)
{
    bool all = true;
    for (int i = 0; i < b->h->n; i++)
        all = all && (in >> i & 1 || b->h->ops[i].returned == INT32_MAX);
    if (all) {
        b->own = b->length;
        if (run_allowed(b))
            return true;
    }
    for (int i = 0; i < b->h->n; i++) {
        bool ready = !(in >> i & 1);
        for (int j = 0; j < b->h->n; j++)
            ready = ready && (in >> j & 1 || !ref_precedes(&b->h->ops[j], &b->h->ops[i]));
        if (!ready)
            continue;
        b->run[b->length++] = b->h->ops[i];
        bool found = orders(b, in | 1u << i);
        b->length--;
        if (found)
            return true;
    }
    return false;
}

/* Definition 4: for a run t that is allowed, is there an order with small displacements? */
static bool displaced_little(Brute *b, const int *t, int count, unsigned in, int *order, int placed)
{
    if (placed == count) {
        for (int c = 0; c < 2; c++) {
            int at[MOST_OPS] = {0}, next = 0;
            if (b->factor[c] < 0)
                continue;
            for (int i = 0; i < count; i++)
                if (class_of(b, &b->h->ops[order[i]]) == c)
                    at[order[i]] = next++;
            next = 0;
            for (int i = 0; i < count; i++)
                if (class_of(b, &b->h->ops[t[i]]) == c && abs(at[t[i]] - next++) > b->factor[c])
                    return false;
        }
        return true;
    }
    for (int k = 0; k < count; k++) {
        int i = t[k];
        bool ready = !(in >> i & 1);
        for (int m = 0; m < count; m++)
            ready = ready && (in >> t[m] & 1 || !ref_precedes(&b->h->ops[t[m]], &b->h->ops[i]));
        if (!ready)
            continue;
        order[placed] = i;
        if (displaced_little(b, t, count, in | 1u << i, order, placed + 1))
            return true;
    }
    return false;
}

static bool def4_runs(Brute *b, unsigned in, int *t, int count, const RefState *state)
{
    bool all = true;
    int order[MOST_OPS];
    for (int i = 0; i < b->h->n; i++)
        all = all && (in >> i & 1 || b->h->ops[i].returned == INT32_MAX);
    if (all && displaced_little(b, t, count, 0, order, 0))
        return true;
    for (int i = 0; i < b->h->n; i++) {
        RefOutcome out[MOST_STATE];
        int outcomes = in >> i & 1 ? 0 : ref_outcomes(b->h->model, &b->h->ops[i], state, out);
        for (int k = 0; k < outcomes; k++) {
            if (b->h->ops[i].result != UNKNOWN && b->h->ops[i].result != out[k].result)
                continue;
            t[count] = i;
            if (def4_runs(b, in | 1u << i, t, count + 1, &out[k].state))
                return true;
        }
    }
    return false;
}

static bool brute(Brute *b)
{
    int t[MOST_OPS];
    RefState start = ref_initial(b->h->model);
    b->length = 0;
    return b->semantics == RELAX_DEF4 ? def4_runs(b, 0, t, 0, &start) : orders(b, 0);
}

static void compare(Brute *b, uint64_t seed, long *held)
{
    Arena *arena = arena_new();
    Values *values = values_new();
    Error error = {0};
    const RefMethod *methods = ref_methods[b->h->model];
    int put = b->h->model == REGISTER ? 1 : 0;
    char factors[64] = "";
    if (b->factor[0] >= 0)
        snprintf(factors, sizeof factors, "%s:%d", methods[put].name, b->factor[0]);
    if (b->factor[1] >= 0)
        snprintf(factors + strlen(factors), sizeof factors - strlen(factors), "%s%s:%d",
                 factors[0] ? "," : "", methods[1 - put].name, b->factor[1]);
    Spec *inner = spec_builtin(arena, values, str_of(ref_specs[b->h->model]), &error);
    Spec *spec = spec_relax(arena, inner, str_of(factors), b->semantics, &error);
    if (!spec)
        print_error("%s: %s\n", factors, error.message);
    assert_non_null(spec);
    uint32_t index[MOST_OPS];
    History *history = ref_history(values, b->h, index);
    Plan plan;
    assert_true(plan_make(&plan, history, spec, true, &error));
    Checker *checker = checker_new(spec, true);
    LinearizeLimits limits = {0};
    GroupVerdict verdict = checker_group(checker, &plan, &plan.groups.at[0], &limits);
    bool expected = brute(b), agrees = (verdict.verdict == VERDICT_HOLDS) == expected;
    if (b->semantics != RELAX_DEF4) { /* the automaton as well, which that does without */
        checker_load(checker, &plan, plan.members.at + plan.groups.at[0].first,
                     plan.groups.at[0].count);
        LinearizeProblem problem = checker_problem(checker, &plan, plan.members.at);
        agrees = agrees && (slow_check(&problem, UINT64_MAX) == VERDICT_HOLDS) == expected;
    }
    *held += expected;
    if (!agrees) {
        ref_print(b->h);
        print_error("%s, semantics %d: brute force says %d, seed %llu\n", factors,
                    (int)b->semantics, expected, (unsigned long long)seed);
        fail();
    }
    checker_free(checker);
    plan_free(&plan);
    history_free(history);
    spec_relax_free(spec);
    values_free(values);
    arena_free(arena);
}

static void run_semantics(RelaxSemantics semantics, long histories)
{
    static const int models[] = {FIFO, LIFO, PRIORITY, REGISTER};
    long held = 0;
    for (long i = 0; i < histories; i++) {
        uint64_t seed = (uint64_t)i * 31 + (uint64_t)semantics + 1000;
        Random random = {seed};
        RefHistory h;
        int model = models[i % 4], n = 1 + ref_random(&random, semantics == RELAX_KOOO ? 5 : 6);
        ref_random_history(&random, model, n, ref_random(&random, 3) > 0, &h);
        for (int j = 0; j < h.n; j++) /* only the two operations that have a class */
            if (h.ops[j].op > 1) {
                h.ops[j].op = model == REGISTER ? 0 : 1;
                h.ops[j].result = h.ops[j].result == UNKNOWN ? UNKNOWN : ref_random(&random, 4);
                if (h.ops[j].result == 0)
                    h.ops[j].result = NONE;
            } else if (model != REGISTER && h.ops[j].op == 1 && h.ops[j].result > 9) {
                h.ops[j].result = NONE;
            }
        Brute b = {.h = &h, .semantics = semantics};
        b.factor[0] = ref_random(&random, 3) ? ref_random(&random, 2) : -1;
        b.factor[1] = ref_random(&random, 4);
        if (semantics == RELAX_KOOO && b.factor[0] > 0 && b.factor[1] > 1)
            b.factor[1] = 1;
        if (semantics == RELAX_KOOO && b.factor[1] == 3) /* all continuations by three more calls */
            h.n = MIN(h.n, 4);
        compare(&b, seed, &held);
    }
    assert_in_range(held, histories / 100, histories - histories / 100);
}

static void test_slot(void **state)
{
    (void)state;
    run_semantics(RELAX_SLOT, twin_count(20000, 100000));
}
static void test_kooo(void **state)
{
    (void)state;
    run_semantics(RELAX_KOOO, twin_count(20000, 100000));
}
static void test_def4(void **state)
{
    (void)state;
    run_semantics(RELAX_DEF4, twin_count(20000, 100000));
}

/* The relaxed queue drains n items in as many ways as there are permutations with displacements of
 * at most K: 1 1 2 3 5 8 for K = 1 (Fibonacci), 1 2 6 14 31 73 172 for K = 2, 24 and 78 for K = 3
 * and n = 4, 5 (OEIS A002524, A002526; the 14, 31, 73, 172 and 24 are those behind Tables III and V
 * of the Round-Up paper). */
static long drains(Automaton *automaton, const uint32_t *states, size_t state_count, int n,
                   int left, unsigned taken)
{
    const Spec *spec = automaton_spec(automaton);
    if (!left) {
        for (size_t i = 0; i < state_count; i++)
            if (automaton_accepts(automaton, states[i]))
                return 1;
        return 0;
    }
    long ways = 0;
    for (int v = 1; v <= n; v++) {
        if (taken >> v & 1)
            continue;
        SpecCall call = {.result = value_int(spec->values, v)};
        assert_true(spec->resolve(spec, STR("deq"), 0, &call.method));
        uint32_t label = automaton_label(automaton, &call), next[256];
        size_t next_count = 0;
        for (size_t i = 0; i < state_count; i++) {
            size_t count;
            const uint32_t *found = automaton_step(automaton, states[i], label, &count);
            for (size_t j = 0; j < count; j++) {
                assert_true(next_count < COUNT_OF(next));
                next[next_count++] = found[j];
            }
        }
        ways += drains(automaton, next, next_count, n, left - 1, taken | 1u << v);
    }
    return ways;
}

static void test_drain_counts(void **state)
{
    (void)state;
    static const struct {
        int k, n;
        long ways;
    } cases[] = {{0, 4, 1},  {1, 2, 2},  {1, 3, 3},  {1, 4, 5},  {1, 5, 8}, {2, 3, 6},
                 {2, 4, 14}, {2, 5, 31}, {2, 6, 73}, {3, 4, 24}, {3, 5, 78}};
    for (size_t c = 0; c < COUNT_OF(cases); c++) {
        Arena *arena = arena_new();
        Values *values = values_new();
        Error error;
        char factors[16];
        snprintf(factors, sizeof factors, "deq:%d", cases[c].k);
        Spec *inner = spec_builtin(arena, values, STR("fifo"), &error);
        Spec *spec = spec_relax(arena, inner, str_of(factors), RELAX_KOOO, &error);
        assert_non_null(spec);
        Automaton *automaton = automaton_new(spec);
        /* the alphabet first: later labels would drop what is remembered */
        for (int v = 1; v <= cases[c].n; v++) {
            SpecCall call = {.result = value_int(values, v)};
            assert_true(spec->resolve(spec, STR("deq"), 0, &call.method));
            automaton_label(automaton, &call);
        }
        uint32_t at = automaton_initial(automaton);
        for (int v = 1; v <= cases[c].n; v++) {
            Value argument = value_int(values, v);
            SpecCall call = {.count = 1, .arguments = &argument, .result = VALUE_NONE};
            assert_true(spec->resolve(spec, STR("enq"), 1, &call.method));
            size_t count;
            const uint32_t *next =
                automaton_step(automaton, at, automaton_label(automaton, &call), &count);
            assert_int_equal(count, 1);
            at = next[0];
        }
        assert_int_equal(drains(automaton, &at, 1, cases[c].n, cases[c].n, 0), cases[c].ways);
        automaton_free(automaton);
        spec_relax_free(spec);
        values_free(values);
        arena_free(arena);
    }
}

/* Dequeues relaxed by K are the K-out-of-order queue: a list with holes, h of them behind the
 * oldest value; a dequeue may take the value at index t iff t - h <= K and (h < K or t = 0). Every
 * beginning of an allowed run is allowed. */
static bool holes_allow(const int *ops, int count, int k)
{
    int list[32], n = 0, from = 0;
    for (int i = 0; i < count; i++) {
        if (ops[i] > 0) {
            list[n++] = ops[i];
            continue;
        }
        int holes = 0, at = from;
        for (int j = from; j < n; j++)
            holes += !list[j];
        while (at < n && list[at] != -ops[i])
            at++;
        int t = at - from;
        if (at == n || t - holes > k || !(holes < k || t == 0))
            return false;
        list[at] = 0;
        while (from < n && !list[from])
            from++;
    }
    return true;
}

static void test_list_with_holes(void **state)
{
    (void)state;
    Random random = {5};
    long allowed = 0, rounds = twin_count(20000, 200000);
    for (long round = 0; round < rounds; round++) {
        int ops[16], count = 1 + ref_random(&random, 9), next = 1, taken[32] = {0};
        int k = ref_random(&random, 4);
        for (int i = 0; i < count; i++) { /* v: put v; -v: take v */
            int v = next > 1 ? 1 + ref_random(&random, MIN(next - 1, 3 + i)) : 0;
            bool take = v && !taken[v] && ref_random(&random, 2);
            ops[i] = take ? -v : next++;
            if (take)
                taken[v] = 1;
        }
        Arena *arena = arena_new();
        Values *values = values_new();
        Error error;
        char factors[16];
        snprintf(factors, sizeof factors, "deq:%d", k);
        Spec *inner = spec_builtin(arena, values, STR("fifo"), &error);
        Spec *spec = spec_relax(arena, inner, str_of(factors), RELAX_KOOO, &error);
        Automaton *automaton = automaton_new(spec);
        uint32_t labels[16], states[256] = {automaton_initial(automaton)};
        size_t state_count = 1;
        for (int i = 0; i < count; i++) {
            Value value = value_int(values, abs(ops[i]));
            SpecCall call = {.count = ops[i] > 0,
                             .arguments = &value,
                             .result = ops[i] > 0 ? VALUE_NONE : value};
            bool found =
                spec->resolve(spec, ops[i] > 0 ? STR("enq") : STR("deq"), call.count, &call.method);
            assert_true(found);
            labels[i] = automaton_label(automaton, &call);
        }
        for (int i = 0; i < count; i++) {
            uint32_t following[256];
            size_t following_count = 0;
            for (size_t s = 0; s < state_count; s++) {
                size_t steps;
                const uint32_t *to = automaton_step(automaton, states[s], labels[i], &steps);
                for (size_t j = 0; j < steps; j++) {
                    bool repeated = false;
                    for (size_t m = 0; m < following_count; m++)
                        repeated = repeated || following[m] == to[j];
                    assert_true(following_count < COUNT_OF(following));
                    if (!repeated)
                        following[following_count++] = to[j];
                }
            }
            memcpy(states, following, sizeof states);
            state_count = following_count;
        }
        bool accepted = false;
        for (size_t s = 0; s < state_count; s++)
            accepted = accepted || automaton_accepts(automaton, states[s]);
        bool expected = holes_allow(ops, count, k);
        allowed += expected;
        if (accepted != expected) {
            for (int i = 0; i < count; i++)
                print_error("%d ", ops[i]);
            print_error("K = %d: the list with holes says %d\n", k, expected);
            fail();
        }
        automaton_free(automaton);
        spec_relax_free(spec);
        values_free(values);
        arena_free(arena);
    }
    assert_in_range(allowed, rounds / 20, rounds - rounds / 20);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_slot), cmocka_unit_test(test_kooo), cmocka_unit_test(test_def4),
        cmocka_unit_test(test_drain_counts), cmocka_unit_test(test_list_with_holes)};
    return TWIN_RUN(argc, argv, tests);
}
