#include "guest/harness/check/decide.h"
#include <string.h>
#include "guest/explore/search/explore.h"
#include "guest/explore/search/revisit.h"
#include "guest/explore/scale/units.h"
#include "guest/explore/scale/workers.h"
#include "guest/harness/check/causes.h"
#include "guest/harness/check/counted.h"
#include "guest/harness/check/judging.h"
#include "guest/harness/check/minimise.h"
#include "guest/harness/check/observations.h"
#include "guest/harness/check/rounds.h"
#include "guest/harness/check/spec.h"
#include "guest/states/strong.h"
#include "guest/runtime/request.h"
#include "record/hooks.h"

Deciding deciding;

FindingKind decide_execution(const TestCase *test, const SampleStep *steps, size_t count)
{
    child_test_set(test);
    FindingKind kind = child_spec_learn();
    if (kind != FINDING_NONE)
        return kind;
    judging_begin();
    child_test_set_program(child_test_concurrent);
    exploration.on_complete = judging_complete;
    exploration.on_stuck = judging_stuck;
    options.model = deciding.model;
    return steps ? sample_script(steps, count, false) : decide_executions();
}

/* ---- executions or states ----
 * Orders of independent steps multiply executions, but lead to the same states. So a test that has
 * taken a moment is tried by some of its states, then by its executions for a while, from the
 * start, then by eight times as many states, from where they have stopped, then by its executions
 * for eight times as long, and so on; if there are too many of those, by its executions to the end.
 * States get more because tests that executions do not end soon mostly have fewer of them, and
 * because nothing of theirs is lost. A while is counted in requests of the program's threads and in
 * states, not in time: which way a test is decided, and with it what is counted, depends neither on
 * the machine nor on the tests before it, nor on shares. States of rc11 itself
 * (states/views) take ten times as long as those of sc, and are mostly more: they come where
 * executions have been tried for a second. */

#define FIRST_PATIENCE UINT64_C(10000) /* requests: 0.005 to 0.01 s */
#define PATIENCE UINT64_C(400000)
#define FIRST_PAIRS UINT64_C(120000) /* 0.1 to 0.2 s */
#define MOST_PAIRS UINT64_C(4000000)
#define VIEWS_PATIENCE UINT64_C(10000000) /* 0.8 s */
#define VIEWS_FIRST_PAIRS UINT64_C(60000)
#define VIEWS_MOST_PAIRS UINT64_C(480000)
#define VIEWS_COST 4 /* of a state, for second opinions */
#define GROWTH 8
/* HEDDLE_DEBUG=states=...: "always" by states where that is possible, "never", or "both": then the
 * answers must be the same, and all tests are made, whatever they show; "views": the same, and
 * under rc11 by the states of rc11 itself, wherever those of sc would do. */
static bool states_are(const char *word)
{
    return hooks.states && !strcmp(hooks.states, word);
}

bool decide_both_ways(void)
{
    return states_are("both") || states_are("views");
}

static bool poll_impatiently(void)
{
    if (deciding.outer_poll && deciding.outer_poll())
        return true;
    deciding.out_of_patience = request_count > deciding.patience_end;
    return deciding.out_of_patience;
}

/* One that needs more serial runs when it fails needs them in every process. */
static FindingKind explore_together(void)
{
    workers.give = deciding.together && options.preemptions < 0 && !child_spec_may_be_extended();
    counted_begin_test();
    FindingKind kind = decide_executions();
    workers.give = false;
    return kind;
}

FindingKind decide_executions(void)
{
    judging_begin();
    return child_test_explore(child_test_concurrent, judging_complete, judging_stuck,
                              deciding.model);
}

/* Explores all executions, and has them written down as they go, so that a later session goes on
 * from there: of tests that have a number, not of those that are made to explain a violation. A
 * search within a bound has no units (bounded.h); one by a specification that was extended for this
 * test would be gone on with by another. */
static FindingKind explore_in_sessions(void)
{
    uint64_t test = rounds_test();
    if (!units_on() || !test || deciding.extended || options.preemptions >= 0 || decide_both_ways())
        return explore_together();
    units_enter_test(&(UnitsTest){test, judging_count, judging_resume});
    FindingKind kind = decide_executions();
    units_leave_test(exploration.stopped && !rounds_are_over());
    return kind;
}

/* Where states come late, a session may end before they do: then the next one makes no turns, but
 * has the executions of the test at once, so that sessions which are short get on. */
static bool ends_with_session(void)
{
    return exploration.stopped && units_on() && strong_is_possible();
}

