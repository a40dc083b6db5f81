#include "guest/harness/check/tell/hints.h"
#include <string.h>
#include "guest/explore/graph/graph.h"
#include "guest/harness/check/quasi.h"
#include "guest/harness/check/spec.h"
#include "guest/harness/check/test.h"

/* ---- HD_MAY_FAIL ---- */

static struct { /* calls of this operation with this result may fail */
    const HeddleOperation *operation;
    Value result;
} suspect;

static bool suspect_may_fail(uint32_t k, Value result)
{
    return child_test_call(k)->operation == suspect.operation &&
           value_equal(result, suspect.result);
}

/* How a test file writes a result that may mean that nothing was done; false if it can't mean that.
 */
static bool print_failure(Value result, Buffer *out)
{
    int64_t number;
    if (value_equal(result, VALUE_NONE))
        buffer_printf(out, "HD_NONE");
    else if (value_equal(result, VALUE_FALSE))
        buffer_printf(out, "HD_BOOL(0)");
    else if (value_to_int(child_test.values, result, &number) && number < 0)
        buffer_printf(out, "HD_INT(%lld)", (long long)number);
    else
        return false;
    return true;
}

/* Is the history allowed if the suspect's calls may fail beside others? */
static bool is_allowed_then(const GraphHistory *history)
{
    static Verifier *other;
    VerifyFailure ignored;
    if (!other)
        other = verifier_new();
    verifier_begin(other, child_spec_automaton(), child_test.operations, child_spec_label, NULL);
    verifier_let_fail(other, suspect_may_fail);
    return verifier_check(other, history, false, &ignored);
}

/* A call that found nothing, or was refused, while another one was open. */
static bool hint_may_fail(const GraphHistory *history, const VerifyFailure *failure, Buffer *out)
{
    bool said = false;
    for (uint32_t i = 0; i < failure->count && !said; i++) {
        uint32_t k = failure->included[i];
        const DeclaredCall *call = child_test_call(k);
        Buffer result = {0};
        suspect.operation = call->operation;
        suspect.result = (Value){history->word[k]};
        said = print_failure(suspect.result, &result) && is_allowed_then(history);
        if (said) {
            buffer_printf(out, "It fails only while another call is open: if %s may give ",
                          call->operation->name);
            child_test_print_value(history->word[k], out);
            buffer_printf(out, " and do nothing then, HD_MAY_FAIL(%s, %.*s) says so.",
                          call->operation->name, STR_ARG(buffer_str(&result)));
        }
        vec_free(&result);
    }
    return said;
}

/* ---- calls that meet ---- */

/* Would the call wait behind every order, as long as it is not made? */
static bool waits_behind_all(const VerifyFailure *failure, const OrdersEnd *ends, size_t count,
                             uint32_t i)
{
    for (size_t e = 0; e < count; e++) {
        uint32_t prefix[REALTIME_MOST];
        for (uint32_t p = 0; p < ends[e].length; p++)
            prefix[p] = failure->included[ends[e].order[p]];
        if (!(ends[e].next >> i & 1) ||
            !child_spec_would_wait(prefix, ends[e].length, failure->included[i]))
            return false;
    }
    return count > 0;
}

static void hint_meeting(const VerifyFailure *failure, const OrdersEnd *ends, size_t count,
                         Buffer *out)
{
    uint32_t met[2], found = 0;
    for (uint32_t i = 0; i < failure->count && found < 2; i++)
        if (waits_behind_all(failure, ends, count, i))
            met[found++] = failure->included[i];
    if (found == 2)
        buffer_printf(out,
                      "In every serial order %s and %s wait for each other: calls that meet (a "
                      "rendezvous) have none. Golden code in which %s waits or is done at once "
                      "(HD_GOLDEN, heddle_choose) can say what they may give.",
                      child_test_call(met[0])->text, child_test_call(met[1])->text,
                      child_test_call(met[0])->operation->name);
}

void child_hint(const GraphHistory *history, const VerifyFailure *failure, const OrdersEnd *ends,
                size_t count, bool all, Buffer *out)
{
    if (failure->stuck != UINT32_MAX || child_test.declared.any_may_fail ||
        child_test.declared.any_async || options.check.consistency != CHECK_LINEARIZABLE ||
        child_quasi_by_def4())
        return;
    if (!hint_may_fail(history, failure, out) && all)
        hint_meeting(failure, ends, count, out);
}
