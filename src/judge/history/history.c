#include "judge/history/history.h"
#include <stdlib.h>

#define DROPPED (UINT32_MAX - 1) /* `returned` of an operation that leaves the history */

History *history_new(Values *values)
{
    History *history = calloc(1, sizeof *history);
    if (!history)
        die("out of memory");
    history->values = values;
    history->number = 1;
    return history;
}

void history_free(History *history)
{
    if (!history)
        return;
    vec_free(&history->operations);
    vec_free(&history->arguments);
    vec_free(&history->processes);
    vec_free(&history->notes);
    vec_free(&history->failed);
    free(history->before);
    free(history);
}

size_t history_memory(const History *history)
{
    return history->operations.capacity * sizeof(Operation) +
           (history->arguments.capacity + history->processes.capacity) * sizeof(Value) +
           history->notes.capacity * sizeof(HistoryNote) +
           history->failed.capacity * sizeof(Operation);
}

void history_forget_time(History *history)
{
    size_t count = history->operations.count, words = history_row_words(count);
    uint64_t *rows = calloc(count * words + 1, sizeof *rows);
    if (!rows)
        die("out of memory");
    const Operation *ops = history->operations.at;
    for (size_t y = 0; y < count; y++)
        for (size_t x = 0; x < y; x++)
            if (ops[x].process == ops[y].process && ops[x].returned != HISTORY_PENDING &&
                ops[x].returned < ops[y].called)
                rows[y * words + x / 64] |= (uint64_t)1 << (x % 64);
    free(history->before);
    history->before = rows;
}

static bool may_fail(const History *history, const Operation *op, const HistoryFailure *rules,
                     size_t count, const HashMap *gives)
{
    const Values *values = history->values;
    const uint64_t *known = hashmap_find(gives, op->name);
    uint64_t bits = known ? *known : 0;
    bool nothing = bits & HISTORY_GIVES_NOTHING || !bits, found = false;
    bool value = bits & HISTORY_GIVES_VALUE && !(bits & HISTORY_GIVES_NOTHING);
    bool empty = value_means_empty(values, op->result);
    bool no = value_means_false(values, op->result) &&
              (!value || value_kind(values, op->result) != VALUE_IS_INT);
    if (op->returned == HISTORY_PENDING || (empty && nothing))
        return false;
    for (size_t i = 0; i < count && !found; i++) {
        Value result = rules[i].result;
        found = (!rules[i].name || rules[i].name == op->name) &&
                (value_equal(op->result, result) || (empty && value_means_empty(values, result)) ||
                 (no && value_means_false(values, result)));
    }
    return found;
}

size_t history_let_fail(History *history, const HistoryFailure *rules, size_t count,
                        const HashMap *gives)
{
    size_t n = history->operations.count, kept = 0;
    HashMap last = {0}; /* object -> the latest return so far + 1 */
    HashMap next = {0}; /* object -> the call of the next operation + 1 */
    unsigned char *overlaps = calloc(n + 1, 1);
    Operation *ops = history->operations.at;
    if (!overlaps)
        die("out of memory");
    for (size_t i = 0; i < n; i++) { /* in the order of their calls */
        uint64_t *latest = hashmap_put(&last, ops[i].object, NULL);
        overlaps[i] = *latest > ops[i].called;
        *latest = MAX(*latest, (uint64_t)ops[i].returned + 1);
    }
    for (size_t i = n; i-- > 0;) {
        uint64_t *call = hashmap_put(&next, ops[i].object, NULL);
        overlaps[i] |= *call && *call - 1 < ops[i].returned;
        *call = (uint64_t)ops[i].called + 1;
    }
    for (size_t i = 0; i < n; i++) {
        if (!overlaps[i] || !may_fail(history, &ops[i], rules, count, gives)) {
            ops[kept++] = ops[i];
            continue;
        }
        Buffer text = {0};
        history_print_operation(history, &ops[i], &text);
        HistoryNote note = {ops[i].called, ops[i].returned, ops[i].line, true,
                            value_string(history->values, buffer_str(&text))};
        vec_push(&history->notes, note);
        vec_free(&text);
    }
    history->operations.count = kept;
    hashmap_free(&last);
    hashmap_free(&next);
    free(overlaps);
    return n - kept;
}

bool history_precedes(const History *history, size_t x, size_t y)
{
    if (history->before) {
        size_t words = history_row_words(history->operations.count);
        return history->before[y * words + x / 64] >> (x % 64) & 1;
    }
    return history->operations.at[x].returned != HISTORY_PENDING &&
           history->operations.at[x].returned < history->operations.at[y].called;
}

/* `put("k", 1)` */
static void history_print_call(const History *history, const Operation *operation, Buffer *out)
{
    Str name = value_text(history->values, value_of_symbol(operation->name));
    if (operation->object) {
        Str object = value_text(history->values, value_of_symbol(operation->object));
        buffer_printf(out, "%.*s.", STR_ARG(object));
    }
    buffer_printf(out, "%.*s(", STR_ARG(name));
    for (size_t i = 0; i < operation->count; i++) {
        if (i)
            buffer_append(out, ", ", 2);
        value_print(history->values, history->arguments.at[operation->arguments + i], out);
    }
    buffer_append(out, ")", 1);
}

void history_print_operation(const History *history, const Operation *operation, Buffer *out)
{
    history_print_call(history, operation, out);
    if (operation->returned == HISTORY_PENDING)
        buffer_append(out, " -> ?", 5);
    else if (operation->result.word != VALUE_NONE.word &&
             value_kind(history->values, operation->result) != VALUE_IS_ECHO) {
        buffer_append(out, " -> ", 4);
        value_print(history->values, operation->result, out);
    }
}

