#include "base/clock.h"
#include "guest/harness/check/check.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "record/hooks.h"
#include "guest/harness/calls.h"
#include "guest/harness/check/tell_orders.h"
#include "guest/harness/check/causes.h"
#include "guest/harness/check/composition.h"
#include "guest/harness/marked.h"
#include "guest/harness/check/minimise.h"
#include "guest/harness/check/observations.h"
#include "guest/harness/check/quasi.h"
#include "guest/harness/check/rounds.h"
#include "guest/harness/check/spec.h"
#include "guest/harness/check/tally.h"
#include "guest/harness/check/test.h"
#include "guest/harness/check/unbounded.h"
#include "guest/harness/evidence.h"
#include "guest/harness/verify.h"
#include "guest/explore/explore.h"
#include "guest/explore/values.h"
#include "guest/explore/workers.h"
#include "guest/explore/ops.h"
#include "guest/harness/start.h"

/* A check that is not told how long to go on makes no random tests after so long. */
#define DEFAULT_SECONDS 22

bool child_check_sampled;

static Link *target;
static Verifier *verifiers[DECLARED_OBJECTS]; /* one for each object */
static uint32_t concurrent_model;
static uint64_t histories, tests;
static Finding serial_finding; /* of the serial runs before a replay */
/* Serial runs are made once more, elsewhere (child_test_moved): those of small tests, which tell
 * about every operation, of the first one, and of those that fail. */
static bool test_moved;
static OutcomeMessage explained; /* why the last violation is one, until that is the outcome */
static bool replaying;
static uint64_t test_number,
    own_test; /* of the next test; of the one that this process takes next */

/* ---- concurrent executions ---- */

/* The failure of one object's part of a history. */
typedef struct ObjectFailure {
    uint32_t object;
    bool several; /* the test has several */
    GraphHistory history;
    VerifyFailure failure;
} ObjectFailure;

/* Linearizability is local (Herlihy and Wing 1990, theorem 1): each object's part is judged by
 * itself. */
static bool object_holds(const GraphHistory *whole, uint32_t o, bool stuck, ObjectFailure *found)
{
    found->object = o;
    found->several = child_test.declared.object_count > 1;
    found->history = *whole;
    GraphHistory *history = &found->history;
    for (uint32_t k = 0; k < history->count && found->several; k++)
        if (child_test_call(k)->object != o) {
            history->called &= ~(1u << k);
            history->returned &= ~(1u << k);
        }
    stuck = stuck && (!found->several || history->called != history->returned);
    child_spec_select(o);
    if (verifier_check(verifiers[o], history, stuck, &found->failure))
        return true;
    if (!verifier_confirm(verifiers[o], history, &found->failure))
        die("internal error: the two checkers disagree about a history");
    return false;
}

NORETURN static void report_object(const ObjectFailure *found)
{
    const Declared *declared = &child_test.declared;
    uint32_t o = found->object, waits = found->failure.stuck;
    child_explain(verifiers[o], &explained, &found->history, &found->failure);
    if (replaying)
        outcome_copy_texts(&target->outcome, &explained);
    if (options.check.keep_going)
        causes_blame(&found->history, &found->failure);
    if (waits != UINT32_MAX)
        op_violation(VIOLATION_STUCK, NULL,
                     "%s waits for ever, but no serial run of the same calls with the same results "
                     "ends with it waiting",
                     child_test_call(waits)->text);
    const char *given = child_spec_given(), *name = found->several ? declared->objects[o] : "";
    op_violation(VIOLATION_LINEARIZABILITY, NULL,
                 "no serial order of the calls%s%s%s%s%s gives these results", *name ? " on " : "",
                 name, given ? " that " : "", given ? given : "", given ? " allows" : "");
}

/* An exploration that has begun again counts its histories from the beginning. */
static uint64_t histories_before;
static unsigned restarts_seen;

static bool counts_on; /* --all: histories that are not allowed are counted, and no violation */

static void judge(bool stuck)
{
    if (explore_restarts != restarts_seen) {
        restarts_seen = explore_restarts;
        histories = histories_before;
        tally_begin();
    }
    GraphHistory history;
    ObjectFailure found;
    bool rejected = false;
    graph_history_collect(&history, child_test.operations);
    histories++;
    for (uint32_t o = 0; o < child_test.declared.object_count && !rejected; o++)
        rejected = !object_holds(&history, o, stuck, &found);
    if (options.check.all)
        tally_add(&history, rejected);
    if (rejected && !counts_on)
        report_object(&found);
}

