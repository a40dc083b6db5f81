#include "check/child_check.h"
#include <stdio.h>
#include <string.h>
#include "check/child_minimise.h"
#include "check/child_observations.h"
#include "check/child_spec.h"
#include "check/child_test.h"
#include "check/evidence.h"
#include "check/verify.h"
#include "explore/explore.h"
#include "explore/workers.h"
#include "runtime/ops.h"

bool child_check_sampled;

static Link *target;
static Verifier *verifier;
static uint32_t concurrent_model;
static uint64_t histories, tests;
static Finding serial_finding; /* of the serial runs before a replay */
/* Serial runs are made once more, elsewhere (child_test_moved): those of small tests, which tell
 * about every operation, of the first one, and of those that fail. */
static bool test_moved;
static char explanation[sizeof((LinkOutcome *)0)->explanation]; /* of the last violation */
static uint64_t test_number,
    own_test; /* of the next test; of the one that this process takes next */

/* ---- concurrent executions ---- */

static void explain(const GraphHistory *history, const VerifyFailure *failure)
{
    uint32_t orders[8][REALTIME_MOST], lengths[8], states[8];
    Buffer out = {0};
    size_t count = verifier_attempts(verifier, history, failure, orders, lengths, states, 8);
    for (size_t e = 0; e < count; e++) {
        for (uint32_t i = 0; i < lengths[e]; i++) {
            uint32_t k = orders[e][i];
            buffer_printf(&out, "%s%s", i ? ", " : "", child_test_call(k)->text);
            child_test_print_result(history->word[k], &out);
        }
        if (!lengths[e])
            buffer_printf(&out, "at the start");
        for (uint32_t i = 0; i < failure->count; i++) {
            uint32_t k = failure->included[i];
            bool there = false, ready = true;
            for (uint32_t j = 0; j < lengths[e]; j++)
                there |= orders[e][j] == k;
            for (uint32_t j = 0; j < failure->count && !there; j++) {
                bool placed = false;
                for (uint32_t z = 0; z < lengths[e]; z++)
                    placed |= orders[e][z] == failure->included[j];
                ready &= placed || j == i || !(failure->order.successors[2 * j + 1] >> (2 * i) & 1);
            }
            if (there || !ready)
                continue;
            buffer_printf(&out, "; %s", child_test_call(k)->text);
            child_test_print_result(history->word[k], &out);
            child_spec_print_allowed(orders[e], lengths[e], states[e], k, history->word[k], &out);
        }
        if (failure->stuck != UINT32_MAX && lengths[e] == failure->count)
            buffer_printf(&out, "; then %s does not wait", child_test_call(failure->stuck)->text);
        buffer_printf(&out, "\n");
    }
    snprintf(explanation, sizeof explanation, "%.*s", STR_ARG(buffer_str(&out)));
    vec_free(&out);
}

static void judge(bool stuck)
{
    GraphHistory history;
    VerifyFailure failure;
    graph_history_collect(&history, child_test.operations);
    histories++;
    if (verifier_check(verifier, &history, stuck, &failure))
        return;
    if (!verifier_confirm(verifier, &history, &failure))
        die("internal error: the two checkers disagree about a history");
    explain(&history, &failure);
    if (failure.stuck != UINT32_MAX)
        op_violation(VIOLATION_STUCK, NULL,
                     "%s waits for ever, but no serial run of the same calls with the same results "
                     "ends with it waiting",
                     child_test_call(failure.stuck)->text);
    op_violation(VIOLATION_LINEARIZABILITY, NULL,
                 "no serial order of the calls gives these results");
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
            child_test_must_not_wait(child_test_call(k)))
            op_violation(VIOLATION_STUCK, NULL,
                         "%s waits for ever, but HD_MAY_BLOCK does not name it",
                         child_test_call(k)->text);
    judge(true);
}

