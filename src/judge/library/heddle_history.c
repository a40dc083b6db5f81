/* The public library (include/heddle_history.h) on what the tool uses: a builder of histories
 * behind a lock, and the judge of their parts (parts.h). All state hangs from the handle. */
#include "heddle_history.h"
#include "base/clock.h"
#include "judge/history/log_stream.h"
#include "judge/library/parts.h"
#include "judge/linear/explain_text.h"
#include "judge/spec/golden.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PUBLIC __attribute__((visibility("default")))

struct heddle_history {
    pthread_mutex_t lock;
    Arena *arena;
    Values *values;
    Spec *spec;
    History *history;
    HistoryBuilder builder;
    LogJson json;
    Buffer explanation;
    Error error;
    char message[2048];
    uint32_t events; /* serves as the line of an event */
    bool read;       /* the history comes from a log: nothing can be added */
    Level level;     /* of transactions */
    GoldenCode code;
    heddle_history_function *(*find)(void *context, const char *name);
    void *context;
};

static heddle_history *new_handle(void)
{
    heddle_history *h = calloc(1, sizeof *h);
    if (!h)
        die("out of memory");
    pthread_mutex_init(&h->lock, NULL);
    h->arena = arena_new();
    h->values = values_new();
    h->json.values = h->values;
    h->level = LEVEL_STRICT_SERIALIZABLE;
    h->history = history_new(h->values);
    history_build(&h->builder, h->history, "history");
    buffer_append(&h->explanation, "", 0);
    return h;
}

PUBLIC heddle_history *heddle_history_open(const char *specification, char *message, size_t bytes)
{
    heddle_history *h = new_handle();
    h->spec = spec_builtin(h->arena, h->values, str_of(specification), &h->error);
    if (h->spec)
        return h;
    if (message && bytes)
        snprintf(message, bytes, "%s", h->error.message);
    heddle_history_close(h);
    return NULL;
}

static GoldenOp *find_code(void *context, const char *name)
{
    heddle_history *h = context;
    return (GoldenOp *)h->find(h->context, name);
}

static void refuse_code(void *context, const char *operation, const heddle_misuse *misuse)
{
    heddle_history *h = context;
    char text[512];
    golden_refusal(text, sizeof text, operation, misuse);
    error_set(&h->error, "the golden code's %s", text);
}

PUBLIC heddle_history *heddle_history_open_code(size_t state_bytes, void (*init)(void *state),
                                                heddle_history_function *(*find)(void *context,
                                                                                 const char *name),
                                                void *context)
{
    heddle_history *h = new_handle();
    h->find = find;
    h->context = context;
    h->code = (GoldenCode){.bytes = state_bytes,
                           .init = init,
                           .find = find_code,
                           .context = h,
                           .name = "golden code",
                           .refuse = refuse_code,
                           .process = true};
    h->spec = spec_golden(h->arena, h->values, &h->code);
    return h;
}

PUBLIC void heddle_history_close(heddle_history *h)
{
    if (!h)
        return;
    if (!h->read)
        history_finish(&h->builder);
    history_free(h->history);
    vec_free(&h->json.text);
    vec_free(&h->explanation);
    values_free(h->values);
    arena_free(h->arena);
    pthread_mutex_destroy(&h->lock);
    free(h);
}

/* Keeps the message of h->error; OK is what the caller found. */
static int finish(heddle_history *h, bool ok)
{
    if (!ok)
        error_text(&h->error, h->message, sizeof h->message);
    pthread_mutex_unlock(&h->lock);
    return ok ? 0 : -1;
}

static bool begin(heddle_history *h)
{
    pthread_mutex_lock(&h->lock);
    h->error = (Error){0};
    h->events++;
    return !h->read ||
           error_set(&h->error, "the history was read from a log: nothing can be added");
}

static bool parse(heddle_history *h, const char *text, Value *value)
{
    LogJson *json = &h->json;
    json->at = text ? text : "null";
    json->end = json->at + strlen(json->at);
    json->problem = "more than one JSON value";
    if (log_json_value(json, value, 0) && log_json_space(json) == LOG_END)
        return true;
    return error_set(&h->error, "%s: %.200s", json->problem, text);
}

PUBLIC int heddle_history_call(heddle_history *h, int64_t process, const char *operation,
                               const char *arguments)
{
    bool ok = begin(h);
    Value array;
    size_t count = 0;
    ok = ok && parse(h, arguments ? arguments : "[]", &array);
    const Value *items = ok ? value_items(h->values, array, &count) : NULL;
    if (ok && value_kind(h->values, array) != VALUE_IS_ARRAY)
        ok = error_set(&h->error, "arguments must be a JSON array: %.200s", arguments);
    if (ok) {
        uint32_t name = value_symbol(h->values, value_string(h->values, str_of(operation)));
        ok = history_call(&h->builder, value_int(h->values, process), name, 0, items, count,
                          h->events, &h->error);
    }
    return finish(h, ok);
}

