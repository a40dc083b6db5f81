#include "tool/cli/history/page.h"
#include "judge/linear/explain_text.h"
#include <stdio.h>
#include "tool/report/jsontext.h"
#include "tool/report/page/page.h"

static json_t *text_of(Buffer *text)
{
    json_t *value = json_text_of(buffer_str(text));
    vec_clear(text);
    return value;
}

static json_t *numbers(const uint32_t *list, size_t count)
{
    json_t *array = json_array();
    for (size_t i = 0; i < count; i++)
        json_push(array, json_integer(list[i]));
    return array;
}

static json_t *number_or_null(uint32_t number, uint32_t none)
{
    return number == none ? json_null() : json_integer(number);
}

static json_t *operations_of(const HistoryRun *run)
{
    const History *history = run->history;
    json_t *list = json_array();
    Buffer text = {0};
    bool *here = NULL;
    size_t count = history->operations.count;
    Arena *arena = arena_new();
    if (run->verdict != VERDICT_HOLDS && run->plan.groups.count > 1) {
        const PlanGroup *group = &run->plan.groups.at[run->group];
        here = arena_array_of(arena, bool, count + 1);
        for (uint32_t i = 0; i < group->count; i++)
            here[run->plan.members.at[group->first + i]] = true;
    }
    for (size_t i = 0; i < count; i++) {
        const Operation *operation = &history->operations.at[i];
        json_t *object = json_object();
        history_print_operation(history, operation, &text);
        json_put(object, "process", json_integer(operation->process));
        json_put(object, "text", text_of(&text));
        json_put(object, "called", json_integer(operation->called));
        json_put(object, "returned", number_or_null(operation->returned, HISTORY_PENDING));
        json_put(object, "line", json_integer(operation->line));
        json_put(object, "here", json_boolean(!here || here[i]));
        json_push(list, object);
    }
    arena_free(arena);
    vec_free(&text);
    return list;
}

static json_t *orders_of(const Explanation *explanation)
{
    json_t *list = json_array();
    for (size_t i = 0; i < explanation->ends.count; i++) {
        const DeadEndText *end = &explanation->ends.at[i];
        json_t *order = json_object(), *refused = json_array();
        json_put(order, "calls", numbers(end->order.at, end->order.count));
        json_put(order, "state", json_text_of(buffer_str(&end->state)));
        if (end->next != LINEARIZE_NONE) {
            json_t *one = json_object();
            json_put(one, "operation", json_integer(end->next));
            json_put(one, "why", json_text_of(buffer_str(&end->allowed)));
            json_push(refused, one);
        }
        json_put(order, "refused", refused);
        json_push(list, order);
    }
    return list;
}

static json_t *notes_of(const History *history)
{
    json_t *list = json_array();
    for (size_t i = 0; i < history->notes.count; i++) {
        const HistoryNote *note = &history->notes.at[i];
        json_t *object = json_object();
        json_put(object, "from", json_integer(note->from));
        json_put(object, "to", json_integer(note->to));
        json_put(object, "line", json_integer(note->line));
        json_put(object, "failed", json_boolean(note->failed));
        json_put(object, "text", json_text_of(value_text(history->values, note->text)));
        json_push(list, object);
    }
    return list;
}

static json_t *history_of(const HistoryRun *run)
{
    const History *history = run->history;
    const Explanation *explanation = &run->explanation;
    json_t *object = json_object(), *processes = json_array();
    Buffer text = {0};
    buffer_printf(&text, "%s", history->source);
    if (history->number > 1)
        buffer_printf(&text, " (%u)", (unsigned)history->number);
    json_put(object, "name", text_of(&text));
    json_put(object, "verdict", json_text(verdict_word(run->verdict)));
    history_report_part(run, &text);
    json_put(object, "part", text_of(&text));
    for (uint32_t i = 0; i < history->processes.count; i++) {
        explain_text_process(history, i, &text);
        json_push(processes, text_of(&text));
    }
    json_put(object, "processes", processes);
    json_put(object, "operations", operations_of(run));
    json_put(object, "notes", notes_of(history));
    json_put(object, "witness", numbers(run->witness.at, run->witness.count));
    bool violated = run->verdict == VERDICT_VIOLATED;
    uint32_t focus = run->answer.stuck != LINEARIZE_NONE ? run->answer.stuck : run->answer.ended;
    if (violated && explanation->ends.count && explanation->ends.at[0].next != LINEARIZE_NONE)
        focus = explanation->ends.at[0].next;
    json_put(object, "focus", violated ? number_or_null(focus, LINEARIZE_NONE) : json_null());
    json_put(object, "core", numbers(explanation->core.at, violated ? explanation->core.count : 0));
    json_put(object, "context",
             numbers(explanation->context.at, violated ? explanation->context.count : 0));
    json_put(object, "minimal", json_boolean(explanation->minimal));
    json_put(object, "orders", violated ? orders_of(explanation) : json_array());
    vec_free(&text);
    return object;
}

