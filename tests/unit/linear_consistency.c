/* Weaker notions of recorded histories against their definitions, on random histories: sequential
 * consistency (history_forget_time), calls that may fail beside others (history_let_fail), session
 * guarantees (session.h). The definitions are tried over all orders, with the independent models of
 * reference.h. HEDDLE_NIGHTLY=1: 100,000 histories each; HEDDLE_SEED=N chooses others. */
#include "judge/linear/checker.h"
#include "judge/linear/session.h"
#include "reference.h"
#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>
#include "twin.h"

static Random seeded(uint64_t number)
{
    const char *from = getenv("HEDDLE_SEED");
    return (Random){(from ? strtoull(from, NULL, 10) : 1) * 1000003 + number};
}

static void differ(const RefHistory *h, long number, bool expected)
{
    ref_print(h);
    for (int i = 0; i < h->n; i++)
        print_error(" %d", h->ops[i].process);
    print_error(" are the processes; history %ld: the definition says %d\n", number, expected);
    fail();
}

/* What H is with its processes: ref_history() gives each operation a process of its own. */
static History *with_processes(Values *values, const RefHistory *h)
{
    uint32_t index[MOST_OPS];
    History *history = ref_history(values, h, index);
    for (int i = 0; i < h->n; i++)
        history->operations.at[index[i]].process = (uint32_t)h->ops[i].process;
    return history;
}

/* Judges HISTORY, which it frees, by SPEC or by session guarantees. */
static Verdict judge(const Spec *spec, History *history, unsigned guarantees)
{
    Error error = {0};
    Plan plan;
    assert_true(plan_make(&plan, history, spec, !history->before, &error));
    Checker *checker = checker_new(spec, true);
    LinearizeLimits limits = {0};
    Verdict verdict = VERDICT_HOLDS;
    checker_set_session(checker, guarantees);
    for (size_t g = 0; g < plan.groups.count && verdict == VERDICT_HOLDS; g++)
        verdict = checker_group(checker, &plan, &plan.groups.at[g], &limits).verdict;
    checker_free(checker);
    plan_free(&plan);
    history_free(history);
    return verdict;
}

typedef struct Tally {
    long histories, held, weaker; /* those that hold and are not linearizable */
} Tally;

/* Judges history I, which it frees, and compares the verdict with what the definition says of H. */
static void compare(const Spec *spec, History *history, const RefHistory *h, long i, bool expected,
                    Tally *tally)
{
    tally->held += expected;
    tally->weaker += expected && !ref_linearizable(h);
    if ((judge(spec, history, 0) == VERDICT_HOLDS) != expected)
        differ(h, i, expected);
}

/* Are there enough histories of each kind? */
static void check_tally(const Tally *tally)
{
    print_message("%ld histories, %ld hold, %ld of them are not linearizable\n", tally->histories,
                  tally->held, tally->weaker);
    assert_in_range(tally->held, tally->histories / 20, tally->histories - tally->histories / 20);
    assert_true(tally->weaker > tally->histories / 100);
}

/* ---- sequential consistency ---- */

/* Is there an order of all operations in which each process' are in its order? Those of unknown
 * outcome happen at any later time, or never. */
static bool interleaves(const RefHistory *h, unsigned in, const RefState *state)
{
    bool all = true;
    for (int i = 0; i < h->n; i++)
        all = all && (in >> i & 1 || h->ops[i].returned == INT32_MAX);
    if (all)
        return true;
    for (int i = 0; i < h->n; i++) {
        bool ready = !(in >> i & 1);
        for (int j = 0; j < h->n; j++) /* its process made J before I */
            ready =
                ready && (in >> j & 1 || h->ops[j].process != h->ops[i].process ||
                          h->ops[j].called >= h->ops[i].called || h->ops[j].returned == INT32_MAX);
        RefOutcome out[MOST_STATE];
        int count = ready ? ref_outcomes(h->model, &h->ops[i], state, out) : 0;
        for (int k = 0; k < count; k++)
            if ((h->ops[i].result == UNKNOWN || h->ops[i].result == out[k].result) &&
                interleaves(h, in | 1u << i, &out[k].state))
                return true;
    }
    return false;
}

