#include "guest/harness/check/check.h"
#include <stdio.h>
#include <string.h>
#include "guest/explore/search/explore.h"
#include "guest/explore/search/ops.h"
#include "guest/explore/scale/workers.h"
#include "guest/harness/calls.h"
#include "guest/harness/check/composition.h"
#include "guest/harness/check/counted.h"
#include "guest/harness/check/decide.h"
#include "guest/harness/check/done.h"
#include "guest/harness/check/failing.h"
#include "guest/harness/check/generate.h"
#include "guest/harness/check/judging.h"
#include "guest/harness/check/observations.h"
#include "guest/harness/check/quasi.h"
#include "guest/harness/check/rounds.h"
#include "guest/harness/check/second.h"
#include "guest/harness/check/spec.h"
#include "guest/harness/check/test.h"
#include "guest/harness/check/unbounded.h"
#include "guest/states/strong.h"
#include "guest/harness/check/tell/vacuous.h"
#include "guest/harness/check/tell/waits.h"
#include "guest/harness/evidence.h"
#include "guest/harness/marked.h"
#include "guest/harness/start.h"

static Finding serial_finding; /* of the serial runs before a replay */
static Buffer coverage;        /* of tests that failed before, and of the given one */

/* A program with a main() and without operations marks its calls. */
static bool is_marked(void)
{
    return start_has_program() && !declared_any_operation();
}

void child_check_judge_again(bool stuck)
{
    if (is_marked()) {
        child_marked_judge_again(stuck);
        return;
    }
    if (serial_finding.kind == FINDING_VIOLATION) /* two serial runs differ: they were made again */
        op_violation(serial_finding.violation, NULL, "%s", serial_finding.message);
    if (stuck)
        judging_stuck();
    else
        judging_complete();
}

static void describe_coverage(Link *link)
{
    if (is_marked() || options.check.unbounded)
        return; /* they say themselves what they cover */
    Buffer text = {0};
    buffer_printf(&text, "%.*s", STR_ARG(buffer_str(&coverage)));
    if (done_is_shared() && exploration.stopped) /* each rank knows of its own tests only */
        buffer_printf(&text, "%llu of %llu tests", (unsigned long long)link->outcome.tests,
                      (unsigned long long)link->test_count);
    else
        rounds_describe(&text);
    outcome_put(&link->outcome, OUTCOME_coverage, buffer_str(&text));
    vec_free(&text);
    if (!rounds_left_out() && !exploration.stopped && finding.kind == FINDING_NONE)
        done_all();
    if (!exploration.stopped && finding.kind == FINDING_NONE)
        child_waits_tell();
    if (!rounds_left_out())
        return;
    link->outcome.exhaustive = 0;
    if (!exploration.stopped && finding.kind == FINDING_NONE) {
        double seconds = options.time_ms ? (double)options.time_ms / 1e3 : generate_seconds();
        op_warning("tests of 2x3, 3x2 and 3x3 that take too long for a check of %g s were left "
                   "out; --time=%s, say, gives them more",
                   seconds, seconds < 100 ? "5m" : "1h");
    }
}

void child_check_begin(Link *link, bool again)
{
    OutcomeMessage *outcome = &link->outcome;
    if (again)
        outcome->tests = outcome->histories = outcome->undecided = outcome->uncovered =
            outcome->tests_by_states = outcome->test_states = outcome->serial_runs =
                outcome->serial_ns = 0;
    if (is_marked())
        child_marked_begin(again);
    else if (!again)
        counted_begin_share();
    else if (workers.give) /* else nothing was divided */
        counted_begin_again();
}

/* Whatever process has seen such histories: another one may have found a violation after them. */
void child_check_end(Link *link)
{
    OutcomeMessage *outcome = &link->outcome;
    uint64_t undecided = link->units.base.undecided + outcome->undecided;
    describe_coverage(link);
    if (is_marked())
        child_marked_end(link);
    if (outcome->verdict == VERDICT_HOLDS && !is_marked() && !options.check.unbounded)
        child_vacuous_tell(outcome);
    if (outcome->verdict != VERDICT_HOLDS || !(undecided || outcome->uncovered))
        return;
    outcome->verdict = VERDICT_INCONCLUSIVE;
    outcome->exhaustive = 0;
    if (outcome->uncovered)
        outcome_say(outcome, OUTCOME_reason,
                    "%llu histor%s calls that are not made, or not in an order that fits, when "
                    "calls are atomic, so nothing is known about their results: %.*s; give a "
                    "specification (--spec)",
                    (unsigned long long)outcome->uncovered,
                    outcome->uncovered == 1 ? "y has" : "ies have",
                    STR_ARG(outcome_text(outcome, OUTCOME_uncovered_example)));
    else
        outcome_say(outcome, OUTCOME_reason,
                    "%llu histories have too many real-time orders to look at them all",
                    (unsigned long long)undecided);
}

