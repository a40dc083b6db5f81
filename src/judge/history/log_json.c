/* JSON lines of our own (heddle-history(1), include/heddle_log.h), one event a line:
 *   {"seq":0,"process":1,"type":"call","op":"put","args":["k",7],"object":"m"}
 *   {"seq":3,"process":1,"type":"return","result":null}
 * `type` is call, return, fail (it did not happen) or unknown (it stays open). Jepsen's events in
 * JSON are read by its conventions: {"process":0,"type":"invoke","f":"write","value":1}. `seq` is
 * the place in the order of events, from one atomic counter; lines may stand in the file a little
 * out of order. Without `seq` the order of the lines counts. A parser of its own, because a line
 * takes 0.3 us here and several in a library that builds trees; logs have millions of them. */
#include "judge/history/log_stream.h"
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef Vec(Value) ValueVec;

int log_json_space(LogJson *json)
{
    while (json->at < json->end && strchr(" \t\r\n", *json->at) && *json->at)
        json->at++;
    return json->at < json->end ? (unsigned char)*json->at : LOG_END;
}

bool log_json_bad(LogJson *json, const char *problem)
{
    json->problem = problem;
    return false;
}

bool log_json_expect(LogJson *json, char c)
{
    if (log_json_space(json) != (unsigned char)c)
        return log_json_bad(json, "not a complete JSON object: is the line truncated?");
    json->at++;
    return true;
}

static bool hex4(LogJson *json, unsigned *code)
{
    *code = 0;
    for (int i = 0; i < 4; i++, json->at++) {
        if (json->at >= json->end)
            return log_json_bad(json, "a string does not end");
        char c = *json->at;
        unsigned digit = c >= '0' && c <= '9'   ? (unsigned)(c - '0')
                         : c >= 'a' && c <= 'f' ? (unsigned)(c - 'a') + 10
                         : c >= 'A' && c <= 'F' ? (unsigned)(c - 'A') + 10
                                                : 99;
        if (digit == 99)
            return log_json_bad(json, "\\u wants four hexadecimal digits");
        *code = *code * 16 + digit;
    }
    return true;
}

void log_put_utf8(Buffer *text, unsigned code)
{
    char bytes[4];
    size_t count = 0;
    if (code < 0x80) {
        bytes[count++] = (char)code;
    } else if (code < 0x800) {
        bytes[count++] = (char)(0xC0 | code >> 6);
        bytes[count++] = (char)(0x80 | (code & 63));
    } else if (code < 0x10000) {
        bytes[count++] = (char)(0xE0 | code >> 12);
        bytes[count++] = (char)(0x80 | (code >> 6 & 63));
        bytes[count++] = (char)(0x80 | (code & 63));
    } else {
        bytes[count++] = (char)(0xF0 | code >> 18);
        bytes[count++] = (char)(0x80 | (code >> 12 & 63));
        bytes[count++] = (char)(0x80 | (code >> 6 & 63));
        bytes[count++] = (char)(0x80 | (code & 63));
    }
    buffer_append(text, bytes, count);
}

static bool read_escape(LogJson *json)
{
    static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
    if (json->at >= json->end)
        return log_json_bad(json, "a string does not end");
    char c = *json->at++;
    if (c == 'u') {
        unsigned code, low;
        if (!hex4(json, &code))
            return false;
        if (code >= 0xD800 && code < 0xDC00 && json->end - json->at >= 6 && json->at[0] == '\\' &&
            json->at[1] == 'u') {
            json->at += 2;
            if (!hex4(json, &low))
                return false;
            if (low < 0xDC00 || low > 0xDFFF)
                return log_json_bad(json, "half of a surrogate pair in a string");
            code = 0x10000 + ((code - 0xD800) << 10) + ((low - 0xDC00) & 0x3FF);
        }
        log_put_utf8(&json->text, code);
        return true;
    }
    const char *known = c ? strchr(from, c) : NULL;
    if (!known)
        return log_json_bad(json, "an unknown escape in a string");
    buffer_append(&json->text, &to[known - from], 1);
    return true;
}