static void test_sequential(void **state)
{
    (void)state;
    static const int kinds[] = {FIFO, LIFO, PRIORITY, BAG, SET, REGISTER, CAS_REGISTER, COUNTER};
    Tally tally = {.histories = twin_count(4000, 100000)};
    Random random = seeded(1);
    for (long i = 0; i < tally.histories; i++) {
        RefHistory h;
        Arena *arena = arena_new();
        Values *values = values_new();
        Error error = {0};
        ref_random_history(&random, kinds[i % 8], 1 + ref_random(&random, 7), i % 3 == 0, &h);
        int late[8]; /* a process whose operations are all later: real time, but no order changes */
        for (int p = 0; p < 8; p++)
            late[p] = ref_random(&random, 2) ? ref_random(&random, 60) : 0;
        for (int k = 0; k < h.n; k++) {
            h.ops[k].called += late[h.ops[k].process];
            if (h.ops[k].returned != INT32_MAX)
                h.ops[k].returned += late[h.ops[k].process];
        }
        Spec *spec = spec_builtin(arena, values, str_of(ref_specs[h.model]), &error);
        History *history = with_processes(values, &h);
        history_forget_time(history);
        RefState start = ref_initial(h.model);
        compare(spec, history, &h, i, interleaves(&h, 0, &start), &tally);
        values_free(values);
        arena_free(arena);
    }
    check_tally(&tally);
}

/* ---- operations that may fail while they overlap another ---- */

static bool overlap(const RefOp *a, const RefOp *b)
{
    return !ref_precedes(a, b) && !ref_precedes(b, a);
}

static void test_failures(void **state)
{
    (void)state;
    static const int kinds[] = {FIFO, LIFO, PRIORITY, BAG, SET, LOCK};
    Tally tally = {.histories = twin_count(4000, 100000)};
    Random random = seeded(2);
    for (long i = 0; i < tally.histories; i++) {
        RefHistory h, fewer;
        Arena *arena = arena_new();
        Values *values = values_new();
        Error error = {0};
        ref_random_history(&random, kinds[i % 6], 1 + ref_random(&random, 7), false, &h);
        bool no = h.model == SET || h.model == LOCK; /* which result means that it failed */
        bool zero = !no && ref_random(&random, 2);   /* values from 0 on: 0 is not "no" */
        for (int k = 0; k < h.n; k++) {
            char kind = ref_methods[h.model][h.ops[k].op].result;
            if (h.ops[k].result == UNKNOWN)
                continue;
            if (kind == (no ? 'b' : 'v') && ref_random(&random, 5) == 0)
                h.ops[k].result = no ? NO : NONE;
            if (zero && kind == 'v' && h.ops[k].result != NONE)
                h.ops[k].result--;
        }
        for (int k = 0; k < h.n && zero; k++)
            h.ops[k].a--;
        bool any = ref_random(&random, 2); /* operations, or only one */
        Spec *spec = spec_builtin(arena, values, str_of(ref_specs[h.model]), &error);
        Value name = value_string(values, str_of(ref_methods[h.model][1].name));
        uint32_t symbol = any ? 0 : value_symbol(values, name);
        HistoryFailure rules[2] = {{symbol, VALUE_NONE}, {symbol, VALUE_FALSE}};
        fewer = h;
        fewer.n = 0;
        for (int k = 0; k < h.n; k++) {
            bool leaves = false;
            for (int j = 0; j < h.n; j++)
                leaves = leaves || (j != k && overlap(&h.ops[j], &h.ops[k]));
            leaves = leaves && h.ops[k].result == (no ? NO : NONE) && (any || h.ops[k].op == 1);
            if (!leaves)
                fewer.ops[fewer.n++] = h.ops[k];
        }
        uint32_t index[MOST_OPS];
        HashMap gives = {0};
        History *history = ref_history(values, &h, index);
        spec_find_gives(spec, history, &gives);
        size_t left = history_let_fail(history, rules, 2, &gives);
        assert_int_equal(left, h.n - fewer.n);
        hashmap_free(&gives);
        compare(spec, history, &h, i, ref_linearizable(&fewer), &tally);
        values_free(values);
        arena_free(arena);
    }
    check_tally(&tally);
}