bool child_check_sampled(void)
{
    return generate_sampled() || child_composition_left_out();
}

/* Is there an operation whose name says that it takes? */
static bool something_takes(const Declared *declared)
{
    bool takes = false;
    for (uint32_t c = 0; c < declared->count && !takes; c++)
        takes = child_composition_role(&declared->calls[c]) == BALANCE_TAKE;
    return takes;
}

/* Quiescent and sequential consistency are properties of all objects together, and are no use with
 * other relaxations. */
static bool notion_fits(Error *error)
{
    const Declared *declared = &child_test.declared;
    const char *with = declared->object_count > 1                  ? "several objects (HD_OP_OF)"
                       : options.check.quasi[0] || declared->quasi ? "quasi factors"
                       : declared->any_may_fail                    ? "calls that may fail"
                                                                   : NULL;
    if (options.check.consistency != CHECK_LINEARIZABLE && with)
        return error_set(error, "--consistency other than linearizable does not go with %s", with);
    if (options.check.consistency == CHECK_SET && !something_takes(declared))
        return error_set(error, "--consistency=set is about operations that take, and none is "
                                "known by its name to (deq, pop, get, take ...)");
    if (options.check.may_fail[0] && options.check.unbounded)
        return error_set(error, "--unbounded wants HD_MAY_FAIL in the test file, not --may-fail");
    if (declared->any_async && options.check.unbounded)
        return error_set(error, "--unbounded does not go with HD_ASYNC: an effect that may come "
                                "later for ever has no states that are finite in number");
    return true;
}

static bool set_up(Link *link)
{
    Error error = {0};
    deciding.link = link;
    deciding.model = options.model;
    child_waits_setup(link);
    child_test.values = values_new();
    evidence_mark_words = child_test_mark_words;
    bool fine = declared_read(&child_test.declared, child_test.values, &error) &&
                declared_let_fail(&child_test.declared, options.check.may_fail, &error) &&
                notion_fits(&error) && child_spec_setup(&error) &&
                child_composition_setup(child_spec_compares_runs(), &error) &&
                child_observations_setup(&error);
    outcome_put(&link->outcome, OUTCOME_quasi, str_of(child_quasi.factors));
    if (!fine)
        outcome_error(&link->outcome, &error);
    return fine;
}

static bool parse_scenario(Link *link, const char *text, TestCase *to)
{
    Error error = {0};
    if (declared_parse(&child_test.declared, text, to, &error))
        return true;
    outcome_error(&link->outcome, &error);
    return false;
}

static void refuse_long_scenario(Link *link)
{
    link->outcome.input_error = 1;
    outcome_say(&link->outcome, OUTCOME_reason,
                "with those of HD_FIRST and HD_LAST the test of HD_SCENARIO has more than %d calls",
                TESTCASE_OPERATIONS);
}

/* A shape with more threads than HD_SINGLE leaves anything to call for has no tests. */
static bool refuse_shape(Link *link)
{
    const CheckOptions *check = &options.check;
    TestShape shape = child_composition_shape(check->threads, check->length);
    if (!check->threads || testcase_count(&shape))
        return false;
    link->outcome.input_error = 1;
    outcome_say(&link->outcome, OUTCOME_reason,
                "there is no test of %ux%u: HD_SINGLE leaves no operation for one of its threads",
                check->threads, check->length);
    return true;
}

/* Makes one test, which several processes may explore together. The first of them that finds a
 * violation makes the test smaller, alone: a search that begins again meanwhile would wait for the
 * others, and end if one of them had found something, too. */
