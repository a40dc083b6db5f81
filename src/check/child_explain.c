#include "check/child_explain.h"
#include <stdio.h>
#include <string.h>
#include "check/closest.h"
#include "check/orders.h"

/* " = 2", or nothing for a call that gives nothing. */
static void print_result(const ExplainContext *x, uint64_t word, Buffer *out)
{
    if (word == SPEC_DONE.word)
        return;
    buffer_printf(out, " = ");
    x->print_value(word, out);
}

/* The operations of a failure by their places in it. */
typedef struct FailureOps {
    uint32_t labels[REALTIME_MOST], open[REALTIME_MOST], before[REALTIME_MOST];
} FailureOps;

static void failure_ops(const ExplainContext *x, const GraphHistory *history,
                        const VerifyFailure *failure, FailureOps *ops)
{
    memset(ops, 0, sizeof *ops);
    for (uint32_t i = 0; i < failure->count; i++) {
        uint32_t k = failure->included[i];
        ops->labels[i] = x->label(NULL, k, (Value){history->word[k]});
        ops->open[i] = x->label(NULL, k, VALUE_UNKNOWN);
        for (uint32_t j = 0; j < failure->count; j++)
            if (j != i && failure->order.successors[2 * j + 1] >> (2 * i) & 1)
                ops->before[i] |= 1u << j;
    }
}

/* "T2 get() = none": calls look alike, so their threads are named. */
static void print_call(const ExplainContext *x, const GraphHistory *history, uint32_t k,
                       Buffer *out)
{
    uint32_t t = 0, first = 0;
    while (k - first >= x->test->length[t])
        first += x->test->length[t++];
    buffer_printf(out, "T%u %s", t + 1, x->call_text(k));
    print_result(x, history->word[k], out);
}

/* What operation K would have to give behind END. */
static void print_allowed(const ExplainContext *x, const GraphHistory *history,
                          const VerifyFailure *failure, const OrdersEnd *end, uint32_t k,
                          Buffer *out)
{
    uint32_t prefix[REALTIME_MOST];
    for (uint32_t i = 0; i < end->length; i++)
        prefix[i] = failure->included[end->order[i]];
    x->print_allowed(prefix, end->length, end->state, k, history->word[k], out);
    if (!out->count)
        buffer_printf(out, "no serial run does that");
}

/* Keeps a reason for whoever draws the orders; 0 when there is no room. */
static uint16_t keep_reason(LinkOutcome *outcome, Str reason)
{
    uint32_t at = outcome->order_text_bytes;
    if (!reason.length || at + reason.length + 1 > sizeof outcome->order_text)
        return 0;
    memcpy(outcome->order_text + at, reason.at, reason.length);
    outcome->order_text[at + reason.length] = 0;
    outcome->order_text_bytes += (uint32_t)reason.length + 1;
    return (uint16_t)at;
}

static void refuse(LinkOutcome *outcome, LinkOrder *order, uint32_t k, Str reason)
{
    order->refused[order->refused_count] = (uint8_t)k;
    order->why[order->refused_count++] = keep_reason(outcome, reason);
}

/* One order in words and as data. */
static void explain_end(const ExplainContext *x, const GraphHistory *history,
                        const VerifyFailure *failure, const OrdersEnd *end, LinkOrder *data,
                        Buffer *out)
{
    const char *between = "";
    bool all_placed = end->length == failure->count;
    *data = (LinkOrder){.count = end->length};
    for (uint32_t i = 0; i < end->length; i++, between = ", ") {
        uint32_t k = failure->included[end->order[i]];
        data->calls[i] = (uint8_t)k;
        buffer_printf(out, "%s", between);
        print_call(x, history, k, out);
    }
    between = end->length ? "; then " : "first ";
    for (uint32_t left = end->next; left; left &= left - 1, between = "; ") {
        uint32_t i = (uint32_t)__builtin_ctz(left), k = failure->included[i];
        Buffer allowed = {0};
        print_allowed(x, history, failure, end, k, &allowed);
        buffer_printf(out, "%s", between);
        print_call(x, history, k, out);
        buffer_printf(out, " disagrees: %s %.*s", end->length ? "here" : "at the start",
                      STR_ARG(buffer_str(&allowed)));
        refuse(x->outcome, data, k, buffer_str(&allowed));
        vec_free(&allowed);
    }
    if (failure->stuck == UINT32_MAX && all_placed)
        buffer_printf(out, "; each result fits, but the whole is not within the quasi factor");
    if (failure->stuck != UINT32_MAX && all_placed) {
        buffer_printf(out, "; then %s does not wait", x->call_text(failure->stuck));
        refuse(x->outcome, data, failure->stuck, STR("it does not wait"));
    }
    buffer_printf(out, "\n");
}

