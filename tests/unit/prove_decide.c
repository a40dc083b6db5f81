/* The decision procedure against Z3 on random formulas: the answers are the same, and every witness
 * makes every term true. Terms are asserted a few at a time, with questions in between, as the
 * prover does. HEDDLE_NIGHTLY=1 compares 100,000 questions, HEDDLE_SYSTEMS=N compares N;
 * HEDDLE_SHAPE=I asks only questions of shape I. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>
#include "prove/logic/smt.h"
#include "prove_random.h"

enum { SYMBOLS = 6, MAPS = 2, EFFORT = 20000 };

typedef struct Shape { /* what a formula is made of */
    unsigned symbols, numbers, depth;
    bool maps, choices, compares, offsets, sums;
} Shape;

static Term random_formula(Random *random, TermPool *pool, const Shape *shape, unsigned depth);

static Term random_value(Random *random, TermPool *pool, const Shape *shape, unsigned depth)
{
    uint64_t way = random_below(random, 12);
    if (depth > 0 && shape->maps && way < 4)
        return term_read(pool, (uint32_t)random_below(random, MAPS),
                         random_value(random, pool, shape, depth - 1));
    if (depth > 0 && shape->choices && way == 4)
        return term_ite(pool, random_formula(random, pool, shape, 0),
                        random_value(random, pool, shape, depth - 1),
                        random_value(random, pool, shape, depth - 1));
    if (depth > 0 && shape->offsets && way == 5) {
        Term number = term_number(pool, (int64_t)random_below(random, 5) - 2);
        Term value = random_value(random, pool, shape, depth - 1);
        return random_below(random, 2) ? term_add(pool, number, value)
                                       : term_sub(pool, value, number);
    }
    if (depth > 0 && shape->sums && way == 6)
        return term_add(pool, random_value(random, pool, shape, depth - 1),
                        random_value(random, pool, shape, depth - 1));
    if (way == 7)
        return term_number(pool, (int64_t)random_below(random, shape->numbers));
    return term_symbol(pool, (uint32_t)random_below(random, shape->symbols));
}

static Term random_formula(Random *random, TermPool *pool, const Shape *shape, unsigned depth)
{
    uint64_t way = random_below(random, depth > 0 ? 6 : 3);
    Term a, b;
    if (way < 3) {
        a = random_value(random, pool, shape, 2);
        b = random_value(random, pool, shape, 2);
        return shape->compares && way == 0 ? term_le(pool, a, b) : term_eq(pool, a, b);
    }
    a = random_formula(random, pool, shape, depth - 1);
    if (way == 3)
        return term_not(pool, a);
    b = random_formula(random, pool, shape, depth - 1);
    return way == 4 ? term_and(pool, a, b) : term_or(pool, a, b);
}

/* A disjunction of possibly negated formulas. */
static Term random_clause(Random *random, TermPool *pool, const Shape *shape)
{
    Term clause = term_false(pool);
    uint64_t count = 1 + random_below(random, 2);
    for (uint64_t i = 0; i < count; i++) {
        Term part = random_formula(random, pool, shape, shape->depth);
        clause = term_or(pool, clause, random_below(random, 2) ? part : term_not(pool, part));
    }
    return clause;
}

static const char *const answers[] = {"no", "yes", "unknown"};

typedef struct Tally {
    unsigned long asked[3], open, differ;
} Tally;

static void print_term(const TermPool *pool, Term term)
{
    static const char *const names[] = {"", "",  "",   "+",   "-",   "ite", "true",
                                        "", "=", "<=", "not", "and", "or"};
    const TermNode *node = term_node(pool, term);
    if (node->kind == TERM_NUMBER)
        print_message("%lld", (long long)node->number);
    else if (node->kind == TERM_SYMBOL)
        print_message("s%u", node->a);
    else if (node->kind == TERM_TRUE || node->kind == TERM_FALSE)
        print_message(node->kind == TERM_TRUE ? "true" : "false");
    else {
        if (node->kind == TERM_READ)
            print_message("(m%u ", node->a);
        else {
            print_message("(%s ", names[node->kind]);
            print_term(pool, node->a);
            print_message(" ");
        }
        if (node->kind != TERM_NOT)
            print_term(pool, node->b);
        if (node->kind == TERM_ITE) {
            print_message(" ");
            print_term(pool, node->c);
        }
        print_message(")");
    }
}