static void concurrent_complete(void)
{
    judge(false);
}

static void concurrent_stuck(void)
{
    GraphHistory history;
    graph_history_collect(&history, child_test.operations);
    if (history.called == history.returned) { /* not inside an operation */
        char text[256];
        explore_describe_deadlock(text, sizeof text);
        op_violation(VIOLATION_DEADLOCK, NULL, "%s, outside of any operation", text);
    }
    for (uint32_t k = 0; k < history.count; k++)
        if (((history.called & ~history.returned) >> k & 1) &&
            child_test_must_not_wait(child_test_call(k))) {
            if (counts_on) {
                tally_add(&history, true);
                return;
            }
            op_violation(VIOLATION_STUCK, NULL,
                         "%s waits for ever, but HD_MAY_BLOCK does not name it",
                         child_test_call(k)->text);
        }
    judge(true);
}

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
        concurrent_stuck();
    else
        judge(false);
}

/* ---- one test ---- */

/* HD_MAY_FAIL: is this the result of a call that did nothing? */
static bool has_failed(uint32_t k, Value result)
{
    const Declared *declared = &child_test.declared;
    uint32_t call = (uint32_t)(child_test_call(k) - declared->calls);
    return declared_has_failed(declared, child_test.values, call, result);
}

static void begin_judging(void)
{
    for (uint32_t o = 0; o < child_test.declared.object_count; o++) {
        child_spec_select(o);
        if (!verifiers[o])
            verifiers[o] = verifier_new();
        verifier_begin(verifiers[o], child_spec_automaton(), child_test.operations,
                       child_spec_label, NULL);
        verifier_let_fail(verifiers[o], child_test.declared.any_may_fail ? has_failed : NULL);
        verifier_weaken(verifiers[o],
                        options.check.consistency == CHECK_QUIESCENT    ? REALTIME_QUIESCENT
                        : options.check.consistency == CHECK_SEQUENTIAL ? REALTIME_SEQUENTIAL
                                                                        : REALTIME_LINEARIZABLE);
    }
}

/* One execution of TEST, as the states have shown it. */
static FindingKind confirm_execution(const TestCase *test, const SampleStep *steps, size_t count)
{
    child_test_set(test);
    FindingKind kind = child_spec_learn();
    if (kind != FINDING_NONE)
        return kind;
    begin_judging();
    child_test_set_program(child_test_concurrent);
    explore_on_complete = concurrent_complete;
    explore_on_stuck = concurrent_stuck;
    options.model = concurrent_model;
    return sample_script(steps, count);
}

/* ---- executions or states ----
 * Orders of independent steps multiply executions, but lead to the same states. So a test that has
 * taken a while is tried by its states; if there are too many of those, it goes on by executions,
 * from the start. */

#define PATIENCE_NS UINT64_C(700000000)
/* HEDDLE_DEBUG=states=...: "always" by states where that is possible, "never". */
static bool states_are(const char *word)
{
    return hooks.states && !strcmp(hooks.states, word);
}
static bool (*outer_poll)(void);
static uint64_t patience_end;
static bool out_of_patience;
static uint64_t tests_by_states, pairs_explored;

static bool poll_impatiently(void)
{
    if (outer_poll && outer_poll())
        return true;
    out_of_patience = clock_cpu_ns() > patience_end;
    return out_of_patience;
}

static FindingKind check_executions(void)
{
    begin_judging();
    histories_before = histories;
    restarts_seen = 0;
    tally_begin();
    return child_test_explore(child_test_concurrent, concurrent_complete, concurrent_stuck,
                              concurrent_model);
}

/* Explores for a moment; false if that was not enough. */
static bool check_briefly(FindingKind *kind)
{
    ExploreCounts before = child_test_done;
    outer_poll = explore_poll;
    out_of_patience = false;
    patience_end = clock_cpu_ns() + PATIENCE_NS;
    explore_poll = poll_impatiently;
    *kind = check_executions();
    explore_poll = outer_poll;
    if (*kind != FINDING_NONE || !out_of_patience)
        return true;
    explore_stopped = false;
    child_test_done = before; /* they are only some of its executions */
    return false;
}

