#include "guest/harness/check/choose.h"
#include <stdlib.h>
#include <string.h>
#include "guest/explore/search/explore.h"
#include "guest/harness/check/composition.h"
#include "guest/runtime/pages.h"

#define MOST_CALLS 40 /* different ones, of which sizes of pairs are kept */
/* Random tests of a shape that are compared by size. Those of the largest shape, of which fewer are
 * wanted, differ most in size: there are small ones, but few. */
#define USUALLY_DRAWN 400
#define MOST_DRAWN 4000
#define DRAWN_SLOTS 8192
#define MOST_ORDERS 40320 /* of the threads of a test: 8! */
#define FIRST_BUDGET 64   /* of polls (rounds.h) */
#define FULL_BUDGET 200000
#define GROWTH 4
#define MOST_OVER 2      /* tests of a shape that are over the budget of a round */
#define LAST_BUDGET 4000 /* of tests that were begun, when enough others have ended */

enum { CANDIDATE_NEW, CANDIDATE_BEGUN, CANDIDATE_ENDED };

typedef struct Candidate {
    TestCase drawn, complete;
    uint32_t forecast; /* sixteenths of the binary logarithm of its size, and a constant */
    uint32_t place;    /* among those of its shape, in the order of drawing */
} Candidate;

/* Written by all processes; every byte of a candidate by the one that makes it. */
typedef struct Shared {
    uint8_t state[CHOOSE_SHAPES][MOST_DRAWN];
    uint64_t begun[CHOOSE_SHAPES];
    uint32_t over[CHOOSE_SHAPES]; /* tests that did not end within the budget of this round */
    uint8_t size[MOST_CALLS * MOST_CALLS][MOST_CALLS * MOST_CALLS]; /* by columns; 0: not known */
} Shared;

typedef struct Choosing {
    Shared *shared;
    ChooseShape shapes[CHOOSE_SHAPES];
    uint32_t number[CHOOSE_SHAPES]; /* of the shape, for rounds.h */
    uint32_t drawn[CHOOSE_SHAPES];
    Candidate *candidates[CHOOSE_SHAPES];
    uint32_t count;
    /* These are as all processes knew them when they met: states, how many more are wanted; no more
     * than ChooseShape.first of any shape as long as another one has fewer than that. */
    uint8_t state[CHOOSE_SHAPES][MOST_DRAWN];
    uint32_t wanted[CHOOSE_SHAPES];
} Choosing;
static Choosing choosing;

void choose_setup(void)
{
    choosing.shared = pages_share(sizeof *choosing.shared);
}

/* ---- sizes ---- */

static uint32_t column_at(const TestShape *shape, const TestCase *test, uint32_t thread, uint32_t i)
{
    return test->call[thread][i] * shape->calls + test->call[thread][i + 1];
}

/* Sixteenths of the binary logarithm, at least 1. */
static uint32_t logarithm(uint64_t n)
{
    uint32_t whole = 63 - (uint32_t)__builtin_clzll(n | 1);
    uint64_t rest = whole >= 4 ? n >> (whole - 4) & 15 : n << (4 - whole) & 15;
    return MAX(1, whole * 16 + (uint32_t)rest);
}

void choose_note_size(const TestShape *shape, const TestCase *test, uint64_t leaves)
{
    if (test->threads != 2 || shape->length != 2 || shape->calls > MOST_CALLS)
        return;
    uint32_t a = column_at(shape, test, 0, 0), b = column_at(shape, test, 1, 0);
    uint8_t size = (uint8_t)MIN(logarithm(leaves), UINT8_MAX);
    choosing.shared->size[a][b] = choosing.shared->size[b][a] = size;
}

/* In how many orders of its threads is a test the same? */
static uint32_t count_orders(const TestCase *test)
{
    uint32_t orders = 1;
    for (uint32_t t = 1; t < test->threads; t++) {
        uint32_t equal = 1;
        for (uint32_t s = 0; s < t; s++)
            equal += !memcmp(test->call[s], test->call[t], sizeof *test->call);
        orders *= equal;
    }
    return orders;
}

static uint32_t forecast(const TestShape *shape, const TestCase *test)
{
    uint32_t sum = 0;
    for (uint32_t s = 0; s < test->threads && shape->calls <= MOST_CALLS; s++)
        for (uint32_t t = s + 1; t < test->threads; t++)
            for (uint32_t i = 0; i + 1 < shape->length; i++)
                for (uint32_t j = 0; j + 1 < shape->length; j++)
                    sum += choosing.shared
                               ->size[column_at(shape, test, s, i)][column_at(shape, test, t, j)];
    return sum + logarithm(MOST_ORDERS) - logarithm(count_orders(test));
}