PUBLIC int heddle_history_return(heddle_history *h, int64_t process, const char *result)
{
    Value value;
    bool ok =
        begin(h) && parse(h, result, &value) &&
        history_return(&h->builder, value_int(h->values, process), 0, value, h->events, &h->error);
    return finish(h, ok);
}

PUBLIC int heddle_history_fail(heddle_history *h, int64_t process)
{
    bool ok = begin(h) &&
              history_drop(&h->builder, value_int(h->values, process), 0, h->events, &h->error);
    return finish(h, ok);
}

PUBLIC int heddle_history_unknown(heddle_history *h, int64_t process)
{
    bool ok = begin(h) &&
              history_leave(&h->builder, value_int(h->values, process), 0, h->events, &h->error);
    return finish(h, ok);
}

PUBLIC int heddle_history_read(heddle_history *h, const char *path, const char *format)
{
    LogOptions options = {0};
    Histories read = {0};
    LogFormat detected;
    bool ok = begin(h);
    if (ok && h->history->operations.count)
        ok = error_set(&h->error, "a log can only be read into an empty history");
    if (ok && format && !log_format_from_word(format, &options.format))
        ok = error_set(&h->error, "there is no format \"%s\"", format);
    ok = ok && log_read(path, &options, h->values, &read, &detected, &h->error);
    if (ok && read.count != 1)
        ok = error_set(&h->error, "the log holds %zu histories, not one", read.count);
    if (ok) {
        history_finish(&h->builder);
        history_free(h->history);
        h->history = read.at[0];
        h->history->source = str_copy(h->arena, str_of(path));
        h->read = true;
        spec_settle(h->spec, h->history);
        read.count = 0;
    }
    histories_free(&read);
    return finish(h, ok);
}

PUBLIC int heddle_history_isolation(heddle_history *h, const char *level)
{
    pthread_mutex_lock(&h->lock);
    h->error = (Error){0};
    Level found = level_from_word(level);
    bool ok = true;
    if (!transactions_are(h->spec))
        ok = error_set(&h->error, "isolation levels are of \"transactions\", not of \"%s\"",
                       h->spec->name);
    else if (found == LEVEL_NONE)
        ok = error_set(&h->error,
                       "there is no isolation level \"%s\"; there are: "
#define X(name, word, depends, rule, below) word ", "
                       ISOLATION_LEVELS(X)
#undef X
                           "auto",
                       level);
    else
        h->level = found;
    return finish(h, ok);
}

/* The history as it is now: operations that did not happen are left out, open ones are pending. */
static History snapshot(const heddle_history *h)
{
    History now = *h->history;
    memset(&now.operations, 0, sizeof now.operations);
    memset(&now.failed, 0, sizeof now.failed);
    for (size_t i = 0; i < h->history->failed.count; i++)
        vec_push(&now.failed, h->history->failed.at[i]);
    for (size_t i = 0; i < h->history->operations.count; i++)
        if (h->read || !history_is_dropped(&h->history->operations.at[i]))
            vec_push(&now.operations, h->history->operations.at[i]);
        else
            vec_push(&now.failed, h->history->operations.at[i]);
    return now;
}

/* The anomalies of transactions, or what "auto" found. */
static enum heddle_history_answer explain_isolation(heddle_history *h, const Plan *plan,
                                                    const PlanGroup *group,
                                                    const LinearizeLimits *limits)
{
    Isolation isolation;
    isolation_judge(&isolation, plan, group, h->level, true, limits);
    Verdict verdict = isolation_verdict(&isolation, h->level);
    vec_clear(&h->explanation);
    if (verdict == VERDICT_INCONCLUSIVE)
        buffer_printf(&h->explanation, "inconclusive (%s): %s\n", h->spec->name,
                      isolation.reason ? isolation.reason : "values");
    else if (h->level != LEVEL_AUTO)
        buffer_printf(&h->explanation, "%s%s (%s)\n", verdict == VERDICT_HOLDS ? "" : "NOT ",
                      level_rules[h->level].word, h->spec->name);
    isolation_print(&isolation, h->level, &h->explanation);
    isolation_free(&isolation);
    return verdict == VERDICT_HOLDS      ? HEDDLE_HISTORY_HOLDS
           : verdict == VERDICT_VIOLATED ? HEDDLE_HISTORY_VIOLATED
                                         : HEDDLE_HISTORY_INCONCLUSIVE;
}

