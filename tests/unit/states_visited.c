/* Random visits against plain arrays: the states of nodes, their parents and sets, where parents
 * lie far apart, states have several nodes, and some were met without one. */
#include "guest/states/visited.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>
#include "base/hash.h"

enum { MOST = 4000 };
typedef struct Met {
    uint32_t state, set, parent;
    int16_t call;
} Met;
static Met met[MOST];

static StatesKey key_of(uint32_t state)
{
    return (StatesKey){hash_mix(state + 1), hash_mix(~(uint64_t)state)};
}

/* The parent of the next node: often that of the last one or a little behind, sometimes anywhere.
 */
static uint32_t next_parent(Random *random, uint32_t last)
{
    switch (random_below(random, 40)) {
    case 0:
        return last + (uint32_t)random_below(random, 200000);
    case 1:
        return (uint32_t)random_below(random, 1000000);
    default:
        return last + (uint32_t)random_below(random, 3);
    }
}

static void visit(uint64_t seed)
{
    Random random = {seed};
    uint32_t states = 0, last = VISITED_NONE, count = 1 + (uint32_t)random_below(&random, MOST - 1);
    visited_begin(seed % 2 == 0);
    for (uint32_t node = 0; node < count; node++) {
        uint32_t kind = states ? (uint32_t)random_below(&random, 10) : 9;
        if (kind == 0) { /* met, but not followed */
            assert_int_equal(visited_state(key_of(states)), states);
            states++;
        }
        uint32_t state = kind <= 1 ? (uint32_t)random_below(&random, states) : states++;
        last = node ? next_parent(&random, last) : VISITED_NONE;
        met[node] = (Met){state, node, last, (int16_t)random_below(&random, 5)};
        VisitedStep step = {.parent = last, .call = met[node].call};
        assert_int_equal(visited_state(key_of(state)), state);
        visited_add(state, node, 0, &step);
        assert_int_equal(visited_state_of(node), state);
    }
    assert_int_equal(visited_nodes(), count);
    assert_int_equal(visited_states(), states);
    for (uint32_t i = 0; i < 2 * count; i++) { /* in their order, and in none */
        uint32_t node = i < count ? i : (uint32_t)random_below(&random, count);
        assert_int_equal(visited_state_of(node), met[node].state);
        assert_int_equal(visited_set_of(node), met[node].set);
        assert_int_equal(visited_step(node).parent, met[node].parent);
        assert_int_equal(visited_step(node).call, met[node].call);
    }
    for (uint32_t i = 0; i < states; i++)
        assert_int_equal(visited_find(key_of(i)), i);
}

static void test_visits(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 40; seed++)
        visit(seed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_visits)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