static FindingKind decide_alone(const TestCase *test)
{
    FindingKind kind = failing_decide(test);
    if (kind != FINDING_VIOLATION)
        return kind;
    if (!workers_claim_outcome()) {
        exploration.stopped = true;
        return FINDING_NONE;
    }
    decide_smallest(test);
    return kind;
}

/* Tests that failed before. One that the operations no longer have is passed over: it is no part of
 * what was asked for. */
static FindingKind run_kept(Link *link)
{
    Str rest = str_of(link->first_tests), line;
    uint64_t count = 0, gone = 0;
    while (rest.length && str_next(&rest, '\n', &line) && !exploration.stopped) {
        char text[sizeof options.check.scenario];
        TestCase kept;
        Error ignored;
        if (!line.length || line.length >= sizeof text)
            continue;
        memcpy(text, line.at, line.length);
        text[line.length] = 0;
        if (!declared_parse(&child_test.declared, text, &kept, &ignored)) {
            gone++;
            continue;
        }
        count++;
        FindingKind kind = decide_alone(&kept);
        if (kind != FINDING_NONE)
            return kind;
    }
    if (gone)
        op_warning("%llu tests that failed before have calls that are not declared any more",
                   (unsigned long long)gone);
    if (count)
        buffer_printf(&coverage, "%llu tests that failed before", (unsigned long long)count);
    return FINDING_NONE;
}

/* HD_UNBOUNDED stands for --unbounded where the command line asks for no tests. */
static void use_declared_threads(Link *link)
{
    CheckOptions *check = &options.check;
    if (!child_test.declared.unbounded || check->unbounded || check->scenario[0] ||
        check->threads || check->samples || check->exhaustive || options.preemptions >= 0 ||
        options.schedules)
        return;
    check->unbounded = child_test.declared.unbounded;
    if (options.model_given) /* it is one that states know, or is refused */
        return;
    options.model = deciding.model = MODEL_SC;
    link->outcome.unbounded = 1;
}

/* Units of work are whole tests: one given test, or an exploration without tests, is no more than
 * one of them. */
static FindingKind refuse_to_divide(Link *link, const char *what)
{
    link->outcome.input_error = 1;
    outcome_say(&link->outcome, OUTCOME_reason,
                "--journal, --shard and MPI divide a check into its tests: they do not go with %s",
                what);
    return FINDING_UNSUPPORTED;
}

static FindingKind refuse_for_marks(Link *link)
{
    link->outcome.input_error = 1;
    outcome_say(&link->outcome, OUTCOME_reason,
                "--may-fail, --consistency, --keep-going and --all are for operations that are "
                "declared (HD_OP), not for marked calls");
    return FINDING_UNSUPPORTED;
}

/* Threads that call for ever. */
static FindingKind check_unbounded(Link *link)
{
    FindingKind kind = child_unbounded(link, decide_execution);
    if (kind == FINDING_VIOLATION) {
        decide_publish(&child_test.test);
        outcome_copy_texts(&link->outcome, &judging.explained);
    }
    return kind;
}

/* The test that --scenario or HD_SCENARIO gives. False if it makes no sense: the outcome says why.
 */
static bool check_given(Link *link, const char *scenario, FindingKind *kind, bool *one_thread)
{
    TestCase fixed;
    if (!parse_scenario(link, scenario, &fixed))
        return false;
    if (!options.check.scenario[0] && !child_composition_add_lists(&fixed)) {
        refuse_long_scenario(link);
        return false;
    }
    __atomic_store_n(&link->test_count, 1, __ATOMIC_RELAXED);
    deciding.together = true;
    *kind = decide_alone(&fixed);
    if (*kind != FINDING_VIOLATION)
        buffer_printf(&coverage, "the given test");
    *one_thread = fixed.threads == 1;
    return true;
}