/* DEPENDS: on what reads of nil mean, which the log does not tell. */
static void explain(heddle_history *h, const Plan *plan, const LinearizeLimits *limits,
                    const Part *part, bool depends)
{
    Checker *checker = checker_new(h->spec, true);
    const PlanGroup *group = &plan->groups.at[part->group];
    GroupVerdict verdict = part->verdict;
    Explanation explanation = {0};
    if (verdict.by_monitor) /* its findings live in the checker that made them */
        verdict = checker_group(checker, plan, group, limits);
    checker_explain(checker, plan, group, &verdict, limits, &explanation);
    verdict.ended = explanation.ended;
    verdict.settled = explanation.settled;
    vec_clear(&h->explanation);
    buffer_printf(&h->explanation, "%sNOT linearizable (%s)\n",
                  depends ? "inconclusive: perhaps " : "", h->spec->name);
    if (depends)
        buffer_printf(&h->explanation,
                      "  only if reads of nil (%u in this log) gave what the object "
                      "holds before the first write\n",
                      (unsigned)plan->history->nil_reads);
    explain_text_violation(plan, part->group, &verdict, &explanation, &h->explanation);
    explanation_free(&explanation);
    checker_free(checker);
}

static enum heddle_history_answer judge(heddle_history *h, const Plan *plan,
                                        const LinearizeLimits *limits)
{
    const Plan *const plans[] = {plan};
    bool isolates = transactions_are(h->spec);
    PartsTask task = {.spec = h->spec,
                      .plans = plans,
                      .plan_count = 1,
                      .monitors = true,
                      .isolation = isolates ? (unsigned)h->level + 1 : 0};
    if (isolates && h->level == LEVEL_AUTO)
        return explain_isolation(h, plan, &plan->groups.at[0], limits);
    enum heddle_history_answer answer = HEDDLE_HISTORY_HOLDS;
    void *memory = calloc(1, parts_bytes(&task));
    if (!memory)
        die("out of memory");
    Parts *parts = parts_start(memory, &task);
    parts_take_turns(parts, &task, limits);
    for (size_t i = 0; i < parts->count; i++) {
        const Part *part = &parts->parts[i];
        if (atomic_load(&part->status) != PART_DONE || part->verdict.verdict == VERDICT_HOLDS)
            continue;
        if (part->verdict.verdict == VERDICT_VIOLATED) {
            answer = HEDDLE_HISTORY_VIOLATED;
            if (part->verdict.by_isolation) {
                explain_isolation(h, plan, &plan->groups.at[part->group], limits);
                break;
            }
            bool depends = plan->history->nil_reads &&
                           parts_without_nil(&task, plan, limits) != VERDICT_VIOLATED;
            explain(h, plan, limits, part, depends);
            if (depends)
                answer = HEDDLE_HISTORY_INCONCLUSIVE;
            break;
        }
        answer = HEDDLE_HISTORY_INCONCLUSIVE;
        vec_clear(&h->explanation);
        bool values = !strcmp(part->verdict.reason, "values");
        buffer_printf(&h->explanation, "inconclusive (%s): the %s %s\n", h->spec->name,
                      part->verdict.reason,
                      values ? "do not tell versions apart" : "limit was reached");
    }
    free(memory);
    return answer;
}

PUBLIC enum heddle_history_answer heddle_history_check(heddle_history *h,
                                                       const heddle_history_limits *limits)
{
    static const heddle_history_limits none;
    if (!limits)
        limits = &none;
    pthread_mutex_lock(&h->lock);
    h->error = (Error){0};
    vec_clear(&h->explanation);
    buffer_append(&h->explanation, "", 0);
    LinearizeLimits inner = {.memory = limits->memory, .stop = limits->stop};
    if (limits->seconds > 0)
        inner.deadline = clock_seconds() + limits->seconds;
    History now = snapshot(h);
    Plan plan;
    enum heddle_history_answer answer = HEDDLE_HISTORY_ERROR;
    bool ok = plan_make(&plan, &now, h->spec, true, &h->error);
    if (ok) {
        answer = judge(h, &plan, &inner);
        plan_free(&plan);
        ok = !h->error.message[0]; /* the golden code was misused */
        if (!ok)
            answer = HEDDLE_HISTORY_ERROR;
    }
    vec_free(&now.operations);
    vec_free(&now.failed);
    finish(h, ok);
    return answer;
}

PUBLIC const char *heddle_history_explain(const heddle_history *h)
{
    return h->explanation.at;
}

PUBLIC const char *heddle_history_error(const heddle_history *h)
{
    return h->message;
}

PUBLIC size_t heddle_history_count(const heddle_history *h)
{
    return h->history->operations.count;
}
