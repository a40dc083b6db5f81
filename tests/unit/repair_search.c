/* The search for sets of memory orders against an enumeration of all assignments: programs that
 * hold with random sets, of up to six places. */
#include "tool/cli/repair/search.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>
#include "base/hash.h"
#include "record/operations.h"

enum { MOST_PLACES = 6, MOST_HIDDEN = 5, MOST_ALL = 4096 };

typedef struct Hidden { /* a program: it holds with what is at least one of these */
    unsigned places, count;
    uint8_t at[MOST_HIDDEN][MOST_PLACES];
} Hidden;

/* The orders of an operation in the enumeration: a matrix of its own. */
static bool stronger_or_equal(unsigned a, unsigned b)
{
    static const char *const below[] = {
        [ORDER_RELAXED] = "r",  [ORDER_CONSUME] = "rc",    [ORDER_ACQUIRE] = "rcA",
        [ORDER_RELEASE] = "rR", [ORDER_ACQ_REL] = "rcARx", [ORDER_SEQ_CST] = "rcARxS"};
    return strchr(below[a], "rcARxS"[b]) != NULL;
}

static bool all_at_least(unsigned places, const uint8_t *a, const uint8_t *b)
{
    for (unsigned i = 0; i < places; i++)
        if (!stronger_or_equal(a[i], b[i]))
            return false;
    return true;
}

static bool hidden_holds(const Hidden *hidden, const uint8_t *assignment)
{
    for (unsigned i = 0; i < hidden->count; i++)
        if (all_at_least(hidden->places, assignment, hidden->at[i]))
            return true;
    return false;
}

static void ask(void *context, const uint8_t *const *assignments, size_t count, Verdict *verdicts)
{
    Hidden *hidden = context;
    for (size_t i = 0; i < count; i++)
        verdicts[i] = hidden_holds(hidden, assignments[i]) ? VERDICT_HOLDS : VERDICT_VIOLATED;
}

static uint8_t any_order(Random *random, const RepairPlace *place)
{
    unsigned choice = (unsigned)(random_next(random) % (place->level_count + 2u));
    return choice >= place->level_count ? place->present : place->levels[choice];
}

/* All assignments, by counting through the levels. */
static unsigned enumerate(const RepairPlace *places, unsigned count,
                          uint8_t all[MOST_ALL][MOST_PLACES])
{
    unsigned digits[MOST_PLACES] = {0}, number = 0;
    for (;;) {
        for (unsigned i = 0; i < count; i++)
            all[number][i] = digits[i] ? places[i].levels[digits[i] - 1] : places[i].present;
        number++;
        unsigned i = 0;
        while (i < count && ++digits[i] > places[i].level_count)
            digits[i++] = 0;
        if (i == count)
            return number;
    }
}

static unsigned changes(const RepairPlace *places, unsigned count, const uint8_t *assignment)
{
    unsigned changed = 0;
    for (unsigned i = 0; i < count; i++)
        changed += assignment[i] != places[i].present;
    return changed;
}

static bool is_minimal(const Hidden *hidden, uint8_t all[MOST_ALL][MOST_PLACES], unsigned number,
                       unsigned which)
{
    if (!hidden_holds(hidden, all[which]))
        return false;
    for (unsigned i = 0; i < number; i++)
        if (i != which && all_at_least(hidden->places, all[which], all[i]) &&
            hidden_holds(hidden, all[i]))
            return false;
    return true;
}

static bool is_listed(const RepairSearch *search, unsigned count, const uint8_t *assignment)
{
    unsigned times = 0;
    for (size_t i = 0; i < search->sets.count; i++)
        times += !memcmp(search->sets.at[i], assignment, count);
    assert_true(times <= 1);
    return times;
}

static void make_places(Random *random, RepairPlace *places, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        unsigned kind = (unsigned)(random_next(random) % 4); /* 3: two read-modify-writes in six */
        places[i] = (RepairPlace){.present = ORDER_RELAXED};
        if (kind == 2)
            places[i].present = ORDER_ACQUIRE;
        bool reads = kind != 1, writes = kind == 1 || (kind == 3 && i < 2);
        repair_levels(&places[i], reads, writes);
    }
}