/* ---- candidates ---- */

static uint32_t most_drawn(uint32_t s)
{
    return choosing.shapes[s].first < CHOOSE_WANTED ? MOST_DRAWN : USUALLY_DRAWN;
}

/* The slot where a test of shape S is found, or belongs. */
static uint16_t *find_drawn(uint32_t s, uint16_t *slots, const TestCase *test)
{
    uint64_t hash = test->threads;
    for (uint32_t t = 0; t < test->threads; t++)
        for (uint32_t i = 0; i < test->length[t]; i++)
            hash = hash_mix(hash + test->call[t][i] + 1);
    for (uint32_t i = (uint32_t)hash % DRAWN_SLOTS;; i = (i + 1) % DRAWN_SLOTS)
        if (!slots[i] || !memcmp(&choosing.candidates[s][slots[i] - 1].drawn, test, sizeof *test))
            return &slots[i];
}

/* Adds a test to the candidates of a shape; false if it can't be completed. */
static bool add(uint32_t s, const TestCase *test)
{
    Candidate *next = &choosing.candidates[s][choosing.drawn[s]];
    next->drawn = next->complete = *test;
    if (!child_composition_complete(&next->complete))
        return false;
    next->place = choosing.drawn[s]++;
    return true;
}

/* Takes all tests of a shape, in a random order. */
static void list_all(uint32_t s, Random *random)
{
    const TestShape *shape = &choosing.shapes[s].shape;
    Candidate *all = choosing.candidates[s];
    TestCase test;
    for (bool more = testcase_first(shape, &test); more; more = testcase_next(shape, &test))
        add(s, &test);
    for (uint32_t i = choosing.drawn[s]; i-- > 1;) {
        uint32_t j = (uint32_t)random_below(random, i + 1);
        Candidate kept = all[i];
        all[i] = all[j];
        all[j] = kept;
    }
    for (uint32_t i = 0; i < choosing.drawn[s]; i++)
        all[i].place = i;
}

/* Draws different tests, without those that differ in the order of their threads only. */
static void draw(uint32_t s, Random *random)
{
    static uint16_t slots[DRAWN_SLOTS]; /* number of a candidate + 1 */
    const TestShape *shape = &choosing.shapes[s].shape;
    uint32_t most = most_drawn(s);
    TestCase test;
    memset(slots, 0, sizeof slots);
    for (uint32_t tries = 20 * most; choosing.drawn[s] < most && tries--;) {
        testcase_sample(shape, random, &test);
        testcase_sort(shape, &test);
        uint16_t *slot = find_drawn(s, slots, &test);
        if (!*slot && add(s, &test))
            *slot = (uint16_t)choosing.drawn[s];
    }
}

/* Finds the candidates of a shape, and begins it. */
static void begin(uint32_t s, Random *random)
{
    const TestShape *shape = &choosing.shapes[s].shape;
    uint64_t all = testcase_count(shape), left_out = child_composition_left_out();
    choosing.candidates[s] = pages_reserve(sizeof **choosing.candidates * (most_drawn(s) + 1));
    if (all <= most_drawn(s))
        list_all(s, random);
    else
        draw(s, random);
    bool few = all <= CHOOSE_WANTED && child_composition_left_out() == left_out;
    choosing.number[s] =
        rounds_begin_counted(shape, few ? choosing.drawn[s] : 0, &choosing.shared->begun[s]);
}

/* Makes a candidate of shape S within BUDGET, unless time is over. */
static FindingKind make(uint32_t s, const Candidate *c, uint64_t budget, RoundsRun *run)
{
    uint8_t *state = &choosing.shared->state[s][c->place];
    FindingKind kind = FINDING_NONE;
    if (rounds_are_late())
        return FINDING_NONE;
    bool again = *state == CANDIDATE_BEGUN;
    *state = CANDIDATE_BEGUN;
    if (rounds_attempt(choosing.number[s], &c->complete, again, budget, run, &kind))
        *state = CANDIDATE_ENDED;
    else
        __atomic_add_fetch(&choosing.shared->over[s], 1, __ATOMIC_RELAXED);
    return kind;
}

static int compare_forecasts(const void *a, const void *b)
{
    const Candidate *x = a, *y = b;
    if (x->forecast != y->forecast)
        return x->forecast < y->forecast ? -1 : 1;
    return x->place < y->place ? -1 : x->place > y->place;
}

/* Finds how many more tests of each shape are wanted, of those that come FIRST or of all; false if
 * none are. */
