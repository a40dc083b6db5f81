/* Random small graphs of states against the definitions: which promise of progress holds, by paths
 * between all pairs of states; which calls can never return. Graphs in which threads are
 * interchangeable stand for larger ones, where each state is there in both orders of its threads:
 * these are judged by the definitions. */
#include "guest/states/progress.h"
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <cmocka.h>
#include "base/hash.h"
#include "guest/states/symmetry.h"

enum { MOST = 12, STEPS = 24, THREADS = 2 };
typedef struct Arrow {
    uint32_t from, to, thread;
    bool begins, returns, writes;
} Arrow;
static Arrow arrows[STEPS];
static uint32_t arrow_count, state_count, inside[MOST], blocked[MOST], perpetual[MOST];
static bool path[MOST][MOST];

/* The bits of threads 1 and 2, exchanged. */
static uint32_t exchange(uint32_t threads)
{
    return (threads >> 1 & 2) | (threads << 1 & 4);
}

/* State S of the graph is S with both threads at their slots, and S + state_count with each at the
 * other's; an arrow that exchanges the slots leads from one kind to the other. */
static void unfold(const bool *turns)
{
    for (uint32_t s = 0; s < state_count; s++) {
        inside[state_count + s] = exchange(inside[s]);
        blocked[state_count + s] = exchange(blocked[s]);
    }
    for (uint32_t i = 0; i < arrow_count; i++) {
        Arrow *a = &arrows[i], *b = &arrows[arrow_count + i];
        *b = *a;
        b->from += state_count;
        b->thread = THREADS + 1 - a->thread;
        (turns[i] ? a : b)->to += state_count;
    }
    state_count *= 2;
    arrow_count *= 2;
}

static void make(uint64_t seed, bool alike)
{
    Random random = {seed};
    bool turns[STEPS] = {false};
    state_count = 1 + (uint32_t)random_below(&random, MOST / 2);
    arrow_count = (uint32_t)random_below(&random, STEPS / 2 + 1);
    if (alike)
        symmetry_enter(THREADS, true, false);
    progress_begin();
    for (uint32_t s = 0; s < state_count; s++) {
        inside[s] = (uint32_t)random_below(&random, 4) << 1;
        blocked[s] = random_below(&random, 30) ? 0 : inside[s];
        perpetual[s] = random_below(&random, 6) ? 0 : inside[s] & 2;
        progress_add_state(0, inside[s], blocked[s], perpetual[s]);
    }
    for (uint32_t i = 0, from = 0; i < arrow_count; i++) {
        Arrow *a = &arrows[i];
        uint32_t later = (uint32_t)random_below(&random, 3 * state_count / arrow_count + 2);
        from = MIN(from + later, state_count - 1); /* (steps come in the order of their states) */
        *a = (Arrow){from,
                     (uint32_t)random_below(&random, state_count),
                     1 + (uint32_t)random_below(&random, THREADS),
                     random_below(&random, 4) == 0,
                     random_below(&random, 3) == 0,
                     random_below(&random, 3) == 0};
        turns[i] = alike && random_below(&random, 2);
        progress_add_step(a->from, a->to, a->thread, turns[i], a->begins, a->returns, a->writes);
    }
    if (alike)
        unfold(turns);
}

/* The paths of at least one step, along the arrows that ALLOWED says. */
static void find_paths(bool (*allowed)(const Arrow *, uint32_t thread), uint32_t thread)
{
    memset(path, 0, sizeof path);
    for (uint32_t i = 0; i < arrow_count; i++)
        if (allowed(&arrows[i], thread))
            path[arrows[i].from][arrows[i].to] = true;
    for (uint32_t k = 0; k < state_count; k++)
        for (uint32_t a = 0; a < state_count; a++)
            for (uint32_t b = 0; b < state_count; b++)
                path[a][b] |= path[a][k] && path[k][b];
}