/* Explores for so many requests; false if that was not enough. */
static bool check_briefly(uint64_t patience, FindingKind *kind)
{
    ExploreCounts before = child_test_done;
    uint64_t revisits = revisit_count, histories = judging.histories;
    deciding.outer_poll = exploration.poll;
    deciding.out_of_patience = false;
    deciding.patience_end = request_count + patience;
    exploration.poll = poll_impatiently;
    *kind = decide_executions();
    exploration.poll = deciding.outer_poll;
    if (*kind != FINDING_NONE || !(deciding.out_of_patience || ends_with_session()))
        return true;
    exploration.stopped &= !deciding.out_of_patience;
    child_test_done = before; /* they are only some of its executions */
    revisit_count = revisits;
    judging.histories = histories;
    return false;
}

/* The states have given the answer BY_STATES; do the executions? */
static FindingKind compare_ways(FindingKind by_states)
{
    ViolationKind violation = finding.violation;
    FindingKind kind = decide_executions();
    if (exploration.stopped && kind == FINDING_NONE)
        return kind; /* not decided: it is put off, or time is over */
    if (kind != by_states)
        die("internal error: a test %s by its states, but %s by its executions",
            by_states == FINDING_NONE ? "holds" : violation_word(violation),
            kind == FINDING_NONE ? "holds" : "does not");
    deciding.both++;
    deciding.both_violated += kind == FINDING_VIOLATION;
    finding.kind = FINDING_NONE;
    return FINDING_NONE;
}

/* A test that holds by its executions, and is violated by its states, whose path no execution
 * follows. */
NORETURN static void disagree_without_execution(void)
{
    char test[sizeof options.check.scenario];
    declared_print(&child_test.declared, &child_test.test, test, sizeof test);
    die("internal error: the test %s holds by its executions, but by its states it does not: "
        "%s (%s); no execution that shows that was found",
        test, violation_word(finding.violation), finding.message);
}

/* The states of rc11 itself have shown a violation (states/views), but no execution. */
static FindingKind find_execution(void)
{
    Finding shown = finding;
    finding.kind = FINDING_NONE;
    FindingKind kind = explore_in_sessions();
    if (kind != FINDING_NONE)
        return kind;
    finding = shown;
    if (!exploration.stopped)
        disagree_without_execution();
    op_warning("the states of rc11 show %s (%.200s), but no execution that does was found so far",
               violation_word(shown.violation), shown.message);
    finding.kind = FINDING_NONE;
    return kind;
}

static FindingKind check_again(DecideAgain *again)
{
    FindingKind kind = FINDING_NONE;
    options.model = deciding.model;
    if (!again->by_states) {
        again->decided = check_briefly(again->budget, &kind) && !exploration.stopped;
        return kind == FINDING_UNSUPPORTED ? FINDING_NONE : kind;
    }
    UnboundedDecision by_states = {0};
    if ((again->ever = child_states_fit()))
        kind = child_states_decide((UnboundedTurn){.most = again->budget}, decide_execution,
                                   &by_states);
    if (by_states.weak)
        kind = child_states_decide(
            (UnboundedTurn){.most = MAX(again->budget / VIEWS_COST, 1), .by_views = true},
            decide_execution, &by_states);
    again->decided = by_states.decided && !exploration.stopped;
    again->ever &= by_states.decided || by_states.full;
    if (again->holds && !by_states.decided && by_states.shown == FINDING_VIOLATION)
        disagree_without_execution();
    return kind;
}

/* The turns of a test: how much of it comes next, by its executions and by its states. */
typedef struct Turns {
    bool only_states;
    bool by_views; /* those of rc11 itself */
    bool goes_on;  /* the states of the turn before do */
    uint64_t patience, later, pairs, most;
} Turns;

static Turns first_turn(void)
{
    bool only = states_are("always") || decide_both_ways(); /* by states, if that is possible */
    uint64_t patience = hooks.patience >= 0 ? (uint64_t)hooks.patience : FIRST_PATIENCE;
    Turns turns = {.only_states = only,
                   .patience = patience,
                   .later = hooks.patience >= 0 ? patience * GROWTH : PATIENCE,
                   .pairs = only ? MOST_PAIRS : FIRST_PAIRS,
                   .most = MOST_PAIRS};
    if (strong_is_possible() && states_are("views"))
        turns.by_views = true, turns.pairs = turns.most = VIEWS_MOST_PAIRS;
    return turns;
}

/* False: the states had their last turn. */
static bool next_turn(Turns *turns, const UnboundedDecision *by_states)
{
    if (by_states->weak) {
        turns->by_views = true;
        turns->goes_on = false;
        turns->patience = MAX(turns->patience, hooks.patience >= 0 ? 0 : VIEWS_PATIENCE);
        turns->later = turns->patience * GROWTH;
        turns->most = VIEWS_MOST_PAIRS;
        turns->pairs = turns->only_states ? turns->most : VIEWS_FIRST_PAIRS;
        return true;
    }
    if (!by_states->full || turns->pairs == turns->most)
        return false;
    turns->goes_on = true;
    turns->patience = turns->later;
    turns->later *= GROWTH;
    turns->pairs = MIN(turns->pairs * GROWTH, turns->most);
    return true;
}

