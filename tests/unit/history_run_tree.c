/* The tree of serial runs against the plain list of them: a run is refused if one that was added
 * begins with the same calls and then gives something else; a call is found after others if some
 * run has it there. */
#include "judge/history/run_tree.h"
#include "base/hash.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#define MOST_RUNS 12
#define MOST_CALLS 4

typedef struct Run {
    RunCall calls[MOST_CALLS];
    size_t count;
} Run;

static bool is_same(const RunCall *a, const RunCall *b)
{
    if (a->thread != b->thread || !str_equal(a->name, b->name) || a->count != b->count)
        return false;
    for (uint32_t i = 0; i < a->count; i++)
        if (!value_equal(a->arguments[i], b->arguments[i]))
            return false;
    return true;
}

/* Of how many calls, from the first, RUN is the same as OTHER (results apart). */
static size_t common(const Run *run, const Run *other)
{
    size_t i = 0;
    while (i < run->count && i < other->count && is_same(&run->calls[i], &other->calls[i]))
        i++;
    return i;
}

/* Few calls and results, so that runs meet. The names are in memory that does not last. */
static Run random_run(Values *values, Random *random, char names[MOST_CALLS][8])
{
    Run run = {.count = (size_t)random_below(random, MOST_CALLS + 1)};
    for (size_t i = 0; i < run.count; i++) {
        snprintf(names[i], sizeof names[i], "%s", random_below(random, 2) ? "get" : "put");
        run.calls[i] = (RunCall){.thread = (uint32_t)random_below(random, 2),
                                 .name = str_of(names[i]),
                                 .count = (uint32_t)random_below(random, 2),
                                 .arguments = {value_int(values, 7)},
                                 .result = value_int(values, (int64_t)random_below(random, 6) / 5)};
    }
    if (run.count && !random_below(random, 4))
        run.calls[run.count - 1].result = VALUE_UNKNOWN;
    return run;
}

static void test_as_the_list(void **unused)
{
    (void)unused;
    unsigned refused = 0, found = 0, missed = 0;
    for (uint64_t seed = 0; seed < 3000; seed++) {
        Random random = {seed};
        Arena *arena = arena_new();
        Values *values = values_new();
        RunTree *tree = run_tree_new(arena);
        Run added[MOST_RUNS];
        static char names[MOST_RUNS][MOST_CALLS][8]; /* the list keeps what the tree must copy */
        size_t count = 0;
        for (int round = 0; round < MOST_RUNS; round++) {
            char brief[MOST_CALLS][8];
            Run run = random_run(values, &random, brief);
            size_t wrong = SIZE_MAX, place = SIZE_MAX;
            for (size_t r = 0; r < count; r++)
                for (size_t i = 0; i < common(&run, &added[r]); i++)
                    if (!value_equal(run.calls[i].result, added[r].calls[i].result) && i < wrong)
                        wrong = i;
            assert_int_equal(run_tree_add(tree, run.calls, run.count, &place), wrong == SIZE_MAX);
            assert_int_equal(place, wrong);
            refused += wrong != SIZE_MAX;
            if (wrong != SIZE_MAX)
                continue; /* what came before the contradiction was there already */
            for (size_t i = 0; i < run.count; i++) {
                memcpy(names[count][i], brief[i], sizeof brief[i]);
                run.calls[i].name = str_of(names[count][i]);
            }
            added[count++] = run;
            memset(brief, 'x', sizeof brief);
        }
        for (int round = 0; round < 8; round++) {
            char brief[MOST_CALLS][8];
            Run run = random_run(values, &random, brief);
            uint32_t state = 0;
            for (size_t i = 0; i < run.count; i++) {
                const Run *like = NULL;
                for (size_t r = 0; r < count && !like; r++)
                    like = common(&run, &added[r]) > i ? &added[r] : NULL;
                Value result;
                bool there = run_tree_find(tree, &state, &run.calls[i], &result);
                assert_int_equal(there, like != NULL);
                found += there;
                missed += !there;
                if (!there)
                    break;
                assert_true(value_equal(result, like->calls[i].result));
            }
        }
        run_tree_free(tree);
        values_free(values);
        arena_free(arena);
    }
    assert_true(refused > 1000 && found > 1000 && missed > 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_as_the_list)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
