/* Serial orders and the closest outcome against all permutations, on random small histories of a
 * queue. The queue of the twin is an array of its own. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>
#include "base/hash.h"
#include "judge/graph/closest.h"
#include "judge/graph/orders.h"

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

/* The twin of the ends: operations done and what the queue holds, as digits, each pair once, or
 * once for every order if they are told `apart`. */
typedef struct Ends {
    bool apart;
    struct {
        uint32_t done;
        uint64_t queue;
    } seen[512], end[512];
    size_t seen_count, end_count;
} Ends;

static uint32_t ready_after(const Case *c, uint32_t done)
{
    uint32_t ready = 0;
    for (uint32_t i = 0; i < c->count; i++)
        ready |= (uint32_t)(!(done >> i & 1) && !(c->before[i] & ~done)) << i;
    return ready;
}

static void find_ends(const Case *c, uint32_t done, const int *queue, int length, Ends *ends)
{
    uint64_t content = 0;
    for (int i = 0; i < length; i++)
        content = content * 8 + (uint64_t)queue[i];
    for (size_t i = 0; i < ends->seen_count && !ends->apart; i++)
        if (ends->seen[i].done == done && ends->seen[i].queue == content)
            return;
    ends->seen[ends->seen_count].done = done;
    ends->seen[ends->seen_count++].queue = content;
    bool goes_on = false;
    for (uint32_t left = ready_after(c, done); left; left &= left - 1) {
        uint32_t i = (uint32_t)__builtin_ctz(left);
        int next[MOST + 1];
        memcpy(next, queue, sizeof *next * (size_t)length);
        next[length] = c->value[i];
        if (!c->puts[i] && (length ? queue[0] : 0) != c->value[i])
            continue;
        goes_on = true;
        if (c->puts[i])
            find_ends(c, done | 1u << i, next, length + 1, ends);
        else
            find_ends(c, done | 1u << i, next + (length > 0), length - (length > 0), ends);
    }
    if (!goes_on) {
        ends->end[ends->end_count].done = done;
        ends->end[ends->end_count++].queue = content;
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

static void check_apart(const Case *c, const OrdersProblem *merged)
{
    OrdersProblem problem = *merged;
    OrdersEnd ends[120]; /* all there can be */
    Ends expected = {.apart = true};
    uint64_t all;
    problem.apart = UINT32_MAX;
    size_t count = orders_find(&problem, ends, COUNT_OF(ends), &all);
    find_ends(c, 0, (int[MOST]){0}, 0, &expected);
    assert_int_equal(all, expected.end_count);
    assert_int_equal(count, expected.end_count);
    for (size_t a = 0; a < count; a++)
        for (size_t b = 0; b < a; b++)
            assert_false(
                ends[a].length == ends[b].length &&
                !memcmp(ends[a].order, ends[b].order, ends[a].length * sizeof ends[a].order[0]));
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
        OrdersProblem problem = {automaton, c.count, labels, c.before, 0};
        OrdersEnd ends[4];
        uint64_t all;
        size_t count = orders_find(&problem, ends, 4, &all);
        Ends expected = {.seen_count = 0};
        find_ends(&c, 0, (int[MOST]){0}, 0, &expected);
        assert_int_equal(all, expected.end_count);
        check_apart(&c, &problem);
        assert_int_equal(count, MIN(expected.end_count, COUNT_OF(ends)));
        assert_int_equal(ends[0].length, longest);
        assert_int_equal(ends[0].next == 0, longest == c.count);
        for (size_t e = 0; e < count; e++) { /* each is an order that is followed, and no further */
            uint32_t changes, rest = c.count, done = 0;
            memcpy(order, ends[e].order, ends[e].length * sizeof *order);
            for (uint32_t i = 0; i < ends[e].length; i++) {
                assert_int_equal(c.before[order[i]] & ~done, 0);
                done |= 1u << order[i];
            }
            assert_int_equal(ends[e].next, ready_after(&c, done));
            for (size_t other = 0; other < e; other++) {
                uint32_t all_of_other = 0;
                for (uint32_t i = 0; i < ends[other].length; i++)
                    all_of_other |= 1u << ends[other].order[i];
                assert_true(ends[other].length >= ends[e].length);
                assert_false(all_of_other == done && ends[other].state == ends[e].state);
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

/* 20 puts in any order have 2^20 sets of operations done: it gives up, and says so. */
static void test_too_many(void **state)
{
    (void)state;
    enum { MANY = 20 };
    Arena *arena = arena_new();
    Values *values = values_new();
    Error error = {0};
    Automaton *automaton = automaton_new(spec_builtin(arena, values, STR("fifo"), &error));
    Case one = {.count = 1, .puts = {true}, .value = {1}};
    uint32_t labels[MANY], before[MANY] = {0};
    for (uint32_t i = 0; i < MANY; i++, one.value[0]++)
        labels[i] = label_of(automaton, values, &one, 0, false);
    OrdersProblem problem = {automaton, MANY, labels, before, 0};
    OrdersEnd end;
    uint64_t all;
    assert_in_range(orders_find(&problem, &end, 1, &all), 0, 1);
    assert_true(all == UINT64_MAX);
    automaton_free(automaton);
    values_free(values);
    arena_free(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_against_permutations),
                                       cmocka_unit_test(test_too_many)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
