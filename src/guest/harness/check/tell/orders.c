#include "guest/harness/check/tell/orders.h"
#include <stdio.h>
#include <string.h>
#include "guest/harness/check/tell/hints.h"
#include "guest/harness/check/tell/overtaking.h"
#include "guest/harness/check/spec.h"
#include "guest/harness/check/test.h"
#include "judge/graph/closest.h"
#include "judge/graph/orders.h"

/* The operations of a failure by their places in it. */
typedef struct FailureOps {
    uint32_t labels[REALTIME_MOST], open[REALTIME_MOST], before[REALTIME_MOST];
} FailureOps;

static void failure_ops(const GraphHistory *history, const VerifyFailure *failure, FailureOps *ops)
{
    memset(ops, 0, sizeof *ops);
    for (uint32_t i = 0; i < failure->count; i++) {
        uint32_t k = failure->included[i];
        ops->labels[i] = child_spec_label(NULL, k, (Value){history->word[k]});
        ops->open[i] = child_spec_label(NULL, k, VALUE_UNKNOWN);
        for (uint32_t j = 0; j < failure->count; j++)
            if (j != i && failure->order.successors[2 * j + 1] >> (2 * i) & 1)
                ops->before[i] |= 1u << j;
    }
}

/* "T2 get() = none": calls look alike, so their threads are named. */
static void print_call(const GraphHistory *history, uint32_t k, Buffer *out)
{
    const TestCase *test = &child_test.test;
    uint32_t column = testcase_next_column(test, UINT32_MAX);
    for (uint32_t i = k; i >= test->length[column]; column = testcase_next_column(test, column))
        i -= test->length[column];
    if (column < test->threads)
        buffer_printf(out, "T%u ", column + 1);
    else
        buffer_printf(out, "main ");
    buffer_printf(out, "%s", child_test_call(k)->text);
    child_test_print_result(history->word[k], out);
}

/* Prints what operation K would have to give behind END. */
static void print_allowed(const GraphHistory *history, const VerifyFailure *failure,
                          const OrdersEnd *end, uint32_t k, Buffer *out)
{
    uint32_t prefix[REALTIME_MOST];
    for (uint32_t i = 0; i < end->length; i++)
        prefix[i] = failure->included[end->order[i]];
    child_spec_print_allowed(prefix, end->length, end->state, k, history->word[k], out);
}

/* An order under construction, as data for whoever draws it. */
typedef struct Told {
    uint32_t calls[REALTIME_MOST];
    OutcomeRefused refused[REALTIME_MOST];
    OutcomeOrder order;
} Told;

static void refuse(Told *told, uint32_t k, const char *reason)
{
    told->refused[told->order.refused_count++] = (OutcomeRefused){k, reason};
}

/* One order in words, and as data. */
static void explain_end(const GraphHistory *history, const VerifyFailure *failure,
                        const OrdersEnd *end, Buffer *out, Buffer *orders)
{
    const char *between = "";
    bool all_placed = end->length == failure->count;
    Told told;
    Buffer allowed[REALTIME_MOST] = {0};
    told.order = (OutcomeOrder){.count = end->length, .calls = told.calls, .refused = told.refused};
    for (uint32_t i = 0; i < end->length; i++, between = ", ") {
        uint32_t k = told.calls[i] = failure->included[end->order[i]];
        buffer_printf(out, "%s", between);
        print_call(history, k, out);
    }
    between = end->length ? "; then " : "first ";
    for (uint32_t left = end->next; left; left &= left - 1, between = "; ") {
        uint32_t i = (uint32_t)__builtin_ctz(left), k = failure->included[i];
        print_allowed(history, failure, end, k, &allowed[i]);
        buffer_printf(out, "%s", between);
        print_call(history, k, out);
        buffer_printf(out, " disagrees: %s %.*s", end->length ? "here" : "at the start",
                      STR_ARG(buffer_str(&allowed[i])));
        refuse(&told, k, allowed[i].at);
    }
    if (failure->stuck == UINT32_MAX && all_placed)
        buffer_printf(out, "; each result fits, but the whole is not within the quasi factor");
    if (failure->stuck != UINT32_MAX && all_placed) {
        buffer_printf(out, "; then %s does not wait", child_test_call(failure->stuck)->text);
        refuse(&told, failure->stuck, "it does not wait");
    }
    buffer_printf(out, "\n");
    outcome_encode_order(orders, &told.order);
    for (uint32_t i = 0; i < REALTIME_MOST; i++)
        vec_free(&allowed[i]);
}

