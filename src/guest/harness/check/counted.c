#include "guest/harness/check/counted.h"
#include "guest/explore/search/explore.h"
#include "guest/explore/search/revisit.h"
#include "guest/harness/check/decide.h"
#include "guest/harness/check/judging.h"
#include "guest/harness/check/spec.h"
#include "guest/harness/check/test.h"

static struct {
    UnitCounts counts; /* before the test that is divided */
    uint64_t serial_ns;
} divided;
static uint64_t undecided_void; /* histories of others, or of a test that was begun again */

void counted_get(UnitCounts *all)
{
    *all = (UnitCounts){.executions = child_test_done.executions,
                        .blocked = child_test_done.blocked,
                        .cut = child_test_done.cut,
                        .left_out = child_test_done.left_out,
                        .revisits = revisit_count,
                        .tests = deciding.tests,
                        .histories = judging.histories,
                        .serial_runs = child_spec_serial_runs(),
                        .tests_by_states = deciding.by_states,
                        .test_states = deciding.pairs,
                        .undecided = judging_undecided()};
}

void counted_set(const UnitCounts *kept)
{
    child_test_done = (ExploreCounts){.executions = kept->executions,
                                      .blocked = kept->blocked,
                                      .cut = kept->cut,
                                      .left_out = kept->left_out};
    counts = (ExploreCounts){0};
    revisit_count = kept->revisits;
    deciding.tests = kept->tests;
    deciding.by_states = kept->tests_by_states;
    deciding.pairs = kept->test_states;
    judging.histories = kept->histories;
    child_spec_forget_runs(kept->serial_runs);
}

/* Goes on from KEPT, with which the present test begins. */
static void begin_from(const UnitCounts *kept, uint64_t serial_ns)
{
    counted_set(kept);
    judging.histories_before = kept->histories;
    child_test_serial_ns = serial_ns;
    undecided_void = judging_undecided();
}

void counted_begin_test(void)
{
    counted_get(&divided.counts);
    divided.serial_ns = child_test_serial_ns;
}

void counted_begin_share(void)
{
    begin_from(&(UnitCounts){0}, 0);
}

void counted_begin_again(void)
{
    begin_from(&divided.counts, divided.serial_ns);
}

void counted_add(OutcomeMessage *outcome)
{
    __atomic_add_fetch(&outcome->tests, deciding.tests, __ATOMIC_RELAXED);
    __atomic_add_fetch(&outcome->histories, judging.histories, __ATOMIC_RELAXED);
    __atomic_add_fetch(&outcome->undecided, judging_undecided() - undecided_void, __ATOMIC_RELAXED);
    __atomic_add_fetch(&outcome->tests_by_states, deciding.by_states, __ATOMIC_RELAXED);
    __atomic_add_fetch(&outcome->by_views, deciding.by_views, __ATOMIC_RELAXED);
    __atomic_add_fetch(&outcome->test_states, deciding.pairs, __ATOMIC_RELAXED);
    __atomic_add_fetch(&outcome->serial_runs, child_spec_serial_runs(), __ATOMIC_RELAXED);
    __atomic_add_fetch(&outcome->serial_ns, child_test_serial_ns, __ATOMIC_RELAXED);
}
