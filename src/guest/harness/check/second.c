#include "guest/harness/check/second.h"
#include <stdio.h>
#include "base/clock.h"
#include "guest/explore/search/explore.h"
#include "guest/harness/check/decide.h"
#include "guest/harness/check/generate.h"
#include "guest/harness/check/judging.h"
#include "guest/runtime/pages.h"

enum { MOST_TESTS = 1 << 16, ROUNDS = 3, GROWTH = 8 };
/* Budgets of the first round; the last one's are those of decide.c. */
#define FIRST_STATES UINT64_C(62500)
#define LAST_STATES (FIRST_STATES * GROWTH * GROWTH)
#define FIRST_REQUESTS UINT64_C(400000)

typedef struct Kept {
    TestCase test;
    bool by_states; /* the first time */
    bool is_done;
} Kept;
typedef struct Tests { /* in memory that all processes share */
    uint64_t count;    /* that held; those from MOST_TESTS on are not kept */
    Kept at[MOST_TESTS];
} Tests;
static Tests *tests;
static bool (*outer_poll)(void);
static uint64_t end_ns; /* 0: no end */

static void keep(const TestCase *test, bool by_states)
{
    uint64_t i = __atomic_fetch_add(&tests->count, 1, __ATOMIC_RELAXED);
    if (i < MOST_TESTS)
        tests->at[i] = (Kept){*test, by_states, false};
}

void second_setup(void)
{
    if (!options.second_opinion)
        return;
    tests = pages_share(sizeof *tests);
    deciding.on_held = keep;
}

static bool poll(void)
{
    return (outer_poll && outer_poll()) || (end_ns && clock_cpu_ns() > end_ns);
}

static FindingKind decide_kept(Kept *kept, uint64_t growth, OutcomeMessage *outcome)
{
    DecideAgain again = {.holds = true,
                         .by_states = !kept->by_states,
                         .budget = (kept->by_states ? FIRST_REQUESTS : FIRST_STATES) * growth,
                         .ever = true};
    FindingKind kind = decide_test_again(&kept->test, &again);
    if (kind == FINDING_VIOLATION) {
        outcome->disagrees = kept->by_states ? OUTCOME_ONLY_EXECUTIONS : OUTCOME_ONLY_STATES;
        decide_publish(&kept->test);
        outcome_copy_texts(outcome, &judging.explained);
        return kind;
    }
    kept->is_done = again.decided || (!again.ever && !exploration.stopped);
    outcome->seconded += again.decided && kind == FINDING_NONE;
    if (kept->is_done && !again.decided)
        outcome_say(outcome, OUTCOME_unseconded, "some can't be decided by states");
    return FINDING_NONE;
}

static FindingKind go_round(uint64_t growth, OutcomeMessage *outcome)
{
    FindingKind kind = FINDING_NONE;
    uint64_t count = MIN(tests->count, (uint64_t)MOST_TESTS);
    for (uint64_t i = 0; i < count && kind == FINDING_NONE && !exploration.stopped; i++)
        if (!tests->at[i].is_done)
            kind = decide_kept(&tests->at[i], growth, outcome);
    return kind;
}

/* Tests that hold, round after round. */
static FindingKind go_round_all(OutcomeMessage *outcome)
{
    FindingKind kind = FINDING_NONE;
    double seconds = options.time_ms ? 0 : generate_seconds();
    end_ns = seconds > 0 ? clock_cpu_ns() + (uint64_t)(seconds * 1e9) : 0;
    uint64_t growth = 1;
    for (int round = 0; round < ROUNDS && kind == FINDING_NONE; round++, growth *= GROWTH)
        kind = go_round(growth, outcome);
    if (kind == FINDING_NONE && outcome->seconded < outcome->second_asked &&
        !outcome_text(outcome, OUTCOME_unseconded).length)
        outcome_say(outcome, OUTCOME_unseconded,
                    exploration.stopped ? "time is over" : "others take too long");
    return kind;
}

/* The test that was seen to fail by its executions. */
static void doubt(OutcomeMessage *outcome)
{
    TestCase test;
    Error ignored;
    char text[sizeof options.check.scenario];
    Str scenario = outcome_text(outcome, OUTCOME_scenario);
    snprintf(text, sizeof text, "%.*s", STR_ARG(scenario));
    DecideAgain again = {.by_states = true, .budget = LAST_STATES};
    if (!declared_parse(&child_test.declared, text, &test, &ignored))
        return;
    FindingKind kind = decide_test_again(&test, &again);
    outcome->seconded = again.decided && kind == FINDING_VIOLATION;
    if (again.decided && !outcome->seconded)
        outcome->disagrees = OUTCOME_REFUTED_BY_STATES;
    else if (!again.decided)
        outcome_say(outcome, OUTCOME_unseconded, "its states do not decide it");
}

FindingKind second_check(OutcomeMessage *outcome, bool holds)
{
    bool known = tests && (!holds || tests->count);
    outcome->second_asked = known && holds ? tests->count : 1;
    if (!known) {
        outcome_say(outcome, OUTCOME_unseconded, "only tests of declared operations have one");
        return FINDING_NONE;
    }
    deciding.on_held = NULL;
    outer_poll = exploration.poll;
    exploration.poll = poll;
    FindingKind kind = FINDING_NONE;
    if (holds)
        kind = go_round_all(outcome);
    else
        doubt(outcome);
    exploration.poll = outer_poll;
    return kind;
}
