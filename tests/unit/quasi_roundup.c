/* The method of the Round-Up paper (roundup.h): its own figures, and the fast checker against it.
 */
#include "roundup.h"
#include "judge/linear/checker.h"
#include "judge/quasi/relax.h"
#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>
#include "twin.h"

static long permutation_count(int n, int k)
{
    RoundupList list = roundup_permutations(n, k);
    long count = (long)roundup_count(&list);
    vec_free(&list.at);
    return count;
}

/* Algorithm 2 gives each permutation with displacements of at most K once, and no other. */
static void test_permutations(void **state)
{
    (void)state;
    for (int n = 1; n <= 7; n++)
        for (int k = 0; k <= 4; k++) {
            RoundupList list = roundup_permutations(n, k);
            long wanted = 0;
            int p[7] = {0};
            for (long code = 0, codes = (long[]){1, 1, 4, 27, 256, 3125, 46656, 823543}[n];
                 code < codes; code++) {
                unsigned used = 0;
                bool near = true;
                long rest = code;
                for (int i = 0; i < n; i++, rest /= n) {
                    p[i] = (int)(rest % n);
                    used |= 1u << p[i];
                    near = near && abs(p[i] - i) <= k;
                }
                if (!near || used != (1u << n) - 1)
                    continue;
                wanted++;
                int found = 0;
                for (size_t l = 0; l < roundup_count(&list); l++)
                    found += !memcmp(list.at.at + l * (size_t)n, p, sizeof(int) * (size_t)n);
                assert_int_equal(found, 1);
            }
            assert_int_equal(roundup_count(&list), wanted);
            vec_free(&list.at);
        }
}

/* Table III: permutations = sequentializations (of Table II) times twice the permutations of the
 * dequeues. "3*3+4" has six of them; Stack b1 five, the priority queue b2 three. What the factor 2
 * is the paper does not say. */
static void test_table_3(void **state)
{
    (void)state;
    static const struct {
        const char *row;
        int factor, dequeues;
        long sequentializations, permutations;
    } rows[] = {{"Quasi Queue 2*2+4", 2, 4, 61, 1708},
                {"Quasi Queue 3*3+4", 2, 6, 505, 73730},
                {"Quasi Queue 2*3+3", 2, 4, 169, 4732},
                {"Quasi Queue 3*3+2", 2, 4, 1033, 28924},
                {"Quasi Queue 3*4+1", 2, 4, 2260, 63280},
                {"Quasi Queue 4*4+0", 2, 4, 8484, 237552},
                {"Quasi Queue (qfactor=3) 2*3+3", 3, 4, 169, 8112},
                {"Quasi Queue (qfactor=3) 3*3+2", 3, 4, 1033, 49584},
                {"Quasi Queue (qfactor=3) 3*4+1", 3, 4, 2260, 108480},
                {"Quasi Queue (qfactor=3) 4*4+0", 3, 4, 8484, 407232},
                {"Quasi Queue b1", 2, 4, 409, 11452},
                {"Quasi Queue b2", 2, 4, 409, 11452},
                {"Quasi Queue b3", 2, 4, 653, 18284},
                {"Quasi Stack b1", 2, 5, 34, 2108},
                {"Quasi Stack b2", 2, 4, 61, 1708},
                {"Quasi Stack b3", 2, 4, 61, 1708},
                {"Quasi Priority Queue", 2, 4, 61, 1708},
                {"Quasi Priority Queue b2", 2, 3, 532, 6384}};
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        if (rows[i].sequentializations * 2 * permutation_count(rows[i].dequeues, rows[i].factor) !=
            rows[i].permutations)
            fail_msg("%s", rows[i].row);
}

/* Two calls that overlap have two sequentializations; of h histories of two concurrent calls one is
 * serial. Table V: permutations = (2h - 1) times twice those of seven dequeues. (k-stack push+push
 * is printed as 7192, a digit swap.) */
static void test_table_5(void **state)
{
    (void)state;
    RefOp overlapping[14], serial[14];
    for (int i = 0; i < 14; i++)
        serial[i] = overlapping[i] =
            (RefOp){.op = i >= 7, .called = 10 * i, .returned = 10 * i + 5};
    overlapping[6].returned = overlapping[7].returned;
    RoundupList two = roundup_sequentializations(overlapping, 14, false);
    RoundupList one = roundup_sequentializations(serial, 14, false);
    assert_int_equal(roundup_count(&two), 2);
    assert_int_equal(roundup_count(&one), 1);
    vec_free(&two.at);
    vec_free(&one.at);
    static const struct {
        long histories, permutations;
    } rows[] = {{2, 1032},   {2, 1032},   {8, 5160},   {8, 5160},   {8, 5160},   {8, 5160},
                {3, 1720},   {31, 20984}, {12, 7912},  {5, 3096},   {31, 20984}, {4, 2408},
                {29, 19608}, {41, 27864}, {24, 16168}, {21, 14104}, {41, 27864}, {52, 35432},
                {69, 47128}, {12, 7912},  {8, 5160}};
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        assert_int_equal((2 * rows[i].histories - 1) * 2 * permutation_count(7, 2),
                         rows[i].permutations);
}

