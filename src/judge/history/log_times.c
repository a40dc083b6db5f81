/* Operations with the times of their calls and returns: CSV with a line of column names, and JSON
 * objects (in an array or one after the other), as of Porcupine's operations:
 *
 *   process,call,return,op,key,value,result
 *   1,100,250,put,"""k""",7,
 *   [{"ClientId": 1, "Call": 100, "Return": 250, "Input": {"op": "put", "key": "k", "value": 7}}]
 *
 * Times are numbers of one clock, whole or decimal. At equal times calls come before returns, as in
 * Porcupine: the operations overlap, which only allows more. An operation without a return time is
 * open to the end. Nothing is assumed of processes: one whose operations overlap is several. */
#include "judge/history/log_stream.h"
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef Vec(Value) ValueVec;

/* The meaning of a column or member; names are compared without case and underscores. */
typedef enum Field {
    FIELD_PROCESS,
    FIELD_CALL,
    FIELD_RETURN,
    FIELD_OP,
    FIELD_OBJECT,
    FIELD_ARGS,
    FIELD_ARG,
    FIELD_INPUT,
    FIELD_RESULT,
    FIELD_TYPE,
    FIELD_NONE
} Field;
static const char *const field_words[FIELD_NONE] = {
    [FIELD_PROCESS] = "process|client|clientid|thread|threadid|session",
    [FIELD_CALL] = "call|start|begin|invoke|calltime|starttime|invoketime",
    [FIELD_RETURN] = "return|end|finish|complete|returntime|endtime|finishtime",
    [FIELD_OP] = "op|f|operation|name|function|method",
    [FIELD_OBJECT] = "object",
    [FIELD_ARGS] = "args|arguments",
    [FIELD_ARG] = "key|value|arg|argument|arg1|arg2|arg3|arg4",
    [FIELD_INPUT] = "input",
    [FIELD_RESULT] = "result|output|response",
    [FIELD_TYPE] = "type|status|outcome"};

typedef struct Time {
    int64_t seconds, fraction; /* fraction in 10^-18 */
} Time;
typedef struct Row {
    Value process, result;
    uint32_t name, object, line;
    uint32_t arguments, count; /* in Times.arguments */
    Time called, returned;
    bool pending, dropped;
    unsigned seen; /* fields */
} Row;
typedef struct Times {
    LogReader *reader;
    Vec(Row) rows;
    ValueVec arguments;
    LogJson json;
} Times;
typedef struct TimedEvent {
    Time time;
    uint32_t row;
    bool returns;
} TimedEvent;

static Field field_of(Str name)
{
    char plain[32];
    size_t length = 0;
    for (size_t i = 0; i < name.length; i++)
        if (name.at[i] != '_' && name.at[i] != ' ' && length < sizeof plain - 1)
            plain[length++] = (char)tolower((unsigned char)name.at[i]);
    plain[length] = 0;
    for (int field = 0; field < FIELD_NONE; field++) {
        Str rest = str_of(field_words[field]), word;
        while (str_next(&rest, '|', &word))
            if (str_is(word, plain))
                return (Field)field;
    }
    return FIELD_NONE;
}

static bool row_error(const Times *times, uint32_t line, Error *error, const char *problem)
{
    return error_at(error, times->reader->stream->path, (int)line, 0, "%s", problem);
}

/* A number as it is written. */
static bool parse_time(Str text, Time *time)
{
    text = str_trim(text);
    const char *dot = text.length ? memchr(text.at, '.', text.length) : NULL;
    Str whole = {text.at, dot ? (size_t)(dot - text.at) : text.length};
    *time = (Time){0, 0};
    if (!whole.length || whole.at[0] == '+' || !str_to_int64(whole, &time->seconds))
        return false;
    if (!dot)
        return true;
    size_t digits = text.length - whole.length - 1;
    if (!digits || digits > 18)
        return false;
    for (size_t i = 0; i < 18; i++) {
        char c = i < digits ? dot[1 + i] : '0';
        if (!isdigit((unsigned char)c))
            return false;
        time->fraction = time->fraction * 10 + (c - '0');
    }
    if (whole.at[0] == '-')
        time->fraction = -time->fraction;
    return true;
}