static bool want(bool first)
{
    bool any = false;
    for (uint32_t s = 0; s < choosing.count; s++) {
        uint32_t most = first ? choosing.shapes[s].first : CHOOSE_WANTED;
        choosing.wanted[s] = MIN(most, choosing.drawn[s]);
        for (uint32_t i = 0; i < choosing.drawn[s]; i++)
            choosing.wanted[s] -= choosing.wanted[s] && choosing.state[s][i] == CANDIDATE_ENDED;
        any |= choosing.wanted[s] > 0;
    }
    return any;
}

/* Puts the candidates in the order of their forecast, and notes which have ended: the same in all
 * processes. */
static void arrange(const ChooseWork *work)
{
    work->meet();
    memcpy(choosing.state, choosing.shared->state, sizeof choosing.state);
    memset(choosing.shared->over, 0, sizeof choosing.shared->over);
    for (uint32_t s = 0; s < choosing.count; s++) {
        Candidate *all = choosing.candidates[s];
        for (uint32_t i = 0; i < choosing.drawn[s]; i++)
            all[i].forecast = forecast(&choosing.shapes[s].shape, &all[i].drawn);
        qsort(all, choosing.drawn[s], sizeof *all, compare_forecasts);
    }
    if (!want(true))
        want(false);
    work->meet();
}

FindingKind choose_try(const ChooseShape *shapes, uint32_t count, Random *random,
                       const ChooseWork *work)
{
    FindingKind kind = FINDING_NONE;
    choosing.count = count;
    ASSERT(count <= CHOOSE_SHAPES);
    for (uint32_t s = 0; s < count; s++) {
        choosing.shapes[s] = shapes[s];
        begin(s, random);
    }
    for (uint32_t i = 0; i < CHOOSE_WANTED; i++)
        for (uint32_t s = 0; s < count && kind == FINDING_NONE && !exploration.stopped; s++)
            if (i < choosing.drawn[s] && work->take())
                kind = make(s, &choosing.candidates[s][i], FIRST_BUDGET, work->run);
    if (kind == FINDING_NONE && !exploration.stopped)
        arrange(work);
    return kind;
}

/* Were some tests of a shape over the budget of this round, so that larger ones will be, too? */
static bool is_over(uint32_t s)
{
    return __atomic_load_n(&choosing.shared->over[s], __ATOMIC_RELAXED) >= MOST_OVER;
}

/* Goes through as many candidates that had not ended as are wanted of each shape, small ones first,
 * the shapes in turn. BEGUN: through all that were begun instead. */
static FindingKind go_through(uint64_t budget, bool begun, const ChooseWork *work)
{
    FindingKind kind = FINDING_NONE;
    uint32_t next[CHOOSE_SHAPES] = {0}, wanted[CHOOSE_SHAPES];
    memcpy(wanted, choosing.wanted, sizeof wanted);
    for (uint32_t left = 1; left;) {
        left = 0;
        for (uint32_t s = 0; s < choosing.count; s++) {
            const Candidate *all = choosing.candidates[s];
            const uint8_t *state = choosing.state[s];
            while (next[s] < choosing.drawn[s] &&
                   (state[all[next[s]].place] == CANDIDATE_ENDED ||
                    (begun && state[all[next[s]].place] == CANDIDATE_NEW)))
                next[s]++;
            if (next[s] == choosing.drawn[s] || (!begun && !wanted[s]))
                continue;
            left++;
            const Candidate *c = &all[next[s]++];
            wanted[s] -= !begun;
            if (work->take() && (begun || !is_over(s)))
                kind = make(s, c, budget, work->run);
            if (kind != FINDING_NONE || exploration.stopped)
                return kind;
        }
    }
    return kind;
}

/* The number of shapes of which more tests are wanted. */
static uint32_t count_wanted(void)
{
    uint32_t count = 0;
    for (uint32_t s = 0; s < choosing.count; s++)
        count += choosing.wanted[s] > 0;
    return count;
}

FindingKind choose_finish(const ChooseWork *work)
{
    FindingKind kind = FINDING_NONE;
    uint64_t budget = FIRST_BUDGET * GROWTH;
    for (; count_wanted() && !rounds_are_late(); budget *= GROWTH) {
        if (count_wanted() == 1) /* it competes with no other */
            budget = MAX(budget, FULL_BUDGET);
        kind = go_through(budget, false, work);
        if (kind != FINDING_NONE || exploration.stopped)
            return kind;
        arrange(work);
    }
    return rounds_are_late() ? kind : go_through(LAST_BUDGET, true, work);
}
