/* The store of facts: what units carry is all that is known, of every kind; joining, and what makes
 * two search trees different, for the program under test and for the tool. */
#include "guest/explore/graph/facts.h"
#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>
#include "guest/explore/all.h"
#include "guest/explore/graph/granules.h"
#include "record/units_shared.h"
#include "tool/cli/scale/join.h"

typedef struct Knowledge {
    unsigned char bytes[UNITS_KNOWLEDGE_BYTES];
    size_t count;
} Knowledge;
static Knowledge one, two;

static int setup(void **state)
{
    (void)state;
    ExploreOptions wanted = {.model = MODEL_RC11, .preemptions = -1, .jobs = 1};
    explore_setup(&wanted);
    return 0;
}

/* Some key and some value of KIND; I chooses. */
static uint64_t key_of(FactKind kind, unsigned i)
{
    switch (fact_traits[kind].place) {
    case FACT_OF_ALL:
        return 0;
    case FACT_OF_THREAD:
        return 1 + i;
    default:
        return 0x10000 + 8 * i;
    }
}
static uint64_t value_of(FactKind kind, unsigned i)
{
    return fact_traits[kind].place == FACT_OF_THREAD ? 1 : i + 1;
}

static void take(Knowledge *to)
{
    to->count = facts_get(to->bytes, sizeof to->bytes);
    assert_true(to->count >= sizeof(KnowledgeHead));
}
static void put(const Knowledge *from)
{
    assert_true(facts_put(from->bytes, from->count));
}
static bool is_more(const Knowledge *than)
{
    return facts_are_more(than->bytes, than->count);
}
static bool is_same_tree(const Knowledge *a, const Knowledge *b)
{
    bool same = ledger_same_tree(a->bytes, (uint32_t)a->count, b->bytes, (uint32_t)b->count);
    assert_true(same ==
                ledger_same_tree(b->bytes, (uint32_t)b->count, a->bytes, (uint32_t)a->count));
    return same;
}

/* A fact of each kind is news once, is forgotten, comes back from a unit, and makes a difference to
 * the tree if its kind says so: here and for the tool. */
static void each_kind(void **state)
{
    (void)state;
    facts_forget();
    take(&one);
    for (FactKind kind = 0; kind < FACT_KINDS; kind++) {
        uint64_t key = key_of(kind, 1), value = value_of(kind, 1);
        assert_int_equal(facts_of(kind, key), 0);
        bool is_news = facts_add(kind, key, value);
        assert_true(is_news || kind == FACT_cells);
        assert_false(facts_add(kind, key, value));
        assert_true(facts_of(kind, key) == value);
        take(&two);
        assert_true(is_more(&one) == fact_traits[kind].shapes_tree);
        assert_false(is_more(&two));
        assert_true(is_same_tree(&one, &two) == !fact_traits[kind].shapes_tree);
        facts_forget();
        assert_int_equal(facts_of(kind, key), 0);
        options.checkpoints = 1;
        put(&two);
        assert_true(facts_of(kind, key) == value || kind == FACT_cells);
        assert_true(options.checkpoints == (kind != FACT_replayed));
        facts_forget();
    }
}

static void add_some(unsigned from, unsigned step)
{
    for (FactKind kind = 0; kind < FACT_KINDS; kind++)
        for (unsigned i = from; i < 12; i += step)
            facts_add(kind, key_of(kind, i), value_of(kind, i));
}

/* What the tool makes of two parts is what a process knows that has been told both. */
static void joined(void **state)
{
    (void)state;
    facts_forget();
    add_some(0, 3);
    take(&one);
    facts_forget();
    add_some(0, 2);
    take(&two);
    put(&one);
    static Knowledge both, told;
    take(&both);
    Arena *arena = arena_new();
    const JoinKnowledge parts[] = {{two.bytes, (uint32_t)two.count},
                                   {one.bytes, (uint32_t)one.count}};
    uint32_t bytes;
    const unsigned char *joined = join_knowledge_of(arena, parts, COUNT_OF(parts), &bytes);
    assert_true(ledger_same_tree(joined, bytes, both.bytes, (uint32_t)both.count));
    facts_forget();
    assert_true(facts_put(joined, bytes));
    take(&told);
    assert_int_equal(told.count, both.count);
    assert_true(is_same_tree(&told, &both));
    assert_false(is_same_tree(&one, &two));
    for (FactKind kind = 0; kind < FACT_KINDS; kind++)
        for (unsigned i = 0; i < 12; i++) {
            uint64_t known = facts_of(kind, key_of(kind, i));
            facts_forget();
            put(&both);
            assert_true(known == facts_of(kind, key_of(kind, i)));
        }
    arena_free(arena);
}

/* Joining is the supremum of an order: in whatever order facts come, the same is known. */
static void joins(void **state)
{
    (void)state;
    for (FactKind kind = 0; kind < FACT_KINDS; kind++)
        for (uint64_t a = 0; a < 8; a++)
            for (uint64_t b = 0; b < 8; b++) {
                uint64_t c = fact_join(kind, a, b);
                assert_true(fact_join(kind, a, a) == a && fact_join(kind, a, 0) == a);
                assert_true(fact_join(kind, c, b) == c && fact_join(kind, c, a) == c);
                assert_true(c == fact_join(kind, b, a) || fact_traits[kind].join == FACT_FIRST);
                for (uint64_t d = 0; d < 8; d++)
                    assert_true(fact_join(kind, c, d) == fact_join(kind, a, fact_join(kind, b, d)));
            }
}

/* Knowledge that is damaged is refused: a kind, a key or a value that there can't be; too short. */
static void damaged(void **state)
{
    (void)state;
    const KnownFact wrong[] = {{.kind = FACT_KINDS, .key = 1, .value = 1},
                               {.kind = FACT_races, .key = 1, .value = 1},
                               {.kind = FACT_alike, .key = MAX_THREADS, .value = 1},
                               {.kind = FACT_alike, .key = 1, .value = MAX_THREADS + 1},
                               {.kind = FACT_promoted, .key = 1, .value = 256},
                               {.kind = FACT_tries, .key = 0, .value = 1}};
    for (size_t i = 0; i < COUNT_OF(wrong); i++) {
        facts_forget();
        facts_add(FACT_wide, 0, 1);
        take(&one);
        memcpy(one.bytes + sizeof(KnowledgeHead), &wrong[i], sizeof wrong[i]);
        assert_false(facts_put(one.bytes, one.count));
        assert_false(facts_put(one.bytes, one.count - 1));
    }
    facts_forget();
    assert_false(facts_put(one.bytes, 3));
}

/* Objects have few rows; what does not fit is not news, and says so. */
static void full(void **state)
{
    (void)state;
    facts_forget();
    unsigned i = 0;
    while (facts_have_room(FACT_tries, key_of(FACT_tries, i)))
        assert_true(facts_add(FACT_tries, key_of(FACT_tries, i++), 1));
    assert_true(i >= 16);
    assert_false(facts_add(FACT_tries, key_of(FACT_tries, i), 1));
    assert_true(facts_have_room(FACT_tries, key_of(FACT_tries, 0)));
    assert_true(facts_add(FACT_tries, key_of(FACT_tries, 0), 2));
    for (unsigned k = 0; k < i; k++)
        assert_true(facts_object(FACT_tries, k) == key_of(FACT_tries, k));
    assert_int_equal(facts_object(FACT_tries, i), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(each_kind), cmocka_unit_test(joined),
                                       cmocka_unit_test(joins), cmocka_unit_test(damaged),
                                       cmocka_unit_test(full)};
    return cmocka_run_group_tests(tests, setup, NULL);
}