/* Three calls that overlap each other can be in any of six orders; lines 17 to 19 as printed give
 * four. */
static void test_three_threads(void **state)
{
    (void)state;
    RefOp ops[3] = {{.called = 0, .returned = 10},
                    {.called = 1, .returned = 11},
                    {.called = 2, .returned = 12}};
    RoundupList all = roundup_sequentializations(ops, 3, false),
                printed = roundup_sequentializations(ops, 3, true);
    assert_int_equal(roundup_count(&all), 6);
    assert_int_equal(roundup_count(&printed), 4);
    vec_free(&all.at);
    vec_free(&printed.at);
}

/* ---- the fast checker against it, on random histories ---- */

static bool fast_holds(const RefHistory *h, const int *factor, RelaxSemantics semantics, bool facts)
{
    Arena *arena = arena_new();
    Values *values = values_new();
    Error error = {0};
    int put = h->model == REGISTER ? 1 : 0;
    char factors[64];
    snprintf(factors, sizeof factors, "%s:%d,%s:%d", ref_methods[h->model][put].name, factor[0],
             ref_methods[h->model][1 - put].name, factor[1]);
    Spec *inner = spec_builtin(arena, values, str_of(ref_specs[h->model]), &error);
    Spec *spec = spec_relax(arena, inner, str_of(factors), semantics, &error);
    assert_non_null(spec);
    uint32_t index[MOST_OPS];
    History *history = ref_history(values, h, index);
    Plan plan;
    assert_true(plan_make(&plan, history, spec, true, &error));
    Checker *checker = checker_new(spec, facts);
    LinearizeLimits limits = {0};
    bool holds =
        checker_group(checker, &plan, &plan.groups.at[0], &limits).verdict == VERDICT_HOLDS;
    checker_free(checker);
    plan_free(&plan);
    history_free(history);
    spec_relax_free(spec);
    values_free(values);
    arena_free(arena);
    return holds;
}

/* Everything returns, with a result that the operation can have. */
static void complete_history(Random *random, RefHistory *h)
{
    int put = h->model == REGISTER ? 1 : 0;
    for (int i = 0; i < h->n; i++) {
        RefOp *op = &h->ops[i];
        if (op->returned == INT32_MAX)
            op->returned = op->called + 1 + ref_random(random, 30);
        if (op->result == UNKNOWN)
            op->result = op->op == put ? DONE : 1 + ref_random(random, 3);
    }
}

static void test_random(void **state)
{
    (void)state;
    static const int models[] = {FIFO, LIFO, PRIORITY, REGISTER};
    long histories = twin_count(5000, 100000), held = 0, tested = 0;
    for (long i = 0; tested < histories; i++) {
        Random random = {(uint64_t)i * 17 + 3};
        RefHistory h;
        ref_random_history(&random, models[i % 4], 1 + ref_random(&random, 8), true, &h);
        if (!h.n)
            continue;
        complete_history(&random, &h);
        int class[MOST_OPS], factor[2] = {ref_random(&random, 4) ? 0 : ref_random(&random, 4),
                                          ref_random(&random, 4)};
        for (int j = 0; j < h.n; j++)
            class[j] = (h.model == REGISTER ? h.ops[j].op == 1 : h.ops[j].op == 0) ? 0 : 1;
        bool expected = roundup_check(h.model, h.ops, h.n, class, factor, false).holds;
        tested++;
        held += expected;
        if (fast_holds(&h, factor, RELAX_SLOT, true) != expected) {
            ref_print(&h);
            fail_msg("factors %d and %d: Round-Up says %d, history %ld", factor[0], factor[1],
                     expected, i);
        }
    }
    assert_in_range(held, histories / 20, histories - histories / 20);
}

/* Longer histories of queues: what judge/linear/turns.h leaves out is no loss. */
static void test_turns(void **state)
{
    (void)state;
    long histories = twin_count(10000, 200000), held = 0, tested = 0;
    for (long i = 0; tested < histories; i++) {
        Random random = {(uint64_t)i * 13 + 5};
        RefHistory h;
        ref_random_history(&random, FIFO, 6 + ref_random(&random, 7), true, &h);
        complete_history(&random, &h);
        int factor[2] = {0, ref_random(&random, 4)};
        RelaxSemantics semantics = ref_random(&random, 2) ? RELAX_KOOO : RELAX_SLOT;
        if (!h.n)
            continue;
        bool expected = fast_holds(&h, factor, semantics, false);
        tested++;
        held += expected;
        if (fast_holds(&h, factor, semantics, true) != expected) {
            ref_print(&h);
            fail_msg("factor %d: all orders say %d, history %ld", factor[1], expected, i);
        }
    }
    assert_in_range(held, histories / 20, histories - histories / 20);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_permutations), cmocka_unit_test(test_table_3),
        cmocka_unit_test(test_table_5),      cmocka_unit_test(test_three_threads),
        cmocka_unit_test(test_random),       cmocka_unit_test(test_turns)};
    return TWIN_RUN(argc, argv, tests);
}