/* One question that grows: asked after every few clauses. */
static void compare(Random *random, const Shape *shape, Tally *tally)
{
    Arena *arena = arena_new();
    TermPool pool;
    Smt *smt;
    Error error;
    Terms terms = {0};
    term_pool_init(&pool, arena);
    for (int i = 0; i < MAPS; i++)
        term_new_map(&pool, "m");
    for (int i = 0; i < SYMBOLS; i++)
        term_new_symbol(&pool, "s");
    assert_true(smt_new(&pool, EFFORT, &smt, &error));
    Decide *decide = decide_new(&pool, EFFORT * 1000UL);
    for (int question = 0; question < 40; question++) {
        if (random_below(random, 20) == 0) { /* a new one */
            decide_reset(decide);
            vec_clear(&terms);
        }
        for (uint64_t more = random_below(random, 9); more > 0; more--) {
            vec_push(&terms, random_clause(random, &pool, shape));
            decide_add(decide, vec_last(&terms));
        }
        SolverAnswer mine = decide_check(decide), other = smt_check(smt, &terms);
        tally->asked[mine]++;
        if (mine == ANSWER_YES)
            for (size_t i = 0; i < terms.count; i++)
                tally->differ += !decide_value(decide, terms.at[i]);
        if (mine != ANSWER_UNKNOWN && other != ANSWER_UNKNOWN && mine != other) {
            print_message("%s, but Z3 says %s:\n", answers[mine], answers[other]);
            for (size_t i = 0; i < terms.count; i++) {
                print_term(&pool, terms.at[i]);
                print_message("\n");
            }
            tally->differ++;
        }
        if (other == ANSWER_NO) { /* more clauses would not change that */
            decide_reset(decide);
            vec_clear(&terms);
        }
    }
    decide_free(decide);
    smt_free(smt);
    vec_free(&terms);
    term_pool_free(&pool);
    arena_free(arena);
}

static void test_random_questions(void **state)
{
    (void)state;
    static const Shape shapes[] = {
        {.symbols = 4, .numbers = 2, .depth = 1},
        {.symbols = 5, .numbers = 3, .depth = 1, .maps = true},
        {.symbols = 4, .numbers = 2, .depth = 2, .maps = true, .choices = true},
        {.symbols = 5, .numbers = 3, .depth = 1, .compares = true},
        {.symbols = 4, .numbers = 3, .depth = 1, .maps = true, .compares = true},
        {.symbols = 3, .numbers = 3, .depth = 1, .maps = true, .compares = true, .offsets = true},
        {.symbols = 6,
         .numbers = 4,
         .depth = 2,
         .maps = true,
         .choices = true,
         .compares = true,
         .offsets = true},
        {.symbols = 4,
         .numbers = 3,
         .depth = 1,
         .maps = true,
         .compares = true,
         .offsets = true,
         .sums = true}};
    unsigned long wanted = (unsigned long)random_systems(1500, 100000);
    Random random = random_from(23);
    unsigned long differ = 0, all = 0;
    const char *only = getenv("HEDDLE_SHAPE");
    for (size_t i = 0; i < COUNT_OF(shapes); i++) {
        if (only && i != strtoul(only, NULL, 10))
            continue;
        Tally tally = {{0}, 0, 0};
        unsigned long asked = 0;
        for (; asked < wanted / COUNT_OF(shapes); asked += 40)
            compare(&random, &shapes[i], &tally);
        print_message("shape %zu: %lu questions, no %lu, yes %lu, left open %lu, differ %lu\n", i,
                      asked, tally.asked[ANSWER_NO], tally.asked[ANSWER_YES],
                      tally.asked[ANSWER_UNKNOWN], tally.differ);
        /* Nearly all without sums is decided, and both answers are common. */
        if (!shapes[i].sums)
            assert_true(tally.asked[ANSWER_UNKNOWN] <= asked / 100);
        assert_true(tally.asked[ANSWER_NO] > asked / 20 && tally.asked[ANSWER_YES] > asked / 20);
        differ += tally.differ;
        all += asked;
    }
    print_message("%lu questions, %lu differ\n", all, differ);
    assert_int_equal(differ, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random_questions)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