static FindingKind check_concurrently(void)
{
    FindingKind kind;
    uint64_t pairs;
    bool decided;
    options.model = concurrent_model;
    if (!child_states_fit() || states_are("never") || options.check.all)
        return check_executions();
    if (!states_are("always") && check_briefly(&kind))
        return kind;
    kind = child_states_decide(confirm_execution, &decided, &pairs);
    if (!decided && !explore_stopped)
        return check_executions();
    tests_by_states += decided;
    pairs_explored += pairs;
    histories += pairs;
    return kind;
}

static bool is_about_histories(void)
{
    return finding.violation == VIOLATION_LINEARIZABILITY || finding.violation == VIOLATION_STUCK;
}

static FindingKind run_test(const TestCase *wanted)
{
    child_test_set(wanted);
    tests++;
    __atomic_store_n(&target->test_number, tests, __ATOMIC_RELAXED);
    outcome_clear_texts(&explained); /* that of a violation which another one replaces */
    causes_begin_test();
    FindingKind kind = child_spec_learn();
    if (kind == FINDING_NONE && (test_moved || tests == 1 || child_test.operations <= 2))
        kind = child_spec_learn_moved();
    if (kind != FINDING_NONE || explore_stopped)
        return kind;
    kind = check_concurrently();
    if (kind != FINDING_VIOLATION || !is_about_histories() || !child_spec_extend(&kind))
        return kind;
    return kind == FINDING_NONE && !explore_stopped ? check_concurrently() : kind;
}

/* The test that the answer is about. */
static void publish_test(const TestCase *of)
{
    OutcomeMessage *outcome = &target->outcome;
    char shape[32];
    causes_print_shape(of, shape, sizeof shape);
    outcome_say(outcome, OUTCOME_shape, "%s", shape);
    char scenario[sizeof options.check.scenario]; /* a replay is given it as an option */
    declared_print(&child_test.declared, of, scenario, sizeof scenario);
    outcome_say(outcome, OUTCOME_scenario, "%s", scenario);
}

static void minimise(const TestCase *failing)
{
    TestCase smallest = *failing;
    child_observations_end();
    if (is_about_histories()) { /* or is it that results are no function of the calls? */
        test_moved = true;
        child_find_again(run_test, &smallest);
    }
    child_minimise(&child_test.declared, failing, run_test, &smallest);
    publish_test(&smallest);
}

/* ---- tests that fail, with --keep-going ---- */

static uint64_t tests_failed;

/* Explores the present test, which was seen to fail, to its end, and counts its histories. */
static void count_all(void)
{
    uint32_t kept = options.keep_going;
    options.keep_going = 1; /* no random schedules beside it */
    counts_on = true;
    if (check_executions() == FINDING_NONE && !explore_stopped)
        tally_keep();
    counts_on = false;
    options.keep_going = kept;
}

/* The violation that the smallest form of FAILING shows. */
static void find_cause(const TestCase *failing, TestCase *smallest, Cause *small)
{
    *smallest = *failing;
    if (is_about_histories()) { /* or is it that results are no function of the calls? */
        test_moved = true;
        child_find_again(run_test, smallest);
    }
    child_shrink(&child_test.declared, failing, run_test, smallest);
    causes_describe(small);
    test_moved = false;
}

/* Counts a test that has just failed. What is explored for that is no part of the answer. */
static void count_failure(const TestCase *test)
{
    Cause cause, small;
    TestCase smallest;
    Finding first = finding;
    causes_describe(&cause);
    tests_failed++;
    rounds_unlimit();
    bool all = options.check.all && is_about_histories();
    if (all)
        count_all();
    uint64_t tests_before = tests, before_histories = histories;
    ExploreCounts done = child_test_done;
    finding = first;
    if (!causes_count(target, &cause)) {
        find_cause(test, &smallest, &small);
        causes_add(target, &cause, &small, &smallest);
    }
    tests = tests_before;
    histories = before_histories;
    child_test_done = done;
    finding = (Finding){.partner = -1};
}

/* What the end of a test means for the others. */
static FindingKind settle(FindingKind kind, const TestCase *test)
{
    if (kind == FINDING_NONE && options.check.all && !explore_stopped)
        tally_keep();
    if (kind != FINDING_VIOLATION || !options.check.keep_going)
        return kind;
    count_failure(test);
    return FINDING_NONE;
}