/* The text of a string: a view of the line, or of json->text if it has escapes. */
bool log_json_string(LogJson *json, Str *text)
{
    if (!log_json_expect(json, '"'))
        return false;
    const char *start = json->at;
    while (json->at < json->end && *json->at != '"' && *json->at != '\\')
        json->at++;
    if (json->at < json->end && *json->at == '"') {
        *text = (Str){start, (size_t)(json->at++ - start)};
        return true;
    }
    vec_clear(&json->text);
    buffer_append(&json->text, start, (size_t)(json->at - start));
    while (json->at < json->end) {
        char c = *json->at++;
        if (c == '"') {
            *text = buffer_str(&json->text);
            return true;
        }
        if (c != '\\')
            buffer_append(&json->text, &c, 1);
        else if (!read_escape(json))
            return false;
    }
    return log_json_bad(json, "a string does not end: is the line truncated?");
}

/* The values of an array, or with PAIRS the keys and values of an object. */
static bool read_items(LogJson *json, char close, bool pairs, ValueVec *items, int depth)
{
    json->at++;
    if (log_json_space(json) == (unsigned char)close) {
        json->at++;
        return true;
    }
    for (;;) {
        Value item;
        if (pairs) {
            Str name;
            if (!log_json_string(json, &name))
                return false;
            vec_push(items, value_string(json->values, name));
            if (!log_json_expect(json, ':'))
                return false;
        }
        if (!log_json_value(json, &item, depth + 1))
            return false;
        vec_push(items, item);
        int c = log_json_space(json);
        if (c == ',') {
            json->at++;
            continue;
        }
        return log_json_expect(json, close);
    }
}

static bool word_is(LogJson *json, const char *word)
{
    size_t length = strlen(word);
    if ((size_t)(json->end - json->at) < length || memcmp(json->at, word, length))
        return false;
    json->at += length;
    return true;
}

/* JSON has one kind of number: 1, 1.0 and 1e0 are equal. Integers of any size are exact; other
 * numbers are as exact as doubles. */
static bool read_number(LogJson *json, Value *value)
{
    const char *start = json->at;
    while (json->at < json->end && *json->at && strchr("+-.0123456789eE", *json->at))
        json->at++;
    Str word = {start, (size_t)(json->at - start)};
    int64_t number;
    size_t sign = word.length && word.at[0] == '-', digits = sign;
    while (digits < word.length && word.at[digits] >= '0' && word.at[digits] <= '9')
        digits++;
    if (digits == sign || (digits > sign + 1 && word.at[sign] == '0'))
        return log_json_bad(json, "not a JSON value");
    if (digits == word.length) {
        *value = str_to_int64(word, &number) ? value_int(json->values, number)
                                             : value_word(json->values, word);
        return true;
    }
    char text[64], *end;
    if (word.length >= sizeof text)
        return log_json_bad(json,
                            "a number of more than 63 characters with a fraction or exponent");
    memcpy(text, word.at, word.length);
    text[word.length] = 0;
    double real = strtod(text, &end);
    if (*end || !isdigit((unsigned char)word.at[word.length - 1]) || text[digits + 1] == 0)
        return log_json_bad(json, "not a JSON value");
    if (real == floor(real) && fabs(real) < 9007199254740992.0) {
        *value = value_int(json->values, (int64_t)real);
        return true;
    }
    snprintf(text, sizeof text, "%.17g", real);
    *value = value_word(json->values, str_of(text));
    return true;
}

bool log_json_value(LogJson *json, Value *value, int depth)
{
    if (depth > LOG_DEEPEST)
        return log_json_bad(json, "values are nested too deeply");
    int c = log_json_space(json);
    if (c == '"') {
        Str text;
        if (!log_json_string(json, &text))
            return false;
        *value = value_string(json->values, text);
        return true;
    }
    if (c == '[' || c == '{') {
        ValueVec items = {0};
        bool ok = read_items(json, c == '[' ? ']' : '}', c == '{', &items, depth);
        if (ok && c == '[')
            *value = value_array(json->values, items.at, items.count);
        else if (ok && !value_map(json->values, items.at, items.count, value))
            ok = log_json_bad(json, "an object in which a name occurs twice");
        vec_free(&items);
        return ok;
    }
    if (word_is(json, "null")) {
        *value = VALUE_NONE;
        return true;
    }
    if (word_is(json, "true") || word_is(json, "false")) {
        *value = value_bool(json->at[-2] == 'u');
        return true;
    }
    return read_number(json, value);
}