void child_check_judge_again(bool stuck)
{
    if (serial_finding.kind == FINDING_VIOLATION) /* two serial runs differ: they were made again */
        op_violation(serial_finding.violation, NULL, "%s", serial_finding.message);
    if (stuck)
        concurrent_stuck();
    else
        judge(false);
}

/* ---- one test ---- */

static void begin_judging(void)
{
    verifier_begin(verifier, child_spec_automaton(), child_test.operations, child_spec_label, NULL);
}

static FindingKind check_concurrently(void)
{
    begin_judging();
    return child_test_explore(child_test_concurrent, concurrent_complete, concurrent_stuck,
                              concurrent_model);
}

static bool is_about_histories(void)
{
    return finding.violation == VIOLATION_LINEARIZABILITY || finding.violation == VIOLATION_STUCK;
}

static FindingKind run_test(const TestCase *wanted)
{
    child_test_set(wanted);
    tests++;
    explanation[0] = 0; /* that of a violation which another one replaces */
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

static void minimise(const TestCase *failing)
{
    TestCase smallest = *failing;
    child_observations_end();
    if (is_about_histories()) { /* or is it that results are no function of the calls? */
        test_moved = true;
        FindingKind again = run_test(&smallest);
        ASSERT(again == FINDING_VIOLATION);
    }
    child_minimise(&child_test.declared, failing, run_test, &smallest);
    uint32_t longest = 0;
    for (uint32_t t = 0; t < smallest.threads; t++)
        longest = MAX(longest, smallest.length[t]);
    snprintf(target->outcome.shape, sizeof target->outcome.shape, "%ux%u", smallest.threads,
             longest);
    declared_print(&child_test.declared, &smallest, target->outcome.scenario,
                   sizeof target->outcome.scenario);
}

/* ---- the tests of a shape ----
 * With --jobs all processes go through the same tests; which of them takes one is settled by a
 * counter. */

static bool is_own_test(void)
{
    if (test_number++ != own_test)
        return false;
    own_test = workers_take_piece();
    return true;
}

/* Another process may have found something at the same time: the first one has the outcome. */
static FindingKind take_finding(FindingKind kind, const TestCase *test)
{
    if (kind != FINDING_NONE && !workers_claim_outcome()) {
        explore_stopped = true;
        return FINDING_NONE;
    }
    if (kind == FINDING_VIOLATION)
        minimise(test);
    return kind;
}

static Buffer coverage;

static void cover(const char *before, uint64_t count, const char *after, const TestShape *shape)
{
    buffer_printf(&coverage, "%s%s%llu %s of %ux%u", coverage.count ? ", " : "", before,
                  (unsigned long long)count, after, shape->threads, shape->length);
}

static FindingKind run_all(const TestShape *shape)
{
    TestCase next;
    uint64_t count = 0;
    if (!testcase_first(shape, &next))
        return FINDING_NONE;
    do {
        FindingKind kind = is_own_test() ? take_finding(run_test(&next), &next) : FINDING_NONE;
        count++;
        if (kind != FINDING_NONE)
            return kind;
    } while (!explore_stopped && testcase_next(shape, &next));
    cover(explore_stopped ? "" : "all ", count, "tests", shape);
    return FINDING_NONE;
}

static FindingKind run_samples(const TestShape *shape, uint64_t wanted, Random *random)
{
    uint64_t count = 0;
    for (; count < wanted && !explore_stopped; count++) {
        TestCase sample;
        testcase_sample(shape, random, &sample);
        FindingKind kind = is_own_test() ? take_finding(run_test(&sample), &sample) : FINDING_NONE;
        if (kind != FINDING_NONE)
            return kind;
    }
    child_check_sampled = true;
    cover("", count, "random tests", shape);
    return FINDING_NONE;
}

static FindingKind run_shape(TestShape shape, uint64_t samples, uint64_t most, bool exhaustive,
                             Random *random)
{
    if (exhaustive || testcase_count(&shape) <= most)
        return run_all(&shape);
    return run_samples(&shape, samples, random);
}

static FindingKind run_generated(const CheckOptions *check)
{
    uint64_t samples = check->samples ? check->samples : 100;
    Random random = {options.seed};
    if (!check->observations[0]) /* one process writes the file */
        workers_split(options.jobs);
    own_test = workers_take_piece();
    TestShape shape = {check->threads, check->length, child_test.declared.count,
                       child_test.declared.any_role ? child_test.declared.role : NULL};
    if (check->threads)
        return run_shape(shape, samples, samples, check->exhaustive, &random);
    static const uint8_t shapes[][2] = {{1, 1}, {2, 1}, {1, 2}, {2, 2},
                                        {3, 1}, {2, 3}, {3, 2}, {3, 3}};
    for (size_t i = 0; i < COUNT_OF(shapes) && !explore_stopped; i++) {
        shape.threads = shapes[i][0];
        shape.length = shapes[i][1];
        bool small = shape.threads * shape.length <= 4;
        FindingKind kind = run_shape(shape, samples, small ? 20000 : samples, false, &random);
        if (kind != FINDING_NONE)
            return kind;
    }
    return FINDING_NONE;
}

/* ---- the whole ---- */

static bool set_up(Link *link)
{
    Error error = {0};
    target = link;
    concurrent_model = options.model;
    child_test.values = values_new();
    verifier = verifier_new();
    evidence_mark_words = child_test_mark_words;
    bool fine = declared_read(&child_test.declared, child_test.values, &error) &&
                child_spec_setup(&error) && child_observations_setup(&error);
    if (!fine) {
        link->outcome.input_error = 1;
        error_text(&error, link->outcome.reason, sizeof link->outcome.reason);
    }
    return fine;
}

static bool parse_scenario(Link *link, const char *text, TestCase *to)
{
    Error error = {0};
    if (declared_parse(&child_test.declared, text, to, &error))
        return true;
    link->outcome.input_error = 1;
    error_text(&error, link->outcome.reason, sizeof link->outcome.reason);
    return false;
}

FindingKind child_check(Link *link)
{
    if (!set_up(link))
        return FINDING_UNSUPPORTED;
    const CheckOptions *check = &options.check;
    const char *scenario = check->scenario[0] ? check->scenario : child_test.declared.scenario;
    FindingKind kind = FINDING_NONE;
    if (scenario) {
        TestCase fixed;
        if (!parse_scenario(link, scenario, &fixed))
            return FINDING_UNSUPPORTED;
        kind = run_test(&fixed);
        if (kind == FINDING_VIOLATION)
            minimise(&fixed);
        buffer_printf(&coverage, "the given test");
    } else {
        kind = run_generated(check);
    }
    child_observations_end();
    if (kind == FINDING_NONE && verifier_undecided(verifier)) {
        kind = FINDING_UNSUPPORTED;
        snprintf(finding.message, sizeof finding.message,
                 "%llu histories have too many real-time orders to look at them all",
                 (unsigned long long)verifier_undecided(verifier));
    }
    LinkOutcome *outcome = &link->outcome;
    __atomic_add_fetch(&outcome->tests, tests, __ATOMIC_RELAXED);
    __atomic_add_fetch(&outcome->histories, histories, __ATOMIC_RELAXED);
    __atomic_add_fetch(&outcome->serial_runs, child_spec_serial_runs(), __ATOMIC_RELAXED);
    __atomic_add_fetch(&outcome->serial_ns, child_test_serial_ns, __ATOMIC_RELAXED);
    workers_lock();
    if (kind != FINDING_NONE || !outcome->coverage[0])
        snprintf(outcome->coverage, sizeof outcome->coverage, "%.*s",
                 STR_ARG(buffer_str(&coverage)));
    if (kind == FINDING_VIOLATION)
        memcpy(outcome->explanation, explanation, sizeof explanation);
    workers_unlock();
    return kind;
}

bool child_check_prepare(Link *link)
{
    TestCase recorded;
    if (!set_up(link) || !parse_scenario(link, options.check.scenario, &recorded))
        return false;
    child_test_set(&recorded);
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