/* ---- the tests of a shape ----
 * With --jobs all processes go through the same tests; which of them takes one is settled by a
 * counter. */

static bool is_own_test(void)
{
    if (test_number++ != own_test)
        return false;
    own_test = workers_take_piece();
    workers_begin_piece(test_number);
    return true;
}

/* Another process may have found something at the same time: the first test has the outcome. */
static FindingKind take_finding(FindingKind kind, const TestCase *test)
{
    if (kind != FINDING_NONE && !workers_claim_piece()) {
        explore_stopped = true;
        return FINDING_NONE;
    }
    if (kind == FINDING_VIOLATION) {
        rounds_unlimit();
        minimise(test);
    }
    return kind;
}

static Buffer coverage; /* of tests that failed before, and of the given one */

static FindingKind take_test(const TestCase *test)
{
    uint64_t already = histories;
    FindingKind kind = take_finding(settle(run_test(test), test), test);
    if (kind == FINDING_NONE && rounds_are_over()) { /* it will be made again */
        histories = already;
        tests--;
    }
    return kind;
}

static FindingKind run_all(const TestShape *shape, bool may_stay)
{
    TestCase next;
    uint64_t count = 0, left_out = child_composition_left_out();
    if (!testcase_first(shape, &next))
        return FINDING_NONE;
    uint32_t number = rounds_begin_shape(shape, may_stay);
    do {
        TestCase complete = next;
        if (!child_composition_complete(&complete))
            continue;
        FindingKind kind = is_own_test() ? rounds_try(number, &complete, take_test) : FINDING_NONE;
        count++;
        if (kind != FINDING_NONE)
            return kind;
    } while (!explore_stopped && testcase_next(shape, &next));
    rounds_end_shape(number, count, !explore_stopped && child_composition_left_out() == left_out,
                     false);
    return FINDING_NONE;
}

/* WANTED random tests of each of COUNT shapes, in turn: a shape with hard tests does not keep the
 * others from being looked at. */
static FindingKind run_samples(const TestShape *shapes, uint32_t count, uint64_t wanted,
                               Random *random)
{
    uint32_t number[LINK_SHAPES];
    uint64_t made = 0;
    FindingKind kind = FINDING_NONE;
    for (uint32_t s = 0; s < count; s++)
        number[s] = rounds_begin_shape(&shapes[s], true);
    for (; made < wanted && !explore_stopped; made++)
        for (uint32_t s = 0; s < count && !explore_stopped; s++) {
            TestCase sample;
            testcase_sample(&shapes[s], random, &sample);
            if (!child_composition_complete(&sample))
                continue;
            if (is_own_test())
                kind = rounds_try(number[s], &sample, take_test);
            if (kind != FINDING_NONE)
                return kind;
        }
    child_check_sampled |= count > 0;
    for (uint32_t s = 0; s < count; s++)
        rounds_end_shape(number[s], made, false, true);
    return FINDING_NONE;
}

/* A shape and how many tests of it are so few that all are made; MAY_STAY: see rounds.h. */
typedef struct Wanted {
    uint32_t threads, length;
    uint64_t most;
    bool may_stay;
} Wanted;

/* The tests of COUNT shapes: of each all, if they are few, then SAMPLES random ones of the others.
 */
static FindingKind run_shapes(const Wanted *wanted, uint32_t count, uint64_t samples,
                              Random *random)
{
    TestShape sampled[LINK_SHAPES], shape = child_composition_shape(1, 1);
    uint32_t sampled_count = 0;
    for (uint32_t i = 0; i < count; i++) { /* for whoever shows progress */
        shape.threads = wanted[i].threads;
        shape.length = wanted[i].length;
        uint64_t all = testcase_count(&shape);
        __atomic_add_fetch(&target->test_count, all <= wanted[i].most ? all : samples,
                           __ATOMIC_RELAXED);
    }
    for (uint32_t i = 0; i < count && !explore_stopped; i++) {
        shape.threads = wanted[i].threads;
        shape.length = wanted[i].length;
        if (testcase_count(&shape) > wanted[i].most) {
            sampled[sampled_count++] = shape;
            continue;
        }
        FindingKind kind = run_all(&shape, wanted[i].may_stay);
        if (kind != FINDING_NONE)
            return kind;
    }
    return run_samples(sampled, explore_stopped ? 0 : sampled_count, samples, random);
}