static bool is_of_thread_within(const Arrow *a, uint32_t thread)
{
    return a->thread == thread && !a->returns;
}

static bool is_within(const Arrow *a, uint32_t thread)
{
    (void)thread;
    return !a->returns;
}

static bool is_no_return_of(const Arrow *a, uint32_t thread)
{
    return !(a->returns && a->thread == thread);
}

static bool is_no_begin(const Arrow *a, uint32_t thread)
{
    (void)thread;
    return !a->begins;
}

static bool is_any(const Arrow *a, uint32_t thread)
{
    (void)a;
    (void)thread;
    return true;
}

static bool has_cycle(void)
{
    bool found = false;
    for (uint32_t s = 0; s < state_count; s++)
        found |= path[s][s];
    return found;
}

static StatesProgress slow_class(void)
{
    bool alone = false, nobody, starves = false;
    for (uint32_t s = 0; s < state_count; s++)
        alone |= blocked[s] != 0;
    for (uint32_t t = 1; t <= THREADS; t++) {
        find_paths(is_of_thread_within, t);
        alone |= has_cycle();
    }
    find_paths(is_within, 0);
    nobody = has_cycle();
    for (uint32_t t = 1; t <= THREADS; t++) {
        find_paths(is_no_return_of, t);
        for (uint32_t i = 0; i < arrow_count; i++)
            starves |= arrows[i].thread == t && !arrows[i].returns &&
                       (arrows[i].to == arrows[i].from || path[arrows[i].to][arrows[i].from]);
    }
    return alone     ? STATES_BLOCKING
           : nobody  ? STATES_OBSTRUCTION_FREE
           : starves ? STATES_LOCK_FREE
                     : STATES_WAIT_FREE;
}

static void test_class(void **state)
{
    (void)state;
    uint32_t seen[4] = {0};
    for (uint64_t seed = 0; seed < 30000; seed++) {
        make(seed, seed % 2);
        StatesProgress wanted = slow_class();
        seen[wanted]++;
        if (progress_class(THREADS) != wanted)
            fail_msg("seed %llu", (unsigned long long)seed);
        symmetry_used = false;
    }
    for (size_t i = 0; i < 4; i++)
        assert_true(seen[i] > 100);
}

static void test_stuck(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 30000; seed++) {
        uint8_t stuck[MOST];
        bool calls_end = seed & 1;
        bool alike = seed & 2;
        make(seed, alike);
        progress_find_stuck(THREADS, calls_end, stuck);
        symmetry_used = false;
        find_paths(calls_end ? is_any : is_no_begin, 0);
        for (uint32_t s = 0; s < state_count / (1 + alike); s++)
            for (uint32_t t = 1; t <= THREADS; t++) {
                bool ends = false;
                for (uint32_t i = 0; i < arrow_count; i++)
                    ends |= arrows[i].returns && arrows[i].thread == t &&
                            (calls_end || !arrows[i].begins) &&
                            (arrows[i].from == s || path[s][arrows[i].from]);
                if ((stuck[s] >> t & 1) != ((inside[s] >> t & 1) && !ends))
                    fail_msg("seed %llu, state %u, thread %u", (unsigned long long)seed, s, t);
            }
    }
}

/* Can thread T go on in state S, or is there nothing to go on with? */
static bool is_free(uint32_t s, uint32_t t)
{
    return !inside[s] || !(inside[s] >> t & 1) || !(blocked[s] >> t & 1);
}

/* What thread T can come to from a state. */
typedef struct Ahead {
    bool goes, ends, changes, tries;
} Ahead;

static Ahead look_ahead(uint32_t s, uint32_t t)
{
    Ahead ahead = {false};
    for (uint32_t u = 0; u < state_count; u++) {
        bool is_there = u == s || path[s][u], is_over = !inside[u] || !(inside[u] >> t & 1);
        ahead.goes |= is_there && is_free(u, t);
        ahead.ends |= is_there && (is_over || perpetual[u] >> t & 1);
        ahead.changes |= is_there && is_over;
    }
    for (uint32_t i = 0; i < arrow_count; i++) {
        const Arrow *a = &arrows[i];
        if (a->thread != t || (a->from != s && !path[s][a->from]))
            continue;
        ahead.changes |= a->writes;
        ahead.tries |= a->returns;
    }
    return ahead;
}