static void explain_orders(OutcomeMessage *outcome, const GraphHistory *history,
                           const VerifyFailure *failure)
{
    OrdersEnd ends[ORDERS_TOLD];
    FailureOps ops;
    Buffer out = {0}, orders = {0};
    uint64_t all;
    failure_ops(history, failure, &ops);
    OrdersProblem problem = {child_spec_automaton(), failure->count, ops.labels, ops.before,
                             ORDERS_APART};
    size_t count = orders_find(&problem, ends, ORDERS_TOLD, &all);
    for (size_t e = 0; e < count; e++)
        explain_end(history, failure, &ends[e], &out, &orders);
    if (all > count)
        buffer_printf(&out, "... and others that get no further\n");
    outcome_put(outcome, OUTCOME_explanation, buffer_str(&out));
    outcome_put(outcome, OUTCOME_orders, buffer_str(&orders));
    vec_clear(&out);
    child_hint(history, failure, ends, count, all == count, &out);
    outcome_put(outcome, OUTCOME_hint, buffer_str(&out));
    vec_free(&out);
    vec_free(&orders);
}

/* One call of the nearest outcome: "get() = 1 (not none)". */
static void print_closest_call(const GraphHistory *history, const VerifyFailure *failure,
                               const ClosestResult *result, uint32_t k, Buffer *out)
{
    uint32_t place = 0;
    while (place < failure->count && failure->included[place] != k)
        place++;
    buffer_printf(out, "%s", child_test_call(k)->text);
    if (k == failure->stuck) {
        if (value_equal(result->stuck_result, SPEC_DONE))
            buffer_printf(out, " returns");
        else
            child_test_print_result(result->stuck_result.word, out);
        buffer_printf(out, " (instead of waiting)");
    } else if (place == failure->count) {
        buffer_printf(out, " still waits");
    } else if (result->changed[place]) {
        child_test_print_result(result->result[place].word, out);
        buffer_printf(out, " (not ");
        child_test_print_value(history->word[k], out);
        buffer_printf(out, ")");
    } else {
        child_test_print_result(history->word[k], out);
    }
}

static bool find_closest(const GraphHistory *history, const VerifyFailure *failure,
                         ClosestResult *result)
{
    FailureOps ops;
    failure_ops(history, failure, &ops);
    ClosestProblem problem = {.automaton = child_spec_automaton(),
                              .count = failure->count,
                              .labels = ops.labels,
                              .open_labels = ops.open,
                              .before = ops.before,
                              .stuck = UINT32_MAX};
    if (failure->stuck != UINT32_MAX)
        problem.stuck = child_spec_label(NULL, failure->stuck, VALUE_UNKNOWN);
    return closest_outcome(&problem, result);
}

uint32_t child_blame(const GraphHistory *history, const VerifyFailure *failure)
{
    ClosestResult result = {0};
    uint32_t blamed = 0;
    if (failure->stuck != UINT32_MAX)
        return 1u << failure->stuck;
    if (find_closest(history, failure, &result)) {
        for (uint32_t i = 0; i < failure->count; i++)
            blamed |= (uint32_t)result.changed[i] << failure->included[i];
        return blamed;
    }
    FailureOps ops;
    OrdersEnd end;
    uint64_t all;
    failure_ops(history, failure, &ops);
    OrdersProblem problem = {child_spec_automaton(), failure->count, ops.labels, ops.before, 0};
    if (orders_find(&problem, &end, 1, &all))
        for (uint32_t left = end.next; left; left &= left - 1)
            blamed |= 1u << failure->included[(uint32_t)__builtin_ctz(left)];
    return blamed;
}

/* The nearest outcome that would have been right, as columns: "get() = 1 | put(1)", with calls of
 * main "put(1) / get() = 1 | ... / ...". */
static void explain_closest(OutcomeMessage *outcome, const GraphHistory *history,
                            const VerifyFailure *failure)
{
    ClosestResult result = {0};
    if (!find_closest(history, failure, &result))
        return;
    const TestCase *test = &child_test.test;
    bool framed = test->length[TESTCASE_BEFORE] || test->length[TESTCASE_AFTER];
    Buffer out = {0};
    for (uint32_t c = 0; c < test->threads + 2; c++) {
        bool before = c == 0, after = c == test->threads + 1;
        uint32_t column = before ? TESTCASE_BEFORE : after ? TESTCASE_AFTER : c - 1;
        if ((before || after) && !framed)
            continue;
        if (after || (c == 1 && framed))
            buffer_printf(&out, " / ");
        else if (c > 1)
            buffer_printf(&out, " | ");
        for (uint32_t i = 0; i < test->length[column]; i++) {
            buffer_printf(&out, "%s", i ? ", " : "");
            print_closest_call(history, failure, &result, testcase_number(test, column, i), &out);
        }
    }
    outcome_put(outcome, OUTCOME_closest, buffer_str(&out));
    vec_free(&out);
}

void child_explain(Verifier *verifier, OutcomeMessage *outcome, const GraphHistory *history,
                   const VerifyFailure *failure)
{
    outcome_clear_texts(outcome);
    explain_orders(outcome, history, failure);
    explain_closest(outcome, history, failure);
    Buffer out = {0};
    child_overtaking_explain(verifier, history, failure, &out);
    outcome_put(outcome, OUTCOME_overtaking, buffer_str(&out));
    vec_free(&out);
}
