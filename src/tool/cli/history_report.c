#include "tool/cli/history_report.h"
#include "tool/report/json.h"
#include "tool/report/jsontext.h"
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#define WIDTH 100
#define LONGEST_OPERATION 60u
#define MOST_SHOWN 40u
#define CHART 40u

Verdict history_summary_verdict(const HistorySummary *summary)
{
    Verdict verdict = VERDICT_HOLDS;
    for (size_t i = 0; i < summary->count; i++)
        if (summary->runs[i].verdict == VERDICT_VIOLATED)
            return VERDICT_VIOLATED;
        else if (summary->runs[i].verdict == VERDICT_INCONCLUSIVE)
            verdict = VERDICT_INCONCLUSIVE;
    return verdict;
}

ViolationKind history_summary_violation(const HistorySummary *summary)
{
    for (size_t i = 0; i < summary->count; i++)
        if (summary->runs[i].verdict == VERDICT_VIOLATED)
            return summary->runs[i].answer.stuck == LINEARIZE_NONE ? VIOLATION_LINEARIZABILITY
                                                                   : VIOLATION_STUCK;
    return VIOLATION_NONE;
}

/* Long texts keep their beginning and end. */
static void shorten(Buffer *text, size_t longest)
{
    if (text->count <= longest)
        return;
    size_t tail = longest / 2, head = longest - tail - 3;
    memmove(text->at + head + 3, text->at + text->count - tail, tail);
    memcpy(text->at + head, "...", 3);
    text->count = head + 3 + tail;
    text->at[text->count] = 0;
}

static void print_operation(const HistoryRun *run, uint32_t op, size_t longest, Buffer *out)
{
    Buffer text = {0};
    history_print_operation(run->history, &run->history->operations.at[op], &text);
    shorten(&text, longest);
    buffer_append(out, text.at, text.count);
    vec_free(&text);
}

void history_report_process(const HistoryRun *run, uint32_t process, Buffer *out)
{
    Value name = run->history->processes.at[process];
    if (value_kind(run->history->values, name) == VALUE_IS_STRING)
        buffer_printf(out, "%.*s", STR_ARG(value_text(run->history->values, name)));
    else
        value_print(run->history->values, name, out);
}

static void print_process(const HistoryRun *run, uint32_t op, Buffer *out)
{
    history_report_process(run, run->history->operations.at[op].process, out);
}

void history_report_part(const HistoryRun *run, Buffer *out)
{
    if (run->group >= run->plan.groups.count)
        return;
    const PlanGroup *group = &run->plan.groups.at[run->group];
    bool keyed = group->part.word != VALUE_UNKNOWN.word;
    if (group->object)
        buffer_printf(out, "object %.*s%s",
                      STR_ARG(value_text(run->history->values, value_of_symbol(group->object))),
                      keyed ? ", " : "");
    if (keyed) {
        buffer_printf(out, "key ");
        value_print(run->history->values, group->part, out);
    }
}

