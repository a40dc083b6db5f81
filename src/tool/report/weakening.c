#include "tool/report/weakening.h"
#include <string.h>
#include "base/print.h"
#include "base/str.h"
#include <sys/resource.h>
#include "tool/report/json.h"
#include "tool/report/jsontext.h"
#include "tool/report/steps.h"

void weakening_place(const WeakenOrder *order, char *text, size_t bytes)
{
    const char *slash = strrchr(order->file, '/');
    int length = snprintf(text, bytes, "%s:%d", slash ? slash + 1 : order->file, order->line);
    if (order->column && length > 0 && (size_t)length < bytes)
        length += snprintf(text + length, bytes - (size_t)length, ":%d", order->column);
    if (order->ordinal && length > 0 && (size_t)length < bytes)
        snprintf(text + length, bytes - (size_t)length, "#%u", order->ordinal);
}

void weakening_describe(const WeakenOrder *order, char *text, size_t bytes)
{
    snprintf(text, bytes, "%s%s %s", weaken_operation_word(order->operation),
             order->failure ? " that fails," : "",
             order->is_known ? steps_order_word(order->order) : "");
}

void weakening_tell_try(Buffer *line, const Weakening *weakening, const WeakenTry *attempt)
{
    buffer_printf(line, "%s: ", steps_order_word(attempt->to));
    if (!attempt->done) {
        buffer_printf(line, "not tried to the end");
        return;
    }
    switch (attempt->verdict) {
    case VERDICT_VIOLATED:
        buffer_printf(line, "%s", violation_word(attempt->violation));
        if (attempt->test[0])
            buffer_printf(line, " in %s", attempt->test);
        if (attempt->text[0])
            buffer_printf(line, ": %s", attempt->text);
        break;
    case VERDICT_INCONCLUSIVE:
        buffer_printf(line, "not finished: %s", attempt->text);
        break;
    case VERDICT_HOLDS:
        if (attempt->executions == weakening->executions && attempt->blocked == weakening->blocked)
            buffer_printf(line, "holds, with no execution more");
        else
            buffer_printf(line, "holds, with %llu executions",
                          (unsigned long long)attempt->executions);
        break;
    }
}

void weakening_tell_enough(Buffer *line, const WeakenOrder *order)
{
    for (unsigned i = 0; i < order->try_count; i++)
        if (weaken_is_weakest(order, &order->tries[i]))
            buffer_printf(line, "%s%s", line->count ? " or " : "",
                          steps_order_word(order->tries[i].to));
}

static void write_order(FILE *to, const Weakening *weakening, const WeakenOrder *order,
                        const TextStyle *style, int place_width)
{
    char place[256], what[96];
    weakening_place(order, place, sizeof place);
    weakening_describe(order, what, sizeof what);
    print_plain(to, "  %-*s  %-34s  in %s\n", place_width, place, what, order->function);
    if (order->answer == WEAKEN_WEAKER) {
        Buffer enough = {0};
        weakening_tell_enough(&enough, order);
        print_plain(to, "      enough: %s\n", enough.at);
        vec_free(&enough);
    }
    for (unsigned i = 0; i < order->try_count; i++) {
        Buffer line = {0};
        weakening_tell_try(&line, weakening, &order->tries[i]);
        fputs("      ", to);
        text_write_wrapped(to, style, line.at, 8, 6);
        vec_free(&line);
    }
    if (order->note)
        print_plain(to, "      %s\n", order->note);
}

static unsigned count_hangs(const Weakening *weakening)
{
    unsigned count = 0;
    for (unsigned i = 0; i < weakening->count; i++)
        count += weaken_hangs(&weakening->at[i]);
    return count;
}

const char *weakening_word(const Weakening *weakening)
{
    return weakening->verdict == VERDICT_HOLDS ? "decided" : verdict_word(weakening->verdict);
}

void weakening_tell_counts(Buffer *line, const Weakening *weakening, const char *of)
{
    unsigned needed = weaken_count(weakening, WEAKEN_NEEDED);
    unsigned weaker = weaken_count(weakening, WEAKEN_WEAKER);
    unsigned unneeded = weaken_count(weakening, WEAKEN_UNNEEDED);
    unsigned unknown = weaken_count(weakening, WEAKEN_UNKNOWN);
    unsigned all = needed + weaker + unneeded + unknown;
    buffer_printf(line,
                  "%u memory order%s%s%s under %s: %u needed, %u could be weaker, %u not "
                  "seen to be needed",
                  all, all == 1 ? "" : "s", of ? " of " : "", of ? of : "", weakening->model,
                  needed, weaker, unneeded);
    if (unknown)
        buffer_printf(line, ", %u not decided", unknown);
    unsigned hangs = count_hangs(weakening);
    if (hangs)
        buffer_printf(line, "; %u of them lest it hang", hangs);
}

void weakening_tell_figures(Buffer *line, const Weakening *weakening)
{
    unsigned tries = 0;
    for (unsigned i = 0; i < weakening->count; i++)
        tries += weakening->at[i].try_count;
    bool one = weakening->executions == 1;
    buffer_printf(line, "%u weakened program%s, %.2f s; unchanged it holds, %s%llu execution%s",
                  tries, tries == 1 ? "" : "s", weakening->seconds,
                  weakening->exhaustive && !one ? "all " : "",
                  (unsigned long long)weakening->executions, one ? "" : "s");
    if (weakening->blocked)
        buffer_printf(line, ", %llu blocked", (unsigned long long)weakening->blocked);
    if (weakening->coverage)
        buffer_printf(line, "; %s", weakening->coverage);
}