void history_build(HistoryBuilder *builder, History *history, const char *file)
{
    *builder = (HistoryBuilder){.history = history, .file = file};
    history->source = file;
}

static bool fail_at(const HistoryBuilder *builder, uint32_t line, Error *error, const char *problem,
                    Value process)
{
    Buffer name = {0};
    value_print(builder->history->values, process, &name);
    error_at(error, builder->file, (int)line, 0, "%s process %.*s", problem,
             STR_ARG(buffer_str(&name)));
    vec_free(&name);
    return false;
}

static uint32_t process_of(HistoryBuilder *builder, Value process)
{
    bool absent;
    uint64_t *index = hashmap_put(&builder->process_index, process.word, &absent);
    if (absent) {
        *index = builder->history->processes.count;
        vec_push(&builder->history->processes, process);
        vec_push(&builder->open, 0);
    }
    return (uint32_t)*index;
}

bool history_call(HistoryBuilder *builder, Value process, uint32_t name, uint32_t object,
                  const Value *arguments, size_t count, uint32_t line, Error *error)
{
    History *history = builder->history;
    uint32_t index = process_of(builder, process);
    if (builder->open.at[index]) {
        Error detail = {0};
        fail_at(builder, line, &detail, "a second call is open on", process);
        return error_at(error, builder->file, (int)line, 0, "%s (the first is on line %u)",
                        detail.message,
                        (unsigned)history->operations.at[builder->open.at[index] - 1].line);
    }
    if (count > UINT16_MAX)
        return error_at(error, builder->file, (int)line, 0, "too many arguments");
    if (history->positions >= UINT32_MAX - 4 || history->arguments.count > UINT32_MAX - 70000)
        return error_at(error, builder->file, (int)line, 0, "more events than can be counted");
    if (builder->memory_limit && history->operations.count % 4096 == 4095 &&
        history_memory(history) + values_memory(history->values) > builder->memory_limit)
        return error_at(error, builder->file, (int)line, 0,
                        "the history does not fit the memory limit (--memory) after %zu operations",
                        history->operations.count);
    Operation operation = {.process = index,
                           .name = name,
                           .object = object,
                           .arguments = (uint32_t)history->arguments.count,
                           .count = (uint16_t)count,
                           .line = line,
                           .called = history->positions++,
                           .returned = HISTORY_PENDING,
                           .result = VALUE_UNKNOWN};
    for (size_t i = 0; i < count; i++)
        vec_push(&history->arguments, arguments[i]);
    vec_push(&history->operations, operation);
    builder->open.at[index] = (uint32_t)history->operations.count;
    return true;
}

Operation *history_open_operation(HistoryBuilder *builder, Value process)
{
    uint64_t *index = hashmap_find(&builder->process_index, process.word);
    if (!index || !builder->open.at[*index])
        return NULL;
    return &builder->history->operations.at[builder->open.at[*index] - 1];
}

static bool close_open(HistoryBuilder *builder, Value process, uint32_t name, uint32_t line,
                       Operation **operation, Error *error)
{
    *operation = history_open_operation(builder, process);
    if (!*operation)
        return fail_at(builder, line, error, "a return without a call on", process);
    if (name && (*operation)->name != name) {
        Values *values = builder->history->values;
        return error_at(error, builder->file, (int)line, 0,
                        "a return of \"%.*s\", but the open call is \"%.*s\" (line %u)",
                        STR_ARG(value_text(values, value_of_symbol(name))),
                        STR_ARG(value_text(values, value_of_symbol((*operation)->name))),
                        (unsigned)(*operation)->line);
    }
    builder->open.at[(*operation)->process] = 0;
    return true;
}

bool history_return(HistoryBuilder *builder, Value process, uint32_t name, Value result,
                    uint32_t line, Error *error)
{
    Operation *operation;
    if (!close_open(builder, process, name, line, &operation, error))
        return false;
    operation->returned = builder->history->positions++;
    operation->result = result;
    return true;
}

bool history_drop(HistoryBuilder *builder, Value process, uint32_t name, uint32_t line,
                  Error *error)
{
    Operation *operation;
    if (!close_open(builder, process, name, line, &operation, error))
        return false;
    Buffer text = {0};
    history_print_call(builder->history, operation, &text);
    HistoryNote note = {.from = operation->called,
                        .to = builder->history->positions,
                        .line = operation->line,
                        .failed = true,
                        .text = value_string(builder->history->values, buffer_str(&text))};
    vec_free(&text);
    operation->returned = DROPPED;
    builder->dropped++;
    history_note(builder, note);
    return true;
}

void history_note(HistoryBuilder *builder, HistoryNote note)
{
    vec_push(&builder->history->notes, note);
}

bool history_leave(HistoryBuilder *builder, Value process, uint32_t name, uint32_t line,
                   Error *error)
{
    Operation *operation;
    return close_open(builder, process, name, line, &operation, error);
}

bool history_is_dropped(const Operation *operation)
{
    return operation->returned == DROPPED;
}

void history_finish(HistoryBuilder *builder)
{
    History *history = builder->history;
    if (builder->dropped) {
        size_t kept = 0;
        for (size_t i = 0; i < history->operations.count; i++)
            if (history->operations.at[i].returned != DROPPED)
                history->operations.at[kept++] = history->operations.at[i];
            else
                vec_push(&history->failed, history->operations.at[i]);
        history->operations.count = kept;
    }
    hashmap_free(&builder->process_index);
    vec_free(&builder->open);
}
