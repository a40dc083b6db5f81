/* Random visits against plain arrays: the states of nodes, their parents and sets, where parents
 * lie far apart, states have several nodes, and some were met without one; which pairs a process
 * of the crew (crew.h) finds that was forked before they were added. */
#include "guest/states/visited.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>
#include "base/hash.h"
#include "guest/states/sets.h"
#include "guest/states/shelf.h"

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

/* ---- what the crew finds ---- */

enum { SETS = 50, ROUNDS = 40, A_ROUND = 60 };

static uint32_t first_state(void)
{
    return 0;
}

static void next_state(uint32_t state, uint32_t thread, uint32_t call, SetsSteps *out)
{
    (void)thread;
    vec_push(out, (SetsStep){(state + 1 + call) % SETS, VALUE_FALSE});
}

static bool fits(uint32_t call, Value seen, Value given)
{
    (void)call;
    return value_equal(seen, given);
}

/* Sets of one configuration, none of which is in another. */
static void make_sets(uint32_t *sets)
{
    static const SetsSpec spec = {.initial = first_state, .step = next_state, .fits = fits};
    sets_begin(&spec, 1, 1, false);
    sets[0] = sets_initial();
    for (uint32_t i = 1; i < SETS; i++)
        sets[i] = sets_return(sets_call(sets[i - 1], 1, 0), 1, 0, VALUE_FALSE);
}

/* States are numbered in the order in which they are met. */
static uint32_t count_states(uint32_t known)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < known; i++)
        count = MAX(count, met[i].state + 1);
    return count;
}

/* Is the pair among those of `met` in [FROM, TO)? */
static bool is_met(uint32_t state, uint32_t set, uint32_t from, uint32_t to)
{
    for (; from < to; from++)
        if (met[from].state == state && met[from].set == set)
            return true;
    return false;
}

/* Adds the pairs of a round to `met`, from FROM on, and to what was visited if it is ADDED. */
static uint32_t make_round(Random *random, uint32_t from, const uint32_t *sets, bool added)
{
    for (uint32_t i = 0; i < A_ROUND; i++) {
        uint32_t states = count_states(from);
        uint32_t state =
            states && random_below(random, 4) ? (uint32_t)random_below(random, states) : states;
        uint32_t set = sets[random_below(random, SETS)];
        if (is_met(state, set, 0, from))
            continue;
        met[from++] = (Met){.state = state, .set = set};
        if (!added)
            continue;
        assert_int_equal(visited_state(key_of(state)), state);
        visited_add(state, set, 0, &(VisitedStep){.call = -1});
    }
    return from;
}

/* The crew: follows the rounds of the search, and tells whether it finds what was added; a LOOK of
 * the round before tells of what was added since. */
static bool follow(uint64_t seed, const uint32_t *sets, int turns, int done)
{
    static VisitedLook looks[MOST];
    Random random = {seed};
    uint32_t known = 0, before = 0;
    char token;
    shelf_is_guest = true;
    for (uint32_t round = 0; round < ROUNDS; round++) {
        uint32_t states = count_states(known);
        if (read(turns, &token, 1) != 1)
            return false;
        before = known;
        known = make_round(&random, known, sets, false);
        for (uint32_t state = 0; state < states; state++) {
            uint32_t set = sets[(state + round) % SETS],
                     last = sets[(state + round + SETS - 1) % SETS];
            VisitedLook look = 0, again = looks[state];
            visited_known_sets = sets[SETS / 2]; /* what it finds of some sets is not the answer */
            bool covered = visited_is_covered(state, set, &look);
            visited_known_sets = UINT32_MAX;
            covered = covered || visited_is_covered(state, set, &look);
            if (covered != is_met(state, set, 0, known))
                return false;
            if (again &&
                visited_is_covered(state, last, &again) != is_met(state, last, before, known))
                return false;
            looks[state] = look;
        }
        for (uint32_t i = before; i < known; i++)
            if (visited_find(key_of(met[i].state)) != met[i].state)
                return false;
        if (write(done, &token, 1) != 1)
            return false;
    }
    return true;
}

static void test_crew(void **unused)
{
    (void)unused;
    for (uint64_t seed = 1; seed <= 6; seed++) {
        uint32_t sets[SETS], known = 0;
        int turns[2], done[2], status = 0;
        char token = 0;
        Random random = {seed};
        make_sets(sets);
        visited_begin(seed % 2 == 0);
        assert_int_equal(pipe(turns) | pipe(done), 0);
        pid_t crew = fork();
        if (!crew)
            _exit(!follow(seed, sets, turns[0], done[1]));
        close(turns[0]);
        close(done[1]);
        for (uint32_t round = 0; round < ROUNDS; round++) {
            known = make_round(&random, known, sets, true);
            if (write(turns[1], &token, 1) != 1 || read(done[0], &token, 1) != 1)
                break;
        }
        assert_int_equal(waitpid(crew, &status, 0), crew);
        assert_int_equal(status, 0);
        close(turns[1]);
        close(done[0]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_visits), cmocka_unit_test(test_crew)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