/* Makes the answer inconclusive, or adds a warning, where the tests leave something open. */
static FindingKind qualify(FindingKind kind, bool one_thread)
{
    uint64_t left_out = child_composition_left_out();
    if (kind == FINDING_NONE && decide_both_ways()) {
        kind = FINDING_UNSUPPORTED;
        snprintf(finding.message, sizeof finding.message,
                 "of %llu tests %llu were decided both ways, with the same answer: %llu violated",
                 (unsigned long long)deciding.tests, (unsigned long long)deciding.both,
                 (unsigned long long)deciding.both_violated);
    }
    if (kind == FINDING_NONE && one_thread && !exploration.stopped)
        op_warning("the tests have one thread: no two calls overlap, so this says nothing about "
                   "concurrency");
    if (left_out)
        op_warning("%llu tests were left out: more than %d calls, or %d of one thread",
                   (unsigned long long)left_out, TESTCASE_OPERATIONS, TESTCASE_LENGTH);
    return kind;
}

/* Says in which test the time was over. */
static void tell_stopped_test(OutcomeMessage *outcome)
{
    char text[sizeof options.check.scenario];
    if (!exploration.stopped || !child_test.test.threads)
        return;
    declared_print(&child_test.declared, &child_test.test, text, sizeof text);
    workers_lock();
    outcome_say(outcome, OUTCOME_stopped_test, "%s", text);
    workers_unlock();
}

/* Adds what this process has done to the outcome, which all processes share. */
static void add_to_outcome(Link *link, FindingKind kind)
{
    OutcomeMessage *outcome = &link->outcome;
    calls_complained(outcome);
    counted_add(outcome);
    failing_publish(outcome);
    workers_lock();
    if (kind != FINDING_NONE)
        describe_coverage(link);
    /* others may explain something at the same time: only the one with the outcome writes it */
    if (kind == FINDING_VIOLATION)
        outcome_copy_texts(outcome, &judging.explained);
    workers_unlock();
}

FindingKind child_check(Link *link)
{
    if (is_marked() &&
        (options.check.may_fail[0] || options.check.consistency || options.check.keep_going))
        return refuse_for_marks(link);
    done_setup(link);
    workers.give = false;
    if (is_marked())
        return done_is_kept() ? refuse_to_divide(link, "marked calls") : child_marked(link);
    calls_refuse();
    if (!set_up(link))
        return FINDING_UNSUPPORTED;
    use_declared_threads(link);
    second_setup();
    const CheckOptions *check = &options.check;
    const char *scenario = check->scenario[0] ? check->scenario : child_test.declared.scenario;
    if (done_is_kept() && (scenario || check->unbounded))
        return refuse_to_divide(link, scenario ? "one given test" : "HD_UNBOUNDED");
    /* a crew has processes of its own */
    bool by_crew = check->unbounded && options.jobs_are_default && states_know_model();
    if (by_crew || (check->keep_going && (scenario || check->unbounded)))
        workers_stay_alone();
    if (check->unbounded)
        return check_unbounded(link);
    FindingKind kind = FINDING_NONE;
    bool one_thread = check->threads == 1;
    if (scenario) {
        if (!check_given(link, scenario, &kind, &one_thread))
            return FINDING_UNSUPPORTED;
    } else {
        if (refuse_shape(link))
            return FINDING_UNSUPPORTED;
        kind = run_kept(link);
        if (kind == FINDING_NONE)
            kind = generate_tests(check);
    }
    child_observations_end();
    kind = qualify(kind, one_thread);
    if (kind == FINDING_NONE)
        tell_stopped_test(&link->outcome);
    add_to_outcome(link, kind);
    return kind;
}

bool child_check_prepare(Link *link)
{
    if (is_marked())
        return child_marked_prepare(link);
    TestCase recorded;
    if (!set_up(link) || !parse_scenario(link, options.check.scenario, &recorded))
        return false;
    judging.replayed = &link->outcome;
    child_test_set(&recorded);
    decide_publish(&recorded);
    ViolationKind wanted = (ViolationKind)link->record_violation;
    FindingKind kind = child_spec_learn();
    void *(*program)(void *) = child_test_serial;
    if (kind == FINDING_NONE && wanted == VIOLATION_NONDETERMINISM) {
        kind = child_spec_learn_moved();
        program = child_test_moved;
    }
    if (kind == FINDING_NONE && !child_spec_extend(&kind))
        kind = FINDING_NONE;
    judging_begin();
    options.model = deciding.model;
    if (kind == FINDING_VIOLATION && finding.violation == wanted) {
        serial_finding = finding;
        child_test_set_program(program); /* it shows in serial runs already */
    } else {
        child_test_set_program(child_test_concurrent);
    }
    return true;
}
