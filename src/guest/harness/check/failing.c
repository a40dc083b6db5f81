#include "guest/harness/check/failing.h"
#include "base/clock.h"
#include "guest/harness/check/causes.h"
#include "guest/harness/check/decide.h"
#include "guest/harness/check/judging.h"
#include "guest/harness/check/minimise.h"
#include "guest/harness/check/rounds.h"
#include "guest/harness/check/tally.h"

static uint64_t tests_failed;
static struct {
    uint64_t runs, most_runs, runs_ns, most_runs_ns, pass_ns, fail_ns; /* as in the outcome */
} phases;

/* Adds the present test, which took NS of processor time in all. */
static void add_phases(uint64_t ns, bool fails)
{
    phases.runs += deciding.serial_runs;
    phases.most_runs = MAX(phases.most_runs, deciding.serial_runs);
    phases.runs_ns += deciding.serial_ns;
    phases.most_runs_ns = MAX(phases.most_runs_ns, deciding.serial_ns);
    *(fails ? &phases.fail_ns : &phases.pass_ns) += ns;
}

/* Explores the present test, which was seen to fail, to its end, and counts its histories. */
static void count_all(void)
{
    uint32_t kept = options.keep_going;
    options.keep_going = 1; /* no random schedules beside it */
    judging.counts_on = true;
    if (decide_executions() == FINDING_NONE && !exploration.stopped)
        tally_keep();
    else
        tally_keep_partial();
    judging.counts_on = false;
    options.keep_going = kept;
}

/* The violation that the smallest form of FAILING shows. */
static void find_cause(const TestCase *failing, TestCase *smallest, Cause *small)
{
    *smallest = *failing;
    if (decide_is_about_histories()) { /* or is it that results are no function of the calls? */
        deciding.moved = true;
        child_find_again(decide_test, smallest);
    }
    child_shrink(&child_test.declared, failing, decide_test, smallest);
    causes_describe(small);
    deciding.moved = false;
}

/* Counts a test that has just failed. What is explored for its cause is no part of the answer. */
static void count_failure(const TestCase *test)
{
    Cause cause, small;
    TestCase smallest;
    Finding first = finding;
    causes_describe(&cause);
    tests_failed++;
    rounds_unlimit();
    if (options.check.all && decide_is_about_histories())
        count_all();
    uint64_t tests = deciding.tests, histories = judging.histories;
    ExploreCounts done = child_test_done;
    finding = first;
    if (!causes_count(deciding.link, &cause)) {
        find_cause(test, &smallest, &small);
        causes_add(deciding.link, &cause, &small, &smallest);
    }
    deciding.tests = tests;
    judging.histories = histories;
    child_test_done = done;
    finding = (Finding){.partner = -1};
}

FindingKind failing_decide(const TestCase *test)
{
    uint64_t start = clock_cpu_ns(), serial_ns = child_test_serial_ns;
    FindingKind kind = decide_test(test);
    uint64_t ns = clock_cpu_ns() - start - (child_test_serial_ns - serial_ns);
    if (options.check.keep_going && (kind == FINDING_VIOLATION || !exploration.stopped))
        add_phases(ns, kind == FINDING_VIOLATION);
    if (kind == FINDING_NONE && options.check.all && !exploration.stopped)
        tally_keep();
    else if (kind == FINDING_NONE && options.check.all && !rounds_are_over())
        tally_keep_partial();
    if (kind != FINDING_VIOLATION || !options.check.keep_going)
        return kind;
    count_failure(test);
    return FINDING_NONE;
}

void failing_publish(OutcomeMessage *outcome)
{
    __atomic_add_fetch(&outcome->tests_failed, tests_failed, __ATOMIC_RELAXED);
    __atomic_add_fetch(&outcome->test_runs, phases.runs, __ATOMIC_RELAXED);
    __atomic_add_fetch(&outcome->test_runs_ns, phases.runs_ns, __ATOMIC_RELAXED);
    __atomic_add_fetch(&outcome->pass_ns, phases.pass_ns, __ATOMIC_RELAXED);
    __atomic_add_fetch(&outcome->fail_ns, phases.fail_ns, __ATOMIC_RELAXED);
    outcome_raise(&outcome->test_most_runs, phases.most_runs);
    outcome_raise(&outcome->test_most_runs_ns, phases.most_runs_ns);
    tally_publish(outcome);
}
