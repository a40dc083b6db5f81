/* Serial orders and the closest outcome against all permutations, on random small histories of a
 * queue. The queue of the twin is an array of its own. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>
#include "base/hash.h"
#include "check/closest.h"
#include "check/orders.h"

enum { MOST = 5 };
typedef struct Case {
    uint32_t count;
    bool puts[MOST];
    int value[MOST]; /* put: its argument; get: the result that was seen, 0 for none */
    uint32_t before[MOST];
} Case;

static void random_case(Random *random, Case *c)
{
    *c = (Case){.count = 1 + (uint32_t)random_below(random, MOST)};
    for (uint32_t i = 0; i < c->count; i++) {
        c->puts[i] = random_below(random, 2);
        c->value[i] = c->puts[i] ? 1 + (int)random_below(random, 2) : (int)random_below(random, 3);
        for (uint32_t j = 0; j < i; j++)
            if (random_below(random, 3) == 0)
                c->before[i] |= 1u << j | c->before[j];
    }
}

/* The twin: how far a permutation is followed, and how many results it would change. */
static uint32_t follow(const Case *c, const uint32_t *order, uint32_t *changes)
{
    int queue[MOST], head = 0, tail = 0;
    uint32_t followed = UINT32_MAX;
    *changes = 0;
    for (uint32_t i = 0; i < c->count; i++) {
        uint32_t k = order[i];
        if (c->puts[k]) {
            queue[tail++] = c->value[k];
            continue;
        }
        int gives = head < tail ? queue[head++] : 0;
        if (gives != c->value[k]) {
            ++*changes;
            followed = MIN(followed, i);
        }
    }
    return MIN(followed, c->count);
}

static void permute(const Case *c, uint32_t *order, uint32_t done, uint32_t depth,
                    uint32_t *longest, uint32_t *least)
{
    if (depth == c->count) {
        uint32_t changes, length = follow(c, order, &changes);
        *longest = MAX(*longest, length);
        *least = MIN(*least, changes);
        return;
    }
    for (uint32_t i = 0; i < c->count; i++)
        if (!(done >> i & 1) && !(c->before[i] & ~done)) {
            order[depth] = i;
            permute(c, order, done | 1u << i, depth + 1, longest, least);
        }
}

static uint32_t label_of(Automaton *automaton, Values *values, const Case *c, uint32_t i, bool open)
{
    const Spec *spec = automaton_spec(automaton);
    Value argument = value_int(values, c->value[i]);
    SpecCall call = {.count = c->puts[i], .arguments = &argument};
    assert_true(
        spec->resolve(spec, c->puts[i] ? STR("put") : STR("get"), call.count, &call.method));
    call.result = open          ? VALUE_UNKNOWN
                  : c->puts[i]  ? SPEC_DONE
                  : c->value[i] ? value_int(values, c->value[i])
                                : VALUE_NONE;
    return automaton_label(automaton, &call);
}

static void test_against_permutations(void **state)
{
    (void)state;
    Random random = {7};
    Arena *arena = arena_new();
    Values *values = values_new();
    Error error = {0};
    Spec *spec = spec_builtin(arena, values, STR("fifo"), &error);
    assert_non_null(spec);
    Automaton *automaton = automaton_new(spec);
    unsigned explained = 0, far = 0;
    for (int round = 0; round < 20000; round++) {
        Case c;
        random_case(&random, &c);
        uint32_t labels[MOST], open[MOST], order[MOST], longest = 0, least = UINT32_MAX;
        for (uint32_t i = 0; i < c.count; i++) {
            labels[i] = label_of(automaton, values, &c, i, false);
            open[i] = label_of(automaton, values, &c, i, true);
        }
        permute(&c, order, 0, 0, &longest, &least);
        OrdersProblem problem = {automaton, c.count, labels, c.before};
        OrdersEnd ends[4];
        uint64_t all;
        size_t count = orders_find(&problem, ends, 4, &all);
        assert_true(count >= 1 && all >= count);
        assert_int_equal(ends[0].length, longest);
        assert_int_equal(ends[0].next == 0, longest == c.count);
        for (size_t e = 0; e < count; e++) { /* each is an order that is followed, and no further */
            uint32_t changes, rest = c.count, done = 0;
            memcpy(order, ends[e].order, ends[e].length * sizeof *order);
            for (uint32_t i = 0; i < ends[e].length; i++) {
                assert_int_equal(c.before[order[i]] & ~done, 0);
                done |= 1u << order[i];
            }
            for (uint32_t i = 0; i < rest; i++)
                if (ends[e].next >> i & 1) {
                    Case prefix = c;
                    order[ends[e].length] = i;
                    prefix.count = ends[e].length + 1;
                    assert_int_equal(follow(&prefix, order, &changes), ends[e].length);
                }
        }
        ClosestProblem near = {.automaton = automaton,
                               .count = c.count,
                               .labels = labels,
                               .open_labels = open,
                               .before = c.before,
                               .stuck = UINT32_MAX};
        ClosestResult result;
        assert_true(closest_outcome(&near, &result));
        assert_int_equal(result.changes, least);
        explained += least == 0;
        far += least > 1;
        Case changed = c;
        for (uint32_t i = 0; i < c.count; i++) {
            int64_t number = 0;
            if (result.changed[i])
                changed.value[i] =
                    value_to_int(values, result.result[i], &number) ? (int)number : 0;
        }
        uint32_t changes;
        assert_int_equal(follow(&changed, result.order, &changes), c.count);
    }
    assert_true(explained > 1000 && far > 100);
    automaton_free(automaton);
    values_free(values);
    arena_free(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_against_permutations)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
