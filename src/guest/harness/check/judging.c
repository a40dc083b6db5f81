#include "guest/harness/check/judging.h"
#include "guest/explore/explore.h"
#include "guest/explore/ops.h"
#include "guest/harness/check/spec.h"
#include "guest/harness/check/tell_orders.h"
#include "guest/harness/check/test.h"

Judging judging;

/* Linearizability is local (Herlihy and Wing 1990, theorem 1): each object's part is judged by
 * itself. */
static void judge_object(const GraphHistory *whole, uint32_t o, bool stuck)
{
    const Declared *declared = &child_test.declared;
    GraphHistory history = *whole;
    VerifyFailure failure;
    bool several = declared->object_count > 1;
    for (uint32_t k = 0; k < history.count && several; k++)
        if (child_test_call(k)->object != o) {
            history.called &= ~(1u << k);
            history.returned &= ~(1u << k);
        }
    stuck = stuck && (!several || history.called != history.returned);
    child_spec_select(o);
    if (verifier_check(judging.verifiers[o], &history, stuck, &failure))
        return;
    if (!verifier_confirm(judging.verifiers[o], &history, &failure))
        die("internal error: the two checkers disagree about a history");
    child_explain(judging.verifiers[o], &judging.explained, &history, &failure);
    if (judging.replayed)
        outcome_copy_texts(judging.replayed, &judging.explained);
    if (failure.stuck != UINT32_MAX)
        op_violation(VIOLATION_STUCK, NULL,
                     "%s waits for ever, but no serial run of the same calls with the same results "
                     "ends with it waiting",
                     child_test_call(failure.stuck)->text);
    const char *given = child_spec_given(), *name = several ? declared->objects[o] : "";
    op_violation(VIOLATION_LINEARIZABILITY, NULL,
                 "no serial order of the calls%s%s%s%s%s gives these results", *name ? " on " : "",
                 name, given ? " that " : "", given ? given : "", given ? " allows" : "");
}

static void judge(bool stuck)
{
    if (explore_restarts != judging.restarts_seen) {
        judging.restarts_seen = explore_restarts;
        judging.histories = judging.histories_before;
    }
    GraphHistory history;
    graph_history_collect(&history, child_test.operations);
    judging.histories++;
    for (uint32_t o = 0; o < child_test.declared.object_count; o++)
        judge_object(&history, o, stuck);
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
            child_test_must_not_wait(child_test_call(k)))
            op_violation(VIOLATION_STUCK, NULL,
                         "%s waits for ever, but HD_MAY_BLOCK does not name it",
                         child_test_call(k)->text);
    judge(true);
}

/* HD_MAY_FAIL: is this the result of a call that did nothing? */
static bool has_failed(uint32_t k, Value result)
{
    const Declared *declared = &child_test.declared;
    uint32_t call = (uint32_t)(child_test_call(k) - declared->calls);
    return declared_has_failed(declared, child_test.values, call, result);
}

void judging_begin(void)
{
    for (uint32_t o = 0; o < child_test.declared.object_count; o++) {
        child_spec_select(o);
        if (!judging.verifiers[o])
            judging.verifiers[o] = verifier_new();
        verifier_begin(judging.verifiers[o], child_spec_automaton(), child_test.operations,
                       child_spec_label, NULL);
        verifier_let_fail(judging.verifiers[o],
                          child_test.declared.any_may_fail ? has_failed : NULL);
        verifier_weaken(judging.verifiers[o],
                        options.check.consistency == CHECK_QUIESCENT    ? REALTIME_QUIESCENT
                        : options.check.consistency == CHECK_SEQUENTIAL ? REALTIME_SEQUENTIAL
                                                                        : REALTIME_LINEARIZABLE);
    }
    judging.histories_before = judging.histories;
    judging.restarts_seen = 0;
}

uint64_t judging_undecided(void)
{
    uint64_t undecided = 0;
    for (uint32_t o = 0; o < DECLARED_OBJECTS; o++)
        undecided += judging.verifiers[o] ? verifier_undecided(judging.verifiers[o]) : 0;
    return undecided;
}
