#include "guest/harness/check/judging.h"
#include "guest/explore/search/explore.h"
#include "guest/explore/search/ops.h"
#include "guest/harness/check/causes.h"
#include "guest/harness/check/composition.h"
#include "guest/harness/check/spec.h"
#include "guest/harness/check/tally.h"
#include "guest/harness/check/tell/orders.h"
#include "guest/harness/check/tell/vacuous.h"
#include "guest/harness/check/test.h"

Judging judging;

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
    if (verifier_check(judging.verifiers[o], history, stuck, &found->failure))
        return true;
    if (!verifier_confirm(judging.verifiers[o], history, &found->failure))
        die("internal error: the two checkers disagree about a history");
    return false;
}

NORETURN static void report_object(const ObjectFailure *found)
{
    uint32_t o = found->object, waits = found->failure.stuck;
    child_explain(judging.verifiers[o], &judging.explained, &found->history, &found->failure);
    if (judging.replayed)
        outcome_copy_texts(judging.replayed, &judging.explained);
    if (options.check.keep_going)
        causes_blame(&found->history, &found->failure);
    verifier_show(&found->history, &found->failure);
    if (waits != UINT32_MAX)
        op_violation(VIOLATION_STUCK, NULL,
                     "%s waits for ever, but no serial run of the same calls with the same results "
                     "ends with it waiting",
                     child_test_call(waits)->text);
    const char *given = child_spec_given();
    const char *name = found->several ? child_test.declared.objects[o] : "";
    op_violation(VIOLATION_LINEARIZABILITY, NULL,
                 "no serial order of the calls%s%s%s%s%s gives these results", *name ? " on " : "",
                 name, given ? " that " : "", given ? given : "", given ? " allows" : "");
}

static void judge(bool stuck)
{
    if (exploration.restarts != judging.restarts_seen) {
        judging.restarts_seen = exploration.restarts;
        judging.histories = judging.histories_before;
        tally_begin();
    }
    GraphHistory history;
    ObjectFailure found;
    bool rejected = false;
    graph_history_collect(&history, child_test.operations);
    judging.histories++;
    child_vacuous_note(&history);
    for (uint32_t o = 0; o < child_test.declared.object_count && !rejected; o++)
        rejected = !object_holds(&history, o, stuck, &found);
    if (options.check.all)
        tally_add(&history, rejected);
    if (rejected && !judging.counts_on)
        report_object(&found);
}

void judging_complete(void)
{
    judge(false);
}

void judging_stuck(void)
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
            if (judging.counts_on) {
                tally_add(&history, true);
                return;
            }
            op_violation(VIOLATION_STUCK, NULL,
                         "%s waits for ever, but HD_MAY_BLOCK does not name it",
                         child_test_call(k)->text);
        }
    judge(true);
}

/* HD_MAY_FAIL: is this the result of a call that did nothing? */
static bool has_failed(uint32_t k, Value result)
{
    const Declared *declared = &child_test.declared;
    uint32_t call = (uint32_t)(child_test_call(k) - declared->calls);
    return declared_has_failed(declared, child_test.values, call, result);
}

/* --consistency=set: did the call take something, which others may take with it? */
static bool has_taken(uint32_t k, Value result)
{
    return judging.takes >> k & 1 && !value_equal(result, VALUE_NONE) &&
           !value_equal(result, VALUE_FALSE);
}

static uint32_t calls_that_take(void)
{
    uint32_t takes = 0;
    for (uint32_t k = 0; k < child_test.operations; k++)
        takes |= (uint32_t)(child_composition_role(child_test_call(k)) == BALANCE_TAKE) << k;
    return takes;
}

/* HD_ASYNC */
static uint32_t calls_that_lag(void)
{
    uint32_t late = 0;
    for (uint32_t k = 0; k < child_test.operations; k++)
        late |= (uint32_t)child_test.declared.async[child_test_call(k) - child_test.declared.calls]
                << k;
    return late;
}

void judging_begin(void)
{
    bool set = options.check.consistency == CHECK_SET;
    judging.takes = set ? calls_that_take() : 0;
    for (uint32_t o = 0; o < child_test.declared.object_count; o++) {
        child_spec_select(o);
        if (!judging.verifiers[o])
            judging.verifiers[o] = verifier_new();
        verifier_begin(judging.verifiers[o], child_spec_automaton(), child_test.operations,
                       child_spec_label, NULL);
        verifier_let_fail(judging.verifiers[o],
                          child_test.declared.any_may_fail ? has_failed : NULL);
        verifier_let_lag(judging.verifiers[o], calls_that_lag());
        static const RealtimeNotion notions[] = {[CHECK_LINEARIZABLE] = REALTIME_LINEARIZABLE,
                                                 [CHECK_QUIESCENT] = REALTIME_QUIESCENT,
                                                 [CHECK_SEQUENTIAL] = REALTIME_SEQUENTIAL,
                                                 [CHECK_SET] = REALTIME_SET};
        verifier_weaken(judging.verifiers[o], notions[options.check.consistency],
                        set ? has_taken : NULL);
    }
    judging.undecided_earlier += judging.undecided_resumed;
    judging.undecided_resumed = 0;
    judging.undecided_before = judging_undecided();
    judging.histories_before = judging.histories;
    judging.restarts_seen = 0;
    tally_begin();
}

/* The counts of an earlier session are told apart until the next test: they do not count where the
 * test is begun again. */
void judging_resume(const UnitCounts *before)
{
    judging.histories = judging.histories_before + before->histories;
    judging.undecided_resumed = before->undecided;
}

void judging_count(UnitCounts *all)
{
    all->histories += judging.histories - judging.histories_before;
    all->undecided += judging_undecided() - judging.undecided_before;
}

uint64_t judging_undecided(void)
{
    uint64_t undecided = judging.undecided_earlier + judging.undecided_resumed;
    for (uint32_t o = 0; o < DECLARED_OBJECTS; o++)
        undecided += judging.verifiers[o] ? verifier_undecided(judging.verifiers[o]) : 0;
    return undecided;
}