static int time_compare(Time a, Time b)
{
    if (a.seconds != b.seconds)
        return a.seconds < b.seconds ? -1 : 1;
    return a.fraction < b.fraction ? -1 : a.fraction > b.fraction;
}

static bool set_time(Times *times, Row *row, Field field, Str text, Error *error)
{
    if (!parse_time(text, field == FIELD_CALL ? &row->called : &row->returned))
        return row_error(times, row->line, error,
                         "a time must be a number, whole or with up to 18 decimals");
    return true;
}

static bool set_input(Times *times, Row *row, Value value, Error *error);

/* Everything but times. */
static bool set_field(Times *times, Row *row, Field field, Value value, Error *error)
{
    Values *values = times->reader->values;
    bool text = value_kind(values, value) == VALUE_IS_STRING;
    size_t count;
    switch (field) {
    case FIELD_PROCESS:
        row->process = value;
        return true;
    case FIELD_OP:
        if (!text)
            return row_error(times, row->line, error, "the operation's name must be a text");
        row->name = value_symbol(values, value);
        return true;
    case FIELD_OBJECT:
        row->object = log_object(values, value);
        return true;
    case FIELD_ARGS: {
        const Value *items = value_items(values, value, &count);
        if (value_kind(values, value) != VALUE_IS_ARRAY)
            return row_error(times, row->line, error, "the arguments must be an array");
        for (size_t i = 0; i < count; i++)
            vec_push(&times->arguments, items[i]);
        row->count += (uint32_t)count;
        return true;
    }
    case FIELD_ARG:
        vec_push(&times->arguments, value);
        row->count++;
        return true;
    case FIELD_INPUT:
        return set_input(times, row, value, error);
    case FIELD_RESULT: {
        const Value *items = value_items(values, value, &count);
        /* Porcupine's outputs are structures, of one member in its own models */
        bool wrapped = value_kind(values, value) == VALUE_IS_MAP && count == 2;
        row->result = wrapped ? items[1] : value;
        return true;
    }
    case FIELD_TYPE: {
        Str word = value_text(values, value);
        row->dropped = str_is(word, "fail");
        row->pending = str_is(word, "info") || str_is(word, "unknown");
        if (!row->dropped && !row->pending && !str_is(word, "ok"))
            return row_error(times, row->line, error,
                             "an operation is ok, fail (it did not happen) or unknown (or info)");
        return true;
    }
    default:
        return true;
    }
}

/* {"op": "put", "key": "k", "value": 1}, ["put", "k", 1], or the arguments. */
static bool set_input(Times *times, Row *row, Value value, Error *error)
{
    Values *values = times->reader->values;
    size_t count;
    const Value *items = value_items(values, value, &count);
    switch (value_kind(values, value)) {
    case VALUE_IS_MAP: /* sorted by name, so that a key stands before a value */
        for (size_t i = 0; i < count; i += 2) {
            Field field = field_of(value_text(values, items[i]));
            if (field != FIELD_OP && field != FIELD_ARG && field != FIELD_ARGS &&
                field != FIELD_OBJECT)
                return row_error(times, row->line, error,
                                 "an input has op, key, value, arg1, ..., args and object");
            if (items[i + 1].word == VALUE_NONE.word)
                continue;
            if (!set_field(times, row, field, items[i + 1], error))
                return false;
        }
        return true;
    case VALUE_IS_ARRAY:
        for (size_t i = 0; i < count; i++)
            if (!set_field(times, row, i || row->name ? FIELD_ARG : FIELD_OP, items[i], error))
                return false;
        return true;
    case VALUE_IS_NONE:
        return true;
    default:
        return set_field(times, row, FIELD_ARG, value, error);
    }
}

static Row row_start(const Times *times, uint32_t line)
{
    return (Row){.process = value_int(times->reader->values, 0),
                 .result = VALUE_NONE,
                 .line = line,
                 .arguments = (uint32_t)times->arguments.count};
}