/* ---- session guarantees: every order of the versions is tried ---- */

/* The version that operation I wrote or read, 0 the initial one, -1 one that nobody wrote. */
static int version_of(const RefHistory *h, int i)
{
    int value = h->ops[i].op == 1 ? h->ops[i].a : h->ops[i].result, version = 0;
    if (value == NONE)
        return 0;
    for (int j = 0; j < h->n; j++) {
        version += h->ops[j].op == 1;
        if (h->ops[j].op == 1 && h->ops[j].a == value)
            return version;
    }
    return -1;
}

/* Do the guarantees hold if version v is the AGE[v]-th? */
static bool are_kept(const RefHistory *h, const int *age, unsigned guarantees)
{
    for (int i = 0; i < h->n; i++)
        for (int j = 0; j < h->n; j++) {
            const RefOp *a = &h->ops[i], *b = &h->ops[j];
            if (a->process != b->process || a->called >= b->called || a->returned == INT32_MAX ||
                b->returned == INT32_MAX)
                continue;
            bool newer = age[version_of(h, i)] < age[version_of(h, j)];
            bool same = version_of(h, i) == version_of(h, j);
            if (a->op == 1 && b->op == 0 && guarantees >> SESSION_INDEX_READ_YOUR_WRITES & 1 &&
                !newer && !same)
                return false;
            if (a->op == 0 && b->op == 0 && guarantees >> SESSION_INDEX_MONOTONIC_READS & 1 &&
                !newer && !same)
                return false;
            if (a->op == 1 && b->op == 1 && guarantees >> SESSION_INDEX_MONOTONIC_WRITES & 1 &&
                !newer)
                return false;
            if (a->op == 0 && b->op == 1 && guarantees >> SESSION_INDEX_WRITES_FOLLOW_READS & 1 &&
                !newer)
                return false;
        }
    return true;
}

/* Ages from NEXT on are given to the versions that have none. */
static bool order_exists(const RefHistory *h, int *age, int versions, int next, unsigned guarantees)
{
    if (next == versions)
        return are_kept(h, age, guarantees);
    for (int v = 1; v < versions; v++) {
        if (age[v])
            continue;
        age[v] = next;
        bool found = order_exists(h, age, versions, next + 1, guarantees);
        age[v] = 0;
        if (found)
            return true;
    }
    return false;
}

static void test_sessions(void **state)
{
    (void)state;
    long histories = twin_count(4000, 100000), held = 0;
    Random random = seeded(3);
    for (long i = 0; i < histories; i++) {
        RefHistory h;
        Arena *arena = arena_new();
        Values *values = values_new();
        Error error = {0};
        unsigned guarantees = 1 + (unsigned)ref_random(&random, SESSION_ALL);
        ref_random_history(&random, REGISTER, 2 + ref_random(&random, 7), true, &h);
        Spec *spec = spec_builtin(arena, values, STR("register"), &error);
        int age[MOST_OPS + 1] = {0}, versions = 1;
        bool expected = true;
        for (int k = 0; k < h.n; k++) {
            versions += h.ops[k].op == 1;
            expected = expected && (h.ops[k].returned == INT32_MAX || version_of(&h, k) >= 0);
        }
        expected = expected && order_exists(&h, age, versions, 1, guarantees);
        held += expected;
        if ((judge(spec, with_processes(values, &h), guarantees) == VERDICT_HOLDS) != expected) {
            print_error("guarantees %x\n", guarantees);
            differ(&h, i, expected);
        }
        values_free(values);
        arena_free(arena);
    }
    print_message("%ld histories, %ld hold\n", histories, held);
    assert_in_range(held, histories / 20, histories - histories / 20);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_sequential),
                                       cmocka_unit_test(test_failures),
                                       cmocka_unit_test(test_sessions)};
    return TWIN_RUN(argc, argv, tests);
}