static int by_number(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

/* Operations as bars: one column a moment at which one of them is called or returns. */
static void print_bars(const HistoryRun *run, const uint32_t *ops, size_t count, const char *mark,
                       const uint32_t *moments, size_t moment_count, FILE *out)
{
    for (size_t i = 0; i < count; i++) {
        const Operation *op = &run->history->operations.at[ops[i]];
        Buffer text = {0}, process = {0};
        print_process(run, ops[i], &process);
        size_t drawn = moment_count <= CHART ? moment_count : 0;
        print_operation(run, ops[i], MIN(LONGEST_OPERATION, WIDTH - 30 - drawn), &text);
        char bar[CHART + 2] = "";
        if (moment_count <= CHART) {
            memset(bar, ' ', moment_count);
            for (size_t m = 0; m < moment_count; m++)
                if (moments[m] == op->called)
                    bar[m] = '[';
                else if (moments[m] == op->returned)
                    bar[m] = ']';
                else if (moments[m] > op->called && moments[m] < op->returned)
                    bar[m] = '-';
            if (op->returned == HISTORY_PENDING)
                bar[moment_count - 1] = bar[moment_count - 1] == '[' ? '[' : '>';
        }
        fprintf(out, "  %s line %-6u %8.*s  %s  %.*s\n", mark, (unsigned)op->line,
                STR_ARG(buffer_str(&process)), bar, STR_ARG(buffer_str(&text)));
        vec_free(&text);
        vec_free(&process);
    }
}

static void print_evidence(const HistoryRun *run, FILE *out)
{
    const Explanation *e = &run->explanation;
    Vec(uint32_t) moments = {0};
    size_t core = MIN(e->core.count, MOST_SHOWN), context = MIN(e->context.count, MOST_SHOWN);
    for (size_t i = 0; i < core + context; i++) {
        uint32_t index = i < core ? e->core.at[i] : e->context.at[i - core];
        const Operation *op = &run->history->operations.at[index];
        vec_push(&moments, op->called);
        if (op->returned != HISTORY_PENDING)
            vec_push(&moments, op->returned);
    }
    if (moments.count)
        qsort(moments.at, moments.count, sizeof *moments.at, by_number);
    fprintf(out, "\n  The operations that contradict each other%s:\n\n",
            e->minimal ? " (none can be left out)" : "");
    print_bars(run, e->core.at, core, " ", moments.at, moments.count, out);
    if (e->core.count > core)
        fprintf(out, "    ... and %zu more\n", e->core.count - core);
    if (context) {
        fprintf(out, "\n  Operations on the same values, which may have happened or not:\n\n");
        print_bars(run, e->context.at, context, " ", moments.at, moments.count, out);
        if (e->context.count > context)
            fprintf(out, "    ... and %zu more\n", e->context.count - context);
    }
    vec_free(&moments);
    if (e->ends.count)
        fprintf(out, "\n  Each order that goes as far as any, and why the next operation does not "
                     "fit:\n\n");
    for (size_t i = 0; i < e->ends.count; i++) {
        const DeadEndText *end = &e->ends.at[i];
        size_t from = end->order.count > 12 ? end->order.count - 12 : 0;
        fprintf(out, "  %zu.%s", i + 1, from ? " ..." : end->order.count ? "" : " (at the start)");
        size_t column = 8;
        for (size_t j = from; j < end->order.count; j++) {
            Buffer text = {0};
            print_operation(run, end->order.at[j], LONGEST_OPERATION, &text);
            column += text.count + 2;
            if (column > WIDTH - 2) {
                fprintf(out, "\n    ");
                column = text.count + 8;
            }
            fprintf(out, " %.*s;", STR_ARG(buffer_str(&text)));
            vec_free(&text);
        }
        Buffer state = {0}, allowed = {0}, next = {0};
        buffer_append(&state, end->state.at, end->state.count);
        buffer_append(&allowed, end->allowed.at, end->allowed.count);
        shorten(&state, WIDTH - 14);
        shorten(&allowed, WIDTH - 14);
        fprintf(out, "\n       state: %.*s\n", STR_ARG(buffer_str(&state)));
        if (end->next != LINEARIZE_NONE) {
            print_operation(run, end->next, WIDTH - 14, &next);
            fprintf(out, "       next:  %.*s\n       but:   %.*s\n", STR_ARG(buffer_str(&next)),
                    STR_ARG(buffer_str(&allowed)));
        }
        vec_free(&state);
        vec_free(&allowed);
        vec_free(&next);
    }
    fprintf(out, "\n");
}

static void print_name(const HistoryRun *run, FILE *out)
{
    fprintf(out, "%s", run->history->source);
    if (run->history->number > 1)
        fprintf(out, " (history %u)", (unsigned)run->history->number);
}

static size_t pending_count(const HistoryRun *run)
{
    size_t pending = 0;
    for (size_t i = 0; i < run->history->operations.count; i++)
        pending += run->history->operations.at[i].returned == HISTORY_PENDING;
    return pending;
}

static void report_run(const HistorySummary *summary, const HistoryRun *run, FILE *out)
{
    print_name(run, out);
    size_t pending = pending_count(run);
    if (run->verdict == VERDICT_HOLDS) {
        fprintf(out, ": linearizable (%s): %zu operations, %zu pending, %zu processes",
                summary->spec, run->history->operations.count, pending,
                run->history->processes.count);
        if (run->plan.groups.count > 1)
            fprintf(out, ", %zu parts", run->plan.groups.count);
        fprintf(out, "\n");
        return;
    }
    Buffer group = {0};
    history_report_part(run, &group);
    const char *comma = group.count ? ", " : "";
    if (run->verdict == VERDICT_INCONCLUSIVE) {
        fprintf(out, ": inconclusive (%s%s%.*s): the %s limit was reached; ", summary->spec, comma,
                STR_ARG(buffer_str(&group)), run->reason);
        fprintf(out,
                "%u of %u operations of this part could be put in order, %u of %zu parts "
                "were looked at\n",
                (unsigned)run->answer.settled, (unsigned)run->plan.groups.at[run->group].count,
                (unsigned)run->groups_done, run->plan.groups.count);
        vec_free(&group);
        return;
    }
    fprintf(out, ": NOT linearizable (%s%s%.*s)\n", summary->spec, comma,
            STR_ARG(buffer_str(&group)));
    vec_free(&group);
    if (run->explanation.why)
        fprintf(out, "  %s\n", run->explanation.why);
    if (run->answer.ended != LINEARIZE_NONE) {
        Buffer text = {0}, process = {0};
        print_operation(run, run->answer.ended, LONGEST_OPERATION, &text);
        print_process(run, run->answer.ended, &process);
        fprintf(out,
                "  %s %u of %u operations to return are linearizable.\n"
                "  It ends where this one returns%s:\n    line %u, process %.*s: %.*s\n",
                run->explanation.at_the_latest ? "At most the first" : "The first",
                (unsigned)run->answer.settled, (unsigned)run->plan.groups.at[run->group].count,
                run->explanation.at_the_latest ? ", or before" : "",
                (unsigned)run->history->operations.at[run->answer.ended].line,
                STR_ARG(buffer_str(&process)), STR_ARG(buffer_str(&text)));
        vec_free(&text);
        vec_free(&process);
    }
    if (run->answer.stuck != LINEARIZE_NONE) {
        Buffer text = {0};
        print_operation(run, run->answer.stuck, LONGEST_OPERATION, &text);
        fprintf(out, "  It waits for ever, but in no serial order it has to: line %u: %.*s\n",
                (unsigned)run->history->operations.at[run->answer.stuck].line,
                STR_ARG(buffer_str(&text)));
        vec_free(&text);
    }
    print_evidence(run, out);
}

void history_report_text(const HistorySummary *summary, FILE *out)
{
    size_t counts[3] = {0, 0, 0};
    for (size_t i = 0; i < summary->count; i++) {
        report_run(summary, &summary->runs[i], out);
        counts[summary->runs[i].verdict]++;
    }
    if (summary->count > 1)
        fprintf(out, "%zu histories: %zu linearizable, %zu not, %zu inconclusive\n", summary->count,
                counts[VERDICT_HOLDS], counts[VERDICT_VIOLATED], counts[VERDICT_INCONCLUSIVE]);
    if (summary->count)
        fprintf(out, "checking took %.3f ms\n", summary->runs[0].seconds * 1e3);
}

static json_t *json_of_operation(const HistoryRun *run, uint32_t index)
{
    const Operation *op = &run->history->operations.at[index];
    Buffer text = {0}, process = {0};
    history_print_operation(run->history, op, &text);
    print_process(run, index, &process);
    json_t *object = json_object();
    json_object_set_new(object, "line", json_integer(op->line));
    json_object_set_new(object, "process", json_text_of(buffer_str(&process)));
    json_object_set_new(object, "operation", json_text_of(buffer_str(&text)));
    json_object_set_new(object, "called", json_integer(op->called));
    json_object_set_new(object, "returned",
                        op->returned == HISTORY_PENDING ? json_null() : json_integer(op->returned));
    vec_free(&text);
    vec_free(&process);
    return object;
}

static json_t *json_of_operations(const HistoryRun *run, const uint32_t *ops, size_t count)
{
    json_t *array = json_array();
    for (size_t i = 0; i < count; i++)
        json_array_append_new(array, json_of_operation(run, ops[i]));
    return array;
}

static json_t *json_of_run(const HistoryRun *run)
{
    json_t *object = json_object();
    json_object_set_new(object, "file", json_string(run->history->source));
    json_object_set_new(object, "number", json_integer(run->history->number));
    json_object_set_new(object, "format", json_string(log_format_word(run->format)));
    json_object_set_new(object, "verdict", json_string(verdict_word(run->verdict)));
    json_object_set_new(object, "operations",
                        json_integer((json_int_t)run->history->operations.count));
    json_object_set_new(object, "pending", json_integer((json_int_t)pending_count(run)));
    json_object_set_new(object, "processes",
                        json_integer((json_int_t)run->history->processes.count));
    json_object_set_new(object, "parts", json_integer((json_int_t)run->plan.groups.count));
    json_object_set_new(object, "configurations", json_integer((json_int_t)run->configurations));
    if (run->verdict == VERDICT_HOLDS)
        return object;
    Buffer group = {0};
    history_report_part(run, &group);
    if (group.count)
        json_object_set_new(object, "part", json_text_of(buffer_str(&group)));
    vec_free(&group);
    json_object_set_new(object, "prefix", json_integer(run->answer.settled));
    json_object_set_new(object, "prefix_exact", json_boolean(!run->explanation.at_the_latest));
    if (run->answer.ended != LINEARIZE_NONE)
        json_object_set_new(object, "ended", json_of_operation(run, run->answer.ended));
    if (run->verdict == VERDICT_INCONCLUSIVE) {
        json_object_set_new(object, "reason", json_string(run->reason));
        return object;
    }
    const Explanation *e = &run->explanation;
    if (e->why)
        json_object_set_new(object, "why", json_string(e->why));
    if (run->answer.stuck != LINEARIZE_NONE)
        json_object_set_new(object, "stuck", json_of_operation(run, run->answer.stuck));
    json_object_set_new(object, "minimal", json_boolean(e->minimal));
    json_object_set_new(object, "judged_again", json_boolean(e->judged_again));
    json_object_set_new(object, "core", json_of_operations(run, e->core.at, e->core.count));
    json_object_set_new(object, "context",
                        json_of_operations(run, e->context.at, e->context.count));
    json_t *orders = json_array();
    for (size_t i = 0; i < e->ends.count; i++) {
        const DeadEndText *end = &e->ends.at[i];
        json_t *order = json_object();
        json_object_set_new(order, "order",
                            json_of_operations(run, end->order.at, end->order.count));
        json_object_set_new(order, "state", json_text_of(buffer_str(&end->state)));
        if (end->next != LINEARIZE_NONE)
            json_object_set_new(order, "next", json_of_operation(run, end->next));
        json_object_set_new(order, "allowed", json_text_of(buffer_str(&end->allowed)));
        json_array_append_new(orders, order);
    }
    json_object_set_new(object, "orders", orders);
    return object;
}

bool history_report_json(const HistorySummary *summary, FILE *out)
{
    Verdict verdict = history_summary_verdict(summary);
    const char *reason = NULL;
    json_t *runs = json_array();
    for (size_t i = 0; i < summary->count; i++) {
        const HistoryRun *run = &summary->runs[i];
        if (run->verdict == VERDICT_INCONCLUSIVE)
            reason = run->reason;
        json_array_append_new(runs, json_of_run(run));
    }
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    ViolationKind violation = history_summary_violation(summary);
    Answer answer = {.command = "history",
                     .subject = summary->count ? summary->runs[0].history->source : NULL,
                     .verdict = verdict,
                     .violation = violation,
                     .message = violation == VIOLATION_NONE ? NULL : violation_text(violation),
                     .reason = reason,
                     .exhaustive = verdict != VERDICT_INCONCLUSIVE,
                     .seconds = summary->seconds,
                     .peak_rss_kb = usage.ru_maxrss};
    json_t *object = json_head(&answer);
    json_put(object, "specification", json_text(summary->spec));
    json_put(object, "histories", json_count(summary->count));
    json_put(object, "checking_seconds",
             json_seconds(summary->count ? summary->runs[0].seconds : 0));
    json_put(object, "results", runs);
    return json_write(out, object);
}