static void explain_orders(const ExplainContext *x, const GraphHistory *history,
                           const VerifyFailure *failure)
{
    OrdersEnd ends[LINK_ORDERS];
    FailureOps ops;
    Buffer out = {0};
    uint64_t all;
    failure_ops(x, history, failure, &ops);
    OrdersProblem problem = {x->automaton, failure->count, ops.labels, ops.before};
    size_t count = orders_find(&problem, ends, LINK_ORDERS, &all);
    x->outcome->order_count = (uint32_t)count;
    x->outcome->order_text_bytes = 1;
    for (size_t e = 0; e < count; e++)
        explain_end(x, history, failure, &ends[e], &x->outcome->orders[e], &out);
    if (all > count)
        buffer_printf(&out, "... and others that get no further\n");
    snprintf(x->outcome->explanation, sizeof x->outcome->explanation, "%.*s",
             STR_ARG(buffer_str(&out)));
    vec_free(&out);
}

/* The nearest outcome that would have been right, as columns: "get() = 1 | put(1)". */
static void explain_closest(const ExplainContext *x, const GraphHistory *history,
                            const VerifyFailure *failure)
{
    FailureOps ops;
    failure_ops(x, history, failure, &ops);
    ClosestProblem problem = {.automaton = x->automaton,
                              .count = failure->count,
                              .labels = ops.labels,
                              .open_labels = ops.open,
                              .before = ops.before,
                              .stuck = UINT32_MAX};
    if (failure->stuck != UINT32_MAX)
        problem.stuck = x->label(NULL, failure->stuck, VALUE_UNKNOWN);
    ClosestResult result;
    x->outcome->closest[0] = 0;
    if (!closest_outcome(&problem, &result))
        return;
    Buffer out = {0};
    for (uint32_t t = 0; t < x->test->threads; t++)
        for (uint32_t i = 0; i < x->test->length[t]; i++) {
            uint32_t k = testcase_number(x->test, t, i);
            if (t || i)
                buffer_printf(&out, i ? ", " : " | ");
            buffer_printf(&out, "%s", x->call_text(k));
            uint32_t place = 0;
            while (place < failure->count && failure->included[place] != k)
                place++;
            bool changed = k == failure->stuck || (place < failure->count && result.changed[place]);
            if (k == failure->stuck && value_equal(result.stuck_result, SPEC_DONE))
                buffer_printf(&out, " returns");
            else if (k == failure->stuck)
                print_result(x, result.stuck_result.word, &out);
            else if (place == failure->count)
                buffer_printf(&out, " still waits");
            else
                print_result(x, changed ? result.result[place].word : history->word[k], &out);
            if (changed && k == failure->stuck) {
                buffer_printf(&out, " (instead of waiting)");
            } else if (changed) {
                buffer_printf(&out, " (not ");
                x->print_value(history->word[k], &out);
                buffer_printf(&out, ")");
            }
        }
    snprintf(x->outcome->closest, sizeof x->outcome->closest, "%.*s", STR_ARG(buffer_str(&out)));
    vec_free(&out);
}

void child_explain(const ExplainContext *context, const GraphHistory *history,
                   const VerifyFailure *failure)
{
    explain_orders(context, history, failure);
    explain_closest(context, history, failure);
}