static bool row_end(Times *times, Row *row, Error *error)
{
    if (!row->name)
        return row_error(times, row->line, error, "the operation has no name");
    if (!(row->seen >> FIELD_CALL & 1))
        return row_error(times, row->line, error, "the operation has no time of its call");
    if (!(row->seen >> FIELD_RETURN & 1))
        row->pending = true;
    if (row->seen >> FIELD_RETURN & 1 && time_compare(row->returned, row->called) < 0)
        return row_error(times, row->line, error, "the operation returns before it is called");
    if (row->count > UINT16_MAX || times->arguments.count > UINT32_MAX - 70000)
        return row_error(times, row->line, error, "too many arguments");
    size_t limit = times->reader->options.memory_limit;
    if (limit && times->rows.count % 4096 == 4095 &&
        times->rows.capacity * sizeof(Row) + values_memory(times->reader->values) > limit)
        return row_error(times, row->line, error,
                         "the history does not fit the memory limit (--memory)");
    vec_push(&times->rows, *row);
    return true;
}

static int by_time(const void *a, const void *b)
{
    const TimedEvent *x = a, *y = b;
    int order = time_compare(x->time, y->time);
    if (order || x->returns != y->returns)
        return order ? order : x->returns ? 1 : -1;
    return x->row < y->row ? -1 : x->row > y->row;
}

/* The process of a row, or a companion of it if it is busy. */
static Value free_process(HistoryBuilder *builder, Values *values, Value process)
{
    Value name = process;
    for (int64_t lane = 2; history_open_operation(builder, name); lane++) {
        Value pair[2] = {process, value_int(values, lane)};
        name = value_array(values, pair, 2);
    }
    return name;
}

/* The rows as calls and returns in the order of their times. */
static bool build(Times *times, Error *error)
{
    HistoryBuilder builder;
    log_new_history(times->reader, &builder);
    Vec(TimedEvent) events = {0};
    for (uint32_t i = 0; i < times->rows.count; i++) {
        const Row *row = &times->rows.at[i];
        vec_push(&events, (TimedEvent){row->called, i, false});
        if (!row->pending)
            vec_push(&events, (TimedEvent){row->returned, i, true});
    }
    if (events.count)
        qsort(events.at, events.count, sizeof *events.at, by_time);
    bool ok = true;
    for (size_t i = 0; i < events.count && ok; i++) {
        Row *row = &times->rows.at[events.at[i].row];
        Values *values = times->reader->values;
        if (!events.at[i].returns) {
            const Operation *busy = history_open_operation(&builder, row->process);
            if (busy && times->reader->options.one_by_one) {
                ok = error_at(error, times->reader->stream->path, (int)row->line, 0,
                              "the operation overlaps that of line %u of the same process: the "
                              "order of the process is not known",
                              busy->line);
                break;
            }
            row->process = free_process(&builder, values, row->process);
            ok = history_call(&builder, row->process, row->name, row->object,
                              vec_from(&times->arguments, row->arguments), row->count, row->line,
                              error);
            if (ok && row->pending)
                ok = history_leave(&builder, row->process, 0, row->line, error);
        } else {
            ok = row->dropped
                     ? history_drop(&builder, row->process, 0, row->line, error)
                     : history_return(&builder, row->process, 0, row->result, row->line, error);
        }
    }
    vec_free(&events);
    history_finish(&builder);
    return ok;
}

static bool finish(Times *times, bool ok, Error *error)
{
    if (ok && !times->rows.count)
        ok =
            error_at(error, times->reader->stream->path, 0, 0, "no operation was found in the log");
    ok = ok && build(times, error);
    vec_free(&times->rows);
    vec_free(&times->arguments);
    vec_free(&times->json.text);
    return ok;
}

/* Cuts a cell off a line; quotes may enclose it, two of them stand for one. False if they do not
 * end. */
static bool next_cell(Str *rest, Buffer *cell, bool *last)
{
    vec_clear(cell);
    buffer_append(cell, "", 0);
    size_t i = 0;
    bool quoted = rest->length && rest->at[0] == '"';
    for (i = quoted; i < rest->length; i++) {
        char c = rest->at[i];
        if (quoted && c == '"') {
            if (i + 1 < rest->length && rest->at[i + 1] == '"') {
                i++;
            } else {
                quoted = false;
                continue;
            }
        } else if (!quoted && c == ',') {
            break;
        }
        buffer_append(cell, &c, 1);
    }
    *last = i >= rest->length;
    size_t taken = *last ? rest->length : i + 1;
    rest->at += taken;
    rest->length -= taken;
    return !quoted;
}