typedef enum EventType { EVENT_CALL, EVENT_RETURN, EVENT_FAIL, EVENT_UNKNOWN } EventType;
typedef struct JsonEvent {
    int64_t seq;
    Value process, result;
    EventType type;
    uint32_t name, object, line;
    uint32_t arguments, count; /* in LogJsonEvents.arguments */
    bool jepsen;               /* "f" and "value", by Jepsen's conventions */
} JsonEvent;

struct LogJsonEvents {
    LogReader *reader;
    LogJepsen jepsen; /* its builder makes the history */
    LogJson json;
    ValueVec items;
    Vec(JsonEvent) heap; /* events that came before their turn; the least seq on top */
    ValueVec arguments;  /* of those events */
    int64_t next_seq;
    bool any, has_seq;
};

/* Fields of an event; those of Jepsen's JSON stand beside ours. */
enum {
    FIELD_SEQ,
    FIELD_PROCESS,
    FIELD_OP,
    FIELD_F,
    FIELD_OBJECT,
    FIELD_RESULT,
    FIELD_VALUE,
    FIELD_ARGS,
    FIELD_TYPE,
    FIELD_COUNT
};
static const char *const field_names[FIELD_COUNT] = {"seq",    "process", "op",   "f",   "object",
                                                     "result", "value",   "args", "type"};

static bool parse_type(LogJson *json, Value value, JsonEvent *event)
{
    static const char *const types[] = {"call",   "return", "fail", "unknown",
                                        "invoke", "ok",     "fail", "info"};
    Str type = value_text(json->values, value);
    for (size_t i = 0; i < COUNT_OF(types); i++)
        if (str_is(type, types[i])) {
            event->type = (EventType)(i % 4);
            return true;
        }
    return log_json_bad(
        json, "\"type\" must be call (or invoke), return (or ok), fail or unknown (or info)");
}

static bool parse_field(LogJsonEvents *log, int field, JsonEvent *event)
{
    LogJson *json = &log->json;
    Value value;
    if (field == FIELD_ARGS) {
        if (log_json_space(json) != '[')
            return log_json_bad(json, "\"args\" must be an array");
        return read_items(json, ']', false, &log->items, 0);
    }
    if (!log_json_value(json, &value, 0))
        return false;
    bool text = value_kind(json->values, value) == VALUE_IS_STRING;
    switch (field) {
    case FIELD_SEQ:
        if (value_kind(json->values, value) != VALUE_IS_INT ||
            !value_to_int(json->values, value, &event->seq))
            return log_json_bad(json, "\"seq\" must be an integer");
        break;
    case FIELD_PROCESS:
        event->process = value;
        break;
    case FIELD_OP:
    case FIELD_F:
        if (!text)
            return log_json_bad(json, "the operation's name must be a string");
        event->name = value_symbol(json->values, value);
        event->jepsen = event->jepsen || field == FIELD_F;
        break;
    case FIELD_OBJECT:
        event->object = log_object(json->values, value);
        break;
    case FIELD_VALUE:
        event->jepsen = true;
        event->result = value;
        break;
    case FIELD_RESULT:
        event->result = value;
        break;
    case FIELD_TYPE:
        return parse_type(json, value, event);
    default:
        break; /* somebody else's: time stamps, errors */
    }
    return true;
}