static FindingKind check_concurrently(void)
{
    deciding.was_by_states = false;
    if (deciding.again)
        return check_again(deciding.again);

    FindingKind kind;
    UnboundedDecision by_states = {0};
    Turns turns = first_turn();
    options.model = deciding.model;
    /* a session before this one has come to the executions of this test: it has tried the rest */
    if (!child_states_fit() || states_are("never") || options.check.all ||
        units_has_test(rounds_test()))
        return explore_in_sessions();
    do {
        if (!turns.only_states && check_briefly(turns.patience, &kind))
            return kind;
        if (exploration.stopped)
            break;
        UnboundedTurn turn = {turns.pairs, .by_views = turns.by_views,
                              .keeps = turns.pairs < turns.most, .goes_on = turns.goes_on};
        kind = child_states_decide(turn, decide_execution, &by_states);
    } while (!by_states.decided && !exploration.stopped && next_turn(&turns, &by_states));
    exploration.stopped &= !ends_with_session();
    if (!by_states.decided && !decide_both_ways() && !exploration.stopped)
        return by_states.by_views && by_states.shown == FINDING_VIOLATION ? find_execution()
                                                                          : explore_in_sessions();
    if (decide_both_ways() && (by_states.decided || by_states.shown == FINDING_VIOLATION))
        kind = compare_ways(by_states.shown);
    deciding.by_states += deciding.was_by_states = by_states.decided;
    deciding.by_views += by_states.decided && by_states.by_views;
    deciding.pairs += by_states.pairs;
    judging.histories += by_states.pairs;
    return kind;
}

bool decide_is_about_histories(void)
{
    return finding.violation == VIOLATION_LINEARIZABILITY || finding.violation == VIOLATION_STUCK;
}

/* Does what decide_test does, and tells nobody of a test that holds. */
static FindingKind decide(const TestCase *wanted)
{
    child_test_set(wanted);
    deciding.tests++;
    __atomic_store_n(&deciding.link->test_number, deciding.link->units.base.tests + deciding.tests,
                     __ATOMIC_RELAXED);
    outcome_clear_texts(&judging.explained); /* that of a violation which another one replaces */
    causes_begin_test();
    uint64_t runs = child_spec_serial_runs(), serial_ns = child_test_serial_ns;
    FindingKind kind = child_spec_learn();
    deciding.serial_runs = child_spec_serial_runs() - runs;
    deciding.serial_ns = child_test_serial_ns - serial_ns;
    bool is_first = deciding.tests == 1 && workers_present_piece() <= 1;
    if (kind == FINDING_NONE && (deciding.moved || is_first || child_test.operations <= 2))
        kind = child_spec_learn_moved();
    if (kind != FINDING_NONE || exploration.stopped)
        return kind;
    kind = check_concurrently();
    if (kind != FINDING_VIOLATION || !decide_is_about_histories() || !child_spec_extend(&kind))
        return kind;
    if (kind != FINDING_NONE || exploration.stopped)
        return kind;
    deciding.extended = true;
    kind = check_concurrently();
    deciding.extended = false;
    return kind;
}

FindingKind decide_test(const TestCase *wanted)
{
    FindingKind kind = decide(wanted);
    if (kind == FINDING_NONE && !exploration.stopped && deciding.on_held)
        deciding.on_held(wanted, deciding.was_by_states);
    return kind;
}

FindingKind decide_test_again(const TestCase *wanted, DecideAgain *again)
{
    deciding.again = again;
    FindingKind kind = decide(wanted);
    deciding.again = NULL;
    return kind;
}

void decide_publish(const TestCase *of)
{
    OutcomeMessage *outcome = &deciding.link->outcome;
    char shape[32];
    causes_print_shape(of, shape, sizeof shape);
    outcome_say(outcome, OUTCOME_shape, "%s", shape);
    char scenario[sizeof options.check.scenario]; /* a replay is given it as an option */
    declared_print(&child_test.declared, of, scenario, sizeof scenario);
    outcome_say(outcome, OUTCOME_scenario, "%s", scenario);
}

void decide_smallest(const TestCase *failing)
{
    TestCase smallest = *failing;
    child_observations_end();
    if (decide_is_about_histories()) { /* or is it that results are no function of the calls? */
        deciding.moved = true;
        child_find_again(decide_test, &smallest);
    }
    child_minimise(&child_test.declared, failing, decide_test, &smallest);
    decide_publish(&smallest);
}