/* JSON if it is, else text: CSV itself has no types. */
static Value cell_value(Times *times, Str cell)
{
    LogJson *json = &times->json;
    json->at = cell.at;
    json->end = cell.at + cell.length;
    Value value;
    if (log_json_value(json, &value, 0) && log_json_space(json) == LOG_END)
        return value;
    return value_string(times->reader->values, cell);
}

static bool take_row(Times *times, Str line, uint32_t number, const Field *fields, size_t count,
                     Error *error)
{
    Row row = row_start(times, number);
    Buffer cell = {0};
    bool ok = true, last = false;
    size_t column = 0;
    for (; ok && !last; column++) {
        if (!next_cell(&line, &cell, &last))
            ok = row_error(times, number, error, "a quoted cell does not end on its line");
        if (ok && column >= count)
            ok = row_error(times, number, error, "the row has more cells than there are columns");
        Str text = str_trim(buffer_str(&cell));
        if (!ok || !text.length)
            continue;
        Field field = fields[column];
        row.seen |= 1u << field;
        if (field == FIELD_CALL || field == FIELD_RETURN)
            ok = set_time(times, &row, field, text, error);
        else if (field == FIELD_OP || field == FIELD_TYPE)
            ok = set_field(times, &row, field, value_string(times->reader->values, text), error);
        else if (field != FIELD_NONE)
            ok = set_field(times, &row, field, cell_value(times, text), error);
    }
    if (ok && column < count)
        ok = row_error(times, number, error, "the row has fewer cells than there are columns");
    vec_free(&cell);
    return ok && row_end(times, &row, error);
}

/* The names of the columns; false if they can't be those of operations. */
static bool read_columns(Str line, Field *fields, size_t most, size_t *count)
{
    Buffer cell = {0};
    unsigned seen = 0;
    bool last = false, ok = true;
    for (*count = 0; ok && !last && *count < most; (*count)++) {
        ok = next_cell(&line, &cell, &last);
        Field field = field_of(str_trim(buffer_str(&cell)));
        ok = ok && (field == FIELD_NONE || field == FIELD_ARG || !(seen >> field & 1));
        fields[*count] = field;
        seen |= 1u << field;
    }
    vec_free(&cell);
    return ok && last && seen >> FIELD_CALL & 1 && seen >> FIELD_RETURN & 1 && seen >> FIELD_OP & 1;
}

#define MOST_COLUMNS 64u

bool log_is_csv(const LogSample *sample)
{
    Field fields[MOST_COLUMNS];
    size_t count;
    return sample->line.length && sample->line.at[0] != '{' && sample->line.at[0] != '[' &&
           read_columns(sample->line, fields, MOST_COLUMNS, &count);
}

bool log_read_csv(LogReader *reader, Error *error)
{
    Times times = {.reader = reader, .json.values = reader->values};
    Field fields[MOST_COLUMNS];
    size_t count = 0;
    Str line;
    uint32_t number;
    bool ok = true;
    while (ok && log_next_line(reader->stream, &line, &number, error)) {
        line = str_trim(line);
        if (!line.length || line.at[0] == '#')
            continue;
        if (count)
            ok = take_row(&times, line, number, fields, count, error);
        else if (!read_columns(line, fields, MOST_COLUMNS, &count))
            ok = row_error(&times, number, error,
                           "the first line must name the columns: call, return and op once each, "
                           "and process, key, value, arg1, ..., result, object, status");
    }
    ok = ok && log_stream_check(reader->stream, error);
    return finish(&times, ok, error);
}

/* Line numbers inside a text that is scanned from the front. */
typedef struct Lines {
    const char *at;
    uint32_t line;
} Lines;
static uint32_t line_of(Lines *lines, const char *to)
{
    for (; lines->at < to; lines->at++)
        lines->line += *lines->at == '\n';
    return lines->line;
}

/* The text of a number, as it stands. */
static bool number_text(LogJson *json, Str *text)
{
    log_json_space(json);
    const char *start = json->at;
    Value value;
    if (!log_json_value(json, &value, 0))
        return false;
    *text = (Str){start, (size_t)(json->at - start)};
    if (text->length > 1 && start[0] == '"') /* some writers quote large numbers */
        *text = (Str){start + 1, text->length - 2};
    return true;
}