/* Are the fields those of an event? */
static bool complete(LogJson *json, const JsonEvent *event, unsigned seen)
{
    if (!(seen >> FIELD_PROCESS & 1))
        return log_json_bad(json, "an event without \"process\"");
    if (event->jepsen && log_jepsen_is_nemesis(json->values, event->process))
        return true;
    if (!(seen >> FIELD_TYPE & 1))
        return log_json_bad(json, "an event without \"type\"");
    if (event->jepsen && seen & (1u << FIELD_ARGS | 1u << FIELD_RESULT | 1u << FIELD_OP))
        return log_json_bad(json,
                            "an event has \"f\" and \"value\", or \"op\", \"args\" and \"result\"");
    if (event->jepsen && event->object)
        return log_json_bad(json, "\"object\" goes with \"op\"; here keys are in \"value\"");
    if ((event->type == EVENT_CALL || event->jepsen) && !event->name)
        return log_json_bad(json,
                            event->jepsen ? "an event without \"f\"" : "a call without \"op\"");
    return true;
}

static bool parse_event(LogJsonEvents *log, Str line, JsonEvent *event, bool *has_seq)
{
    LogJson *json = &log->json;
    json->at = line.at;
    json->end = line.at + line.length;
    *event = (JsonEvent){.process = VALUE_UNKNOWN, .result = VALUE_NONE};
    unsigned seen = 0;
    vec_clear(&log->items);
    if (!log_json_expect(json, '{'))
        return false;
    if (log_json_space(json) == '}')
        return log_json_bad(json, "an event without \"process\" and \"type\"");
    do {
        Str key;
        if (!log_json_string(json, &key))
            return false;
        int field = 0;
        while (field < FIELD_COUNT && !str_is(key, field_names[field]))
            field++;
        if (field < FIELD_COUNT && seen >> field & 1)
            return log_json_bad(json, "an event in which a name occurs twice");
        seen |= 1u << field;
        if (!log_json_expect(json, ':') || !parse_field(log, field, event))
            return false;
    } while (log_json_space(json) == ',' && json->at++);
    if (!log_json_expect(json, '}'))
        return false;
    if (log_json_space(json) != LOG_END)
        return log_json_bad(json, "more than one object on the line");
    *has_seq = seen >> FIELD_SEQ & 1;
    return complete(json, event, seen);
}

static bool apply_jepsen(LogJsonEvents *log, const JsonEvent *event, Error *error)
{
    static const char *const types[] = {"invoke", "ok", "fail", "info"};
    Values *values = log->reader->values;
    Value name = value_of_symbol(event->name);
    if (log_jepsen_is_nemesis(values, event->process)) {
        log_jepsen_note(&log->jepsen, name, event->result, event->line);
        return true;
    }
    return log_jepsen_event(&log->jepsen, event->process, str_of(types[event->type]),
                            value_text(values, name), VALUE_UNKNOWN, event->result, event->line,
                            error);
}

static bool apply(LogJsonEvents *log, const JsonEvent *event, const Value *arguments, Error *error)
{
    HistoryBuilder *builder = &log->jepsen.builder;
    if (event->jepsen)
        return apply_jepsen(log, event, error);
    switch (event->type) {
    case EVENT_CALL:
        return history_call(builder, event->process, event->name, event->object, arguments,
                            event->count, event->line, error);
    case EVENT_RETURN:
        return history_return(builder, event->process, event->name, event->result, event->line,
                              error);
    case EVENT_FAIL:
        return history_drop(builder, event->process, event->name, event->line, error);
    default:
        return history_leave(builder, event->process, event->name, event->line, error);
    }
}

static void heap_push(LogJsonEvents *log, const JsonEvent *event)
{
    vec_push(&log->heap, *event);
    size_t i = log->heap.count - 1;
    for (; i && log->heap.at[(i - 1) / 2].seq > event->seq; i = (i - 1) / 2)
        log->heap.at[i] = log->heap.at[(i - 1) / 2];
    log->heap.at[i] = *event;
}

static JsonEvent heap_pop(LogJsonEvents *log)
{
    JsonEvent top = log->heap.at[0], last = vec_pop(&log->heap);
    size_t i = 0, count = log->heap.count;
    for (;;) {
        size_t child = i * 2 + 1;
        if (child >= count)
            break;
        if (child + 1 < count && log->heap.at[child + 1].seq < log->heap.at[child].seq)
            child++;
        if (log->heap.at[child].seq >= last.seq)
            break;
        log->heap.at[i] = log->heap.at[child];
        i = child;
    }
    if (count)
        log->heap.at[i] = last;
    return top;
}