static bool may_change(uint32_t s, bool *ends)
{
    bool changes = false;
    *ends = false;
    for (uint32_t u = 0; u < state_count; u++)
        *ends |= (u == s || path[s][u]) && !inside[u];
    for (uint32_t i = 0; i < arrow_count; i++)
        changes |= arrows[i].writes && (arrows[i].from == s || path[s][arrows[i].from]);
    return changes || *ends;
}

static bool is_wrong(ProgressDead dead, uint32_t s, uint32_t t)
{
    Ahead ahead = look_ahead(s, t);
    bool lives = inside[s] >> t & 1;
    return dead == PROGRESS_WAITS   ? !ahead.goes
           : dead == PROGRESS_LOOPS ? lives && !ahead.ends
                                    : lives && !ahead.changes && ahead.tries;
}

static ProgressDead slow_dead(uint32_t s, bool changes)
{
    if (is_wrong(PROGRESS_WAITS, s, 1) || is_wrong(PROGRESS_WAITS, s, 2))
        return PROGRESS_WAITS;
    if (!changes)
        return PROGRESS_QUIET;
    for (ProgressDead dead = PROGRESS_LOOPS; dead <= PROGRESS_TRIES; dead++)
        if (is_wrong(dead, s, 1) || is_wrong(dead, s, 2))
            return dead;
    return PROGRESS_ALIVE;
}

static void test_dead(void **state)
{
    (void)state;
    uint32_t seen[PROGRESS_TRIES + 1] = {0};
    for (uint64_t seed = 0; seed < 30000; seed++) {
        uint8_t dead[MOST], thread[MOST];
        bool endless = false;
        make(seed, false);
        bool told = progress_find_dead(dead, thread);
        find_paths(is_any, 0);
        for (uint32_t s = 0; s < state_count; s++) {
            bool ends, changes = may_change(s, &ends);
            ProgressDead wanted = slow_dead(s, changes);
            endless |= !ends;
            seen[wanted]++;
            if (dead[s] != wanted || (wanted != PROGRESS_ALIVE && wanted != PROGRESS_QUIET &&
                                      !is_wrong(wanted, s, thread[s])))
                fail_msg("seed %llu, state %u", (unsigned long long)seed, s);
        }
        assert_int_equal(told, endless);
    }
    for (size_t i = 0; i < COUNT_OF(seen); i++)
        assert_true(seen[i] > 100);
}

/* Every turn of five threads, from a state in which all are inside to one in which only the thread
 * at one slot returns. */
static void test_turns(void **state)
{
    (void)state;
    enum { MANY = 5 };
    symmetry_enter(MANY, true, false);
    for (uint32_t turn = 0; turn < turn_count(); turn++)
        for (uint32_t slot = 1; slot <= MANY; slot++) {
            uint8_t stuck[2];
            uint32_t freed = turn_slot(turn_inverse((uint8_t)turn), slot), all = 0x3e;
            progress_begin();
            progress_add_state(0, all, 0, 0);
            progress_add_state(0, all, 0, 0);
            progress_add_step(0, 1, 1 + turn % MANY, (uint8_t)turn, false, false, true);
            progress_add_step(1, 1, slot, 0, false, true, true);
            progress_find_stuck(MANY, true, stuck);
            assert_int_equal(stuck[0], all & ~(1u << freed));
            assert_int_equal(stuck[1], all & ~(1u << slot));
        }
    symmetry_used = false;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_class), cmocka_unit_test(test_stuck),
                                       cmocka_unit_test(test_dead), cmocka_unit_test(test_turns)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