static bool take_object(Times *times, uint32_t line, Error *error)
{
    LogJson *json = &times->json;
    Row row = row_start(times, line);
    bool ok = log_json_expect(json, '{'), filled = true;
    if (ok && log_json_space(json) == '}')
        return log_json_bad(json, "an operation without members");
    while (ok && filled) {
        Str name, text;
        Value value;
        ok = log_json_string(json, &name);
        Field field = ok ? field_of(name) : FIELD_NONE;
        ok = ok && log_json_expect(json, ':');
        if (ok && field != FIELD_NONE && field != FIELD_ARG && row.seen >> field & 1)
            return log_json_bad(json, "an operation in which a member occurs twice");
        if (ok && (field == FIELD_CALL || field == FIELD_RETURN)) {
            ok = number_text(json, &text);
            if (ok && !str_is(text, "null")) {
                row.seen |= 1u << field;
                filled = set_time(times, &row, field, text, error);
            }
        } else if (ok && (ok = log_json_value(json, &value, 0))) {
            row.seen |= 1u << field;
            if (field != FIELD_NONE)
                filled = set_field(times, &row, field, value, error);
        }
        if (!ok || log_json_space(json) != ',')
            break;
        json->at++;
    }
    ok = ok && (!filled || log_json_expect(json, '}'));
    return ok && filled && row_end(times, &row, error);
}

/* The first object names a call and a return, or what was called: it may still be open. Events of
 * other formats have the word as the value of their type. */
bool log_is_operations(const LogSample *sample)
{
    Str text = str_trim(sample->text);
    if (text.length && text.at[0] == '[')
        text = str_trim((Str){text.at + 1, text.length - 1});
    if (!text.length || text.at[0] != '{')
        return false;
    LogJson json = {.at = text.at, .end = text.at + text.length, .values = sample->values};
    Value object;
    size_t count = 0;
    bool ok = log_json_value(&json, &object, 0), call = false, returns = false;
    const Value *items = ok ? value_items(sample->values, object, &count) : NULL;
    for (size_t i = 0; i < count; i += 2) {
        Field field = field_of(value_text(sample->values, items[i]));
        call = call || field == FIELD_CALL;
        returns = returns || field == FIELD_RETURN || field == FIELD_TYPE || field == FIELD_OP ||
                  field == FIELD_INPUT;
    }
    vec_free(&json.text);
    return call && returns;
}

bool log_read_operations(LogReader *reader, Error *error)
{
    Times times = {.reader = reader, .json.values = reader->values};
    Buffer all = {0};
    bool ok = true;
    for (int c; ok && (c = log_take(reader->stream)) != LOG_END;) {
        char byte = (char)c;
        buffer_append(&all, &byte, 1);
        if (reader->options.memory_limit && all.count > reader->options.memory_limit)
            ok = row_error(&times, reader->stream->line, error,
                           "the log does not fit the memory limit (--memory)");
    }
    ok = ok && log_stream_check(reader->stream, error);
    LogJson *json = &times.json;
    Lines lines = {all.at, 1};
    json->at = all.at;
    json->end = all.at + all.count;
    bool inside = ok && log_json_space(json) == '[', comma = false, closed = !inside;
    if (inside)
        json->at++;
    while (ok) {
        int c = log_json_space(json);
        if (c == LOG_END)
            break;
        uint32_t line = line_of(&lines, json->at);
        *error = (Error){0};
        if (inside && c == ']' && !closed) {
            json->at++;
            closed = true;
        } else if (c == ',' && comma) {
            json->at++;
            comma = false;
        } else if (c == '{' && !(inside && closed)) {
            ok = take_object(&times, line, error);
            comma = true;
            if (!ok && !error->message[0])
                row_error(&times, line_of(&lines, json->at), error, json->problem);
        } else {
            ok = row_error(&times, line, error, "an operation, {...}, is expected here");
        }
    }
    if (ok && !closed)
        ok = row_error(&times, line_of(&lines, json->at), error,
                       "the file ends inside the list of operations: is it truncated?");
    ok = finish(&times, ok, error);
    vec_free(&all);
    return ok;
}