/* Applies waiting events: those whose turn it is, or all. */
static bool drain(LogJsonEvents *log, bool all, Error *error)
{
    while (log->heap.count && (all || log->heap.at[0].seq <= log->next_seq)) {
        JsonEvent event = heap_pop(log);
        if (event.seq < log->next_seq)
            return error_at(error, log->jepsen.builder.file, (int)event.line, 0,
                            "the \"seq\" %lld occurs twice", (long long)event.seq);
        log->next_seq = event.seq + 1;
        if (!apply(log, &event, vec_from(&log->arguments, event.arguments), error))
            return false;
    }
    if (!log->heap.count)
        vec_clear(&log->arguments);
    return true;
}

bool log_json_event(LogJsonEvents *log, Str line, uint32_t number, Error *error)
{
    JsonEvent event;
    bool has_seq;
    const char *path = log->jepsen.builder.file;
    if (!parse_event(log, line, &event, &has_seq))
        return error_at(error, path, (int)number, (int)(log->json.at - line.at) + 1, "%s",
                        log->json.problem);
    if (log->any && has_seq != log->has_seq)
        return error_at(error, path, (int)number, 0,
                        "mixed clocks: some events have a \"seq\" and others have none");
    if (has_seq && (event.seq < 0 || event.seq == INT64_MAX))
        return error_at(error, path, (int)number, 0, "\"seq\" is out of range");
    log->any = true;
    log->has_seq = has_seq;
    event.line = number;
    event.count = (uint32_t)log->items.count;
    if (!has_seq)
        return apply(log, &event, log->items.at, error);
    if (event.seq == log->next_seq && !log->heap.count) {
        log->next_seq++;
        return apply(log, &event, log->items.at, error);
    }
    size_t limit = log->jepsen.builder.memory_limit;
    if (limit && log->heap.count % 4096 == 4095 &&
        log->heap.capacity * sizeof(JsonEvent) + log->arguments.capacity * sizeof(Value) +
                values_memory(log->reader->values) >
            limit)
        return error_at(error, path, (int)number, 0,
                        "the events are so far out of order that sorting them does not fit the "
                        "memory limit (--memory)");
    event.arguments = (uint32_t)log->arguments.count;
    for (size_t i = 0; i < log->items.count; i++)
        vec_push(&log->arguments, log->items.at[i]);
    heap_push(log, &event);
    return drain(log, false, error);
}

bool log_is_json(const LogSample *sample)
{
    if (!sample->line.length || sample->line.at[0] != '{')
        return false;
    Str inside = str_trim((Str){sample->line.at + 1, sample->line.length - 1});
    return inside.length && inside.at[0] == '"';
}

LogJsonEvents *log_json_start(LogReader *reader)
{
    LogJsonEvents *log = calloc(1, sizeof *log);
    if (!log)
        die("out of memory");
    log->reader = reader;
    log->json.values = reader->values;
    log_jepsen_start(&log->jepsen, reader);
    return log;
}

bool log_json_finish(LogJsonEvents *log, bool ok, Error *error)
{
    const LogSource *source = log->reader->stream->source;
    ok = ok && ((source && source->cut) || drain(log, true, error));
    if (ok && !log->any)
        ok = error_at(error, log->reader->stream->path, 0, 0, "no event was found in the log");
    ok = log_jepsen_finish(&log->jepsen, ok, error);
    vec_free(&log->json.text);
    vec_free(&log->items);
    vec_free(&log->heap);
    vec_free(&log->arguments);
    free(log);
    return ok;
}

bool log_read_json(LogReader *reader, Error *error)
{
    LogJsonEvents *log = log_json_start(reader);
    Str line;
    uint32_t number;
    bool ok = true;
    while (ok && log_next_line(reader->stream, &line, &number, error)) {
        line = str_trim(line);
        if (line.length && line.at[0] != '#')
            ok = log_json_event(log, line, number, error);
    }
    return log_json_finish(log, ok && log_stream_check(reader->stream, error), error);
}