static void write_summary(FILE *to, const Weakening *weakening, const TextStyle *style)
{
    Buffer line = {0};
    buffer_printf(&line, "%s: ", weakening_word(weakening));
    weakening_tell_counts(&line, weakening, weakening->subject);
    text_write_wrapped(to, style, line.at, 2, 0);
    vec_clear(&line);
    if (weakening->reason) {
        fputs("  ", to);
        text_write_wrapped(to, style, weakening->reason, 2, 2);
    }
    weakening_tell_figures(&line, weakening);
    fputs("  ", to);
    text_write_wrapped(to, style, line.at, 2, 2);
    if (weakening->library_orders)
        fprintf(to, "  note: %u atomic operations of the C++ library's own were left alone\n",
                weakening->library_orders);
    vec_free(&line);
}

void weakening_write_text(FILE *to, const Weakening *weakening, const TextStyle *style)
{
    write_summary(to, weakening, style);
    int place_width = 0;
    for (unsigned i = 0; i < weakening->count; i++) {
        char place[256];
        weakening_place(&weakening->at[i], place, sizeof place);
        place_width = MAX(place_width, (int)strlen(place));
    }
    for (int answer = 0; answer < WEAKEN_ANSWER_COUNT; answer++) {
        if (!weaken_count(weakening, (WeakenAnswer)answer))
            continue;
        print_plain(to, "\n%s:\n", weaken_answer_heading((WeakenAnswer)answer));
        for (unsigned i = 0; i < weakening->count; i++)
            if (weakening->at[i].answer == (WeakenAnswer)answer)
                write_order(to, weakening, &weakening->at[i], style, place_width);
    }
}

/* --- for scripts ------------------------------------------------------------------------------ */

static json_t *try_value(const WeakenTry *attempt)
{
    json_t *object = json_object();
    bool violated = attempt->done && attempt->verdict == VERDICT_VIOLATED;
    json_put(object, "order", json_string(steps_order_word(attempt->to)));
    json_put(object, "verdict",
             json_string(attempt->done ? verdict_word(attempt->verdict) : "inconclusive"));
    json_put(object, "violation", json_text(violated ? violation_word(attempt->violation) : NULL));
    json_put(object, "message", json_text(*attempt->text ? attempt->text : NULL));
    json_put(object, "test", json_text(*attempt->test ? attempt->test : NULL));
    json_put(object, "exhaustive", json_boolean(attempt->exhaustive));
    json_put(object, "executions", json_count(attempt->executions));
    json_put(object, "blocked", json_count(attempt->blocked));
    json_put(object, "seconds", json_seconds(attempt->seconds));
    return object;
}

static json_t *order_value(const WeakenOrder *order)
{
    json_t *object = json_object(), *tries = json_array(), *enough = json_array();
    json_put(object, "file", json_text(order->file));
    json_put(object, "line", json_integer(order->line));
    json_put(object, "column", json_integer(order->column));
    json_put(object, "ordinal", json_integer(order->ordinal));
    json_put(object, "function", json_text(order->function));
    json_put(object, "operation", json_string(weaken_operation_word(order->operation)));
    json_put(object, "failure", json_boolean(order->failure));
    json_put(object, "order",
             order->is_known ? json_string(steps_order_word(order->order)) : json_null());
    json_put(object, "answer", json_string(weaken_answer_word(order->answer)));
    json_put(object, "hangs", json_boolean(weaken_hangs(order)));
    json_put(object, "note", json_text(order->note));
    for (unsigned i = 0; i < order->try_count; i++) {
        json_array_append_new(tries, try_value(&order->tries[i]));
        if (weaken_is_weakest(order, &order->tries[i]))
            json_array_append_new(enough, json_string(steps_order_word(order->tries[i].to)));
    }
    json_put(object, "enough", enough);
    json_put(object, "tries", tries);
    return object;
}

bool weakening_write_json(FILE *to, const Weakening *weakening)
{
    struct rusage usage;
    getrusage(RUSAGE_CHILDREN, &usage);
    Answer answer = {.command = "weaken",
                     .subject = weakening->subject,
                     .verdict = weakening->verdict,
                     .message = weakening->verdict == VERDICT_VIOLATED ? weakening->reason : NULL,
                     .reason = weakening->reason,
                     .exhaustive = weakening->exhaustive,
                     .model = weakening->model,
                     .seconds = weakening->seconds,
                     .peak_rss_kb = usage.ru_maxrss};
    json_t *object = json_head(&answer), *orders = json_array();
    json_put(object, "mode", json_text(weakening->mode));
    json_put(object, "executions", json_count(weakening->executions));
    json_put(object, "blocked", json_count(weakening->blocked));
    json_put(object, "coverage", json_text(weakening->coverage));
    for (int kind = 0; kind < WEAKEN_ANSWER_COUNT; kind++)
        json_put(object, weaken_answer_word((WeakenAnswer)kind),
                 json_integer(weaken_count(weakening, (WeakenAnswer)kind)));
    json_put(object, "hang", json_integer(count_hangs(weakening)));
    json_put(object, "library_orders", json_integer(weakening->library_orders));
    json_put(object, "placeless_orders", json_integer(weakening->placeless_orders));
    for (unsigned i = 0; i < weakening->count; i++)
        json_array_append_new(orders, order_value(&weakening->at[i]));
    json_put(object, "orders", orders);
    return json_write(to, object);
}
