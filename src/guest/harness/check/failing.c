#include "guest/harness/check/failing.h"
#include "guest/harness/check/causes.h"
#include "guest/harness/check/decide.h"
#include "guest/harness/check/judging.h"
#include "guest/harness/check/minimise.h"
#include "guest/harness/check/rounds.h"
#include "guest/harness/check/tally.h"

static uint64_t tests_failed;

/* Explores the present test, which was seen to fail, to its end, and counts its histories. */
static void count_all(void)
{
    uint32_t kept = options.keep_going;
    options.keep_going = 1; /* no random schedules beside it */
    judging.counts_on = true;
    if (decide_executions() == FINDING_NONE && !explore_stopped)
        tally_keep();
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
    causes_begin_test();
    FindingKind kind = decide_test(test);
    if (kind == FINDING_NONE && options.check.all && !explore_stopped)
        tally_keep();
    if (kind != FINDING_VIOLATION || !options.check.keep_going)
        return kind;
    count_failure(test);
    return FINDING_NONE;
}

void failing_publish(OutcomeMessage *outcome)
{
    __atomic_add_fetch(&outcome->tests_failed, tests_failed, __ATOMIC_RELAXED);
    tally_publish(outcome);
}