static FindingKind run_generated(const CheckOptions *check)
{
    uint64_t samples = check->samples ? check->samples : 100;
    Random random = {options.seed};
    bool is_default = !check->threads && !check->samples && !options.time_ms;
    if (!check->observations[0]) /* one process writes the file */
        workers_split(options.jobs);
    values_unshare();
    own_test = workers_take_piece();
    rounds_begin(target, !check->observations[0], is_default ? DEFAULT_SECONDS : 0);
    /* of one thread: they show a structure that is wrong without any concurrency */
    const Wanted shapes[] = {{1, 1, 20000, false}, {2, 1, 20000, false},  {1, 2, 20000, false},
                             {2, 2, 20000, false}, {3, 1, 20000, false},  {1, 3, 2000, false},
                             {1, 4, 2000, false},  {2, 3, samples, true}, {3, 2, samples, true},
                             {3, 3, samples, true}};
    const Wanted asked = {check->threads, check->length, check->exhaustive ? UINT64_MAX : samples,
                          false};
    FindingKind kind = check->threads ? run_shapes(&asked, 1, samples, &random)
                                      : run_shapes(shapes, COUNT_OF(shapes), samples, &random);
    return kind == FINDING_NONE ? rounds_finish(take_test) : kind;
}

void child_check_describe_coverage(Link *link)
{
    if (is_marked() || options.check.unbounded)
        return; /* they say themselves what they cover */
    Buffer text = {0};
    buffer_printf(&text, "%.*s", STR_ARG(buffer_str(&coverage)));
    rounds_describe(&text);
    outcome_put(&link->outcome, OUTCOME_coverage, buffer_str(&text));
    vec_free(&text);
    if (!rounds_left_out())
        return;
    link->outcome.exhaustive = 0;
    if (!explore_stopped && finding.kind == FINDING_NONE)
        op_warning("tests of 2x3, 3x2 and 3x3 that had not ended after %d s were left out; "
                   "--time=5m, say, gives them more",
                   DEFAULT_SECONDS);
}

/* ---- the whole ---- */

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
    if (options.check.may_fail[0] && options.check.unbounded)
        return error_set(error, "--unbounded wants HD_MAY_FAIL in the test file, not --may-fail");
    return true;
}