static void against_enumeration(void **state)
{
    (void)state;
    static uint8_t all[MOST_ALL][MOST_PLACES];
    unsigned with_sets = 0, larger = 0;
    for (uint64_t seed = 1; seed <= 400; seed++) {
        Random random = {seed};
        Arena *arena = arena_new();
        unsigned count = 1 + (unsigned)(random_next(&random) % MOST_PLACES);
        RepairPlace places[MOST_PLACES];
        make_places(&random, places, count);
        Hidden hidden = {.places = count, .count = (unsigned)(random_next(&random) % MOST_HIDDEN)};
        for (unsigned i = 0; i < hidden.count; i++)
            for (unsigned k = 0; k < count; k++)
                hidden.at[i][k] = any_order(&random, &places[k]);
        for (unsigned k = 0, same = 0; k < hidden.count; k++, same = 0) {
            for (unsigned i = 0; i < count; i++)
                same += hidden.at[k][i] == places[i].present;
            if (same == count) /* it would hold as it is */
                hidden.at[k][0] = places[0].levels[places[0].level_count - 1];
        }
        RepairSearch search = {.arena = arena,
                               .places = places,
                               .count = count,
                               .most = 3,
                               .ask = ask,
                               .context = &hidden};
        repair_search(&search);
        unsigned number = enumerate(places, count, all), wanted = 0, holding = 0;
        for (unsigned i = 0; i < number; i++) {
            holding += hidden_holds(&hidden, all[i]);
            if (changes(places, count, all[i]) > 3 || !is_minimal(&hidden, all, number, i))
                continue;
            wanted++;
            assert_true(is_listed(&search, count, all[i]));
        }
        assert_int_equal(search.strongest == VERDICT_HOLDS, holding > 0);
        if (search.larger) {
            assert_int_equal(wanted, 0);
            assert_int_equal(search.sets.count, 1);
            unsigned which = 0;
            while (memcmp(all[which], search.sets.at[0], count))
                which++;
            assert_true(is_minimal(&hidden, all, number, which));
        } else {
            assert_int_equal(search.sets.count, wanted);
        }
        if (holding)
            assert_int_equal(search.decided, 3);
        assert_true(search.minimal);
        with_sets += wanted > 0;
        larger += search.larger;
        repair_search_free(&search);
        arena_free(arena);
    }
    assert_true(with_sets > 100 && larger > 5);
}

/* Store buffering: four relaxed accesses that must all be seq_cst, or a fence in each thread. */
static void fences(void **state)
{
    (void)state;
    Hidden hidden = {.places = 6, .count = 2};
    RepairPlace places[6] = {{0}};
    for (unsigned i = 0; i < 6; i++) {
        places[i].fence = i >= 4;
        repair_levels(&places[i], i % 2 || i >= 4, i % 2 == 0 || i >= 4);
        hidden.at[0][i] = i < 4 ? ORDER_SEQ_CST : ORDER_RELAXED;
        hidden.at[1][i] = i < 4 ? ORDER_RELAXED : ORDER_SEQ_CST;
    }
    Arena *arena = arena_new();
    RepairSearch search = {.arena = arena,
                           .places = places,
                           .count = 6,
                           .fences = 2,
                           .most = 3,
                           .ask = ask,
                           .context = &hidden};
    repair_search(&search);
    assert_true(search.larger && search.with_fences);
    assert_int_equal(search.sets.count, 2);
    assert_memory_equal(search.sets.at[0], hidden.at[0], 6);
    assert_memory_equal(search.sets.at[1], hidden.at[1], 6);
    repair_search_free(&search);
    arena_free(arena);
}

/* What can't be decided is no reason to call a set of that size impossible. */
static void ask_nothing(void *context, const uint8_t *const *assignments, size_t count,
                        Verdict *verdicts)
{
    unsigned *left = context;
    (void)assignments;
    for (size_t i = 0; i < count; i++)
        verdicts[i] = *left ? (--*left, VERDICT_HOLDS) : VERDICT_INCONCLUSIVE;
}
static void undecided(void **state)
{
    (void)state;
    unsigned left = 1; /* the strongest one only */
    RepairPlace places[3] = {{0}};
    for (unsigned i = 0; i < 3; i++)
        repair_levels(&places[i], true, false);
    Arena *arena = arena_new();
    RepairSearch search = {.arena = arena,
                           .places = places,
                           .count = 3,
                           .most = 3,
                           .ask = ask_nothing,
                           .context = &left};
    repair_search(&search);
    assert_int_equal(search.strongest, VERDICT_HOLDS);
    assert_int_equal(search.decided, 0);
    repair_search_free(&search);
    arena_free(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(against_enumeration),
        cmocka_unit_test(fences),
        cmocka_unit_test(undecided),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