/* Says what is wrong with the first history that is violated. */
static void message_of(const HistorySummary *summary, Buffer *out)
{
    for (size_t i = 0; i < summary->count; i++) {
        const HistoryRun *run = &summary->runs[i];
        if (run->verdict == VERDICT_VIOLATED && run->answer.stuck != LINEARIZE_NONE) {
            buffer_printf(out, "an operation waits for ever, but in no serial order it has to");
            return;
        }
        if (run->verdict == VERDICT_VIOLATED) {
            buffer_printf(out, "no serial order explains this history");
            if (run->plan.groups.count > 1) {
                buffer_printf(out, " of ");
                history_report_part(run, out);
            }
            return;
        }
    }
    buffer_printf(out, "%s",
                  history_summary_verdict(summary) == VERDICT_HOLDS
                      ? "every history has a serial order that explains it"
                      : "not every history could be decided within the limits");
}

static void add_explanations(const HistorySummary *summary, json_t *document)
{
    json_t *list = json_array();
    Buffer text = {0};
    for (size_t i = 0; i < summary->count && !json_array_size(list); i++) {
        const HistoryRun *run = &summary->runs[i];
        if (run->verdict != VERDICT_VIOLATED)
            continue;
        if (run->explanation.why)
            json_push(list, json_text(run->explanation.why));
        if (run->answer.ended == LINEARIZE_NONE)
            break;
        const Operation *ended = &run->history->operations.at[run->answer.ended];
        buffer_printf(&text, "%s %u of %u operations to return fit together; it ends where ",
                      run->explanation.at_the_latest ? "At most the first" : "The first",
                      (unsigned)run->answer.settled,
                      (unsigned)run->plan.groups.at[run->group].count);
        buffer_printf(&text, "process ");
        explain_text_process(run->history, ended->process, &text);
        buffer_printf(&text, "'s ");
        size_t before = text.count;
        history_print_operation(run->history, ended, &text);
        if (text.count > before + 160) {
            text.count = before + 160;
            buffer_printf(&text, "...");
        }
        buffer_printf(&text, " returns (line %u).", (unsigned)ended->line);
        json_push(list, text_of(&text));
    }
    vec_free(&text);
    json_put(document, "explanations", list);
}

bool history_page_write(const char *path, const HistorySummary *summary, Error *error)
{
    Verdict verdict = history_summary_verdict(summary);
    Buffer text = {0};
    size_t operations = 0;
    json_t *histories = json_array();
    for (size_t i = 0; i < summary->count; i++) {
        operations += summary->runs[i].history->operations.count;
        json_push(histories, history_of(&summary->runs[i]));
    }
    message_of(summary, &text);
    char subject[512], number[32];
    snprintf(subject, sizeof subject, "%s%s",
             summary->count ? summary->runs[0].history->source : "no history",
             summary->count > 1 ? " and more" : "");
    json_t *document = page_document(
        "history", "history", subject, verdict_word(verdict),
        verdict == VERDICT_VIOLATED ? violation_word(history_summary_violation(summary)) : NULL,
        text.at);
    page_add_fact(document, "specification", summary->spec);
    snprintf(number, sizeof number, "%zu", summary->count);
    page_add_fact(document, "histories", number);
    snprintf(number, sizeof number, "%zu", operations);
    page_add_fact(document, "operations", number);
    snprintf(number, sizeof number, "%.3f s", summary->seconds);
    page_add_fact(document, "time", number);
    add_explanations(summary, document);
    json_put(document, "histories", histories);
    bool written = page_write(path, document, error);
    json_decref(document);
    vec_free(&text);
    return written;
}