static bool set_up(Link *link)
{
    Error error = {0};
    target = link;
    concurrent_model = options.model;
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

static FindingKind refuse_long_scenario(Link *link)
{
    link->outcome.input_error = 1;
    outcome_say(&link->outcome, OUTCOME_reason,
                "with those of HD_FIRST and HD_LAST the test of HD_SCENARIO has more than %d calls",
                TESTCASE_OPERATIONS);
    return FINDING_UNSUPPORTED;
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

/* Tests that failed before. One that the operations no longer have is passed over: it is no part of
 * what was asked for. */
static FindingKind run_kept(Link *link)
{
    Str rest = str_of(link->first_tests), line;
    uint64_t count = 0, gone = 0;
    while (rest.length && str_next(&rest, '\n', &line) && !explore_stopped) {
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
        FindingKind kind = settle(run_test(&kept), &kept);
        if (kind == FINDING_VIOLATION)
            minimise(&kept);
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
    if (!model_is_default(options.model)) /* chosen: it is sc, or is refused */
        return;
    options.model = concurrent_model = MODEL_SC;
    link->outcome.unbounded = 1;
}

static FindingKind refuse_for_marks(Link *link)
{
    link->outcome.input_error = 1;
    outcome_say(&link->outcome, OUTCOME_reason,
                "--may-fail, --consistency, --keep-going and --all are for operations that are "
                "declared (HD_OP), not for marked calls");
    return FINDING_UNSUPPORTED;
}

FindingKind child_check(Link *link)
{
    if (is_marked() &&
        (options.check.may_fail[0] || options.check.consistency || options.check.keep_going))
        return refuse_for_marks(link);
    if (is_marked())
        return child_marked(link);
    child_marked_refuse();
    if (!set_up(link))
        return FINDING_UNSUPPORTED;
    use_declared_threads(link);
    const CheckOptions *check = &options.check;
    const char *scenario = check->scenario[0] ? check->scenario : child_test.declared.scenario;
    FindingKind kind = FINDING_NONE;
    /* one test may be decided by its states, which one process explores */
    if ((scenario || check->unbounded) &&
        (check->keep_going || (options.jobs_are_default && model_is_interleaved(options.model))))
        workers_stay_alone();
    if (check->unbounded) {
        kind = child_unbounded(link, confirm_execution);
        if (kind == FINDING_VIOLATION) {
            publish_test(&child_test.test);
            outcome_copy_texts(&link->outcome, &explained);
        }
        return kind;
    }
    bool one_thread = check->threads == 1;
    if (scenario) {
        TestCase fixed;
        if (!parse_scenario(link, scenario, &fixed))
            return FINDING_UNSUPPORTED;
        if (!check->scenario[0] && !child_composition_add_lists(&fixed))
            return refuse_long_scenario(link);
        __atomic_store_n(&link->test_count, 1, __ATOMIC_RELAXED);
        kind = settle(run_test(&fixed), &fixed);
        if (kind == FINDING_VIOLATION)
            minimise(&fixed);
        else
            buffer_printf(&coverage, "the given test");
        one_thread = fixed.threads == 1;
    } else if (refuse_shape(link)) {
        return FINDING_UNSUPPORTED;
    } else {
        kind = run_kept(link);
        if (kind == FINDING_NONE)
            kind = run_generated(check);
    }
    child_observations_end();
    uint64_t undecided = 0;
    for (uint32_t o = 0; o < DECLARED_OBJECTS; o++)
        undecided += verifiers[o] ? verifier_undecided(verifiers[o]) : 0;
    if (kind == FINDING_NONE && undecided) {
        kind = FINDING_UNSUPPORTED;
        snprintf(finding.message, sizeof finding.message,
                 "%llu histories have too many real-time orders to look at them all",
                 (unsigned long long)undecided);
    }
    if (kind == FINDING_NONE && one_thread && !explore_stopped)
        op_warning("the tests have one thread: no two calls overlap, so this says nothing about "
                   "concurrency");
    if (child_composition_left_out()) {
        child_check_sampled = true;
        op_warning("%llu tests were left out: more than %d calls, or %d of one thread",
                   (unsigned long long)child_composition_left_out(), TESTCASE_OPERATIONS,
                   TESTCASE_LENGTH);
    }
    calls_complained(&link->outcome);
    OutcomeMessage *outcome = &link->outcome;
    __atomic_add_fetch(&outcome->tests, tests, __ATOMIC_RELAXED);
    __atomic_add_fetch(&outcome->histories, histories, __ATOMIC_RELAXED);
    __atomic_add_fetch(&outcome->tests_failed, tests_failed, __ATOMIC_RELAXED);
    tally_publish(outcome);
    __atomic_add_fetch(&outcome->tests_by_states, tests_by_states, __ATOMIC_RELAXED);
    __atomic_add_fetch(&outcome->test_states, pairs_explored, __ATOMIC_RELAXED);
    __atomic_add_fetch(&outcome->serial_runs, child_spec_serial_runs(), __ATOMIC_RELAXED);
    __atomic_add_fetch(&outcome->serial_ns, child_test_serial_ns, __ATOMIC_RELAXED);
    workers_lock();
    if (kind != FINDING_NONE)
        child_check_describe_coverage(link);
    /* others may explain something at the same time: only the one with the outcome writes it */
    if (kind == FINDING_VIOLATION)
        outcome_copy_texts(outcome, &explained);
    workers_unlock();
    return kind;
}

bool child_check_prepare(Link *link)
{
    if (is_marked())
        return child_marked_prepare(link);
    TestCase recorded;
    if (!set_up(link) || !parse_scenario(link, options.check.scenario, &recorded))
        return false;
    replaying = true;
    child_test_set(&recorded);
    publish_test(&recorded);
    ViolationKind wanted = (ViolationKind)link->record_violation;
    FindingKind kind = child_spec_learn();
    void *(*program)(void *) = child_test_serial;
    if (kind == FINDING_NONE && wanted == VIOLATION_NONDETERMINISM) {
        kind = child_spec_learn_moved();
        program = child_test_moved;
    }
    if (kind == FINDING_NONE && !child_spec_extend(&kind))
        kind = FINDING_NONE;
    begin_judging();
    options.model = concurrent_model;
    if (kind == FINDING_VIOLATION && finding.violation == wanted) {
        serial_finding = finding;
        child_test_set_program(program); /* it shows in serial runs already */
    } else {
        child_test_set_program(child_test_concurrent);
    }
    return true;
}
