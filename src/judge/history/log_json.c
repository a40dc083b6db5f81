/* JSON lines of our own (heddle-history(1), include/heddle_log.h), one event a line:
 *   {"seq":0,"process":1,"type":"call","op":"put","args":["k",7],"object":"m"}
 *   {"seq":3,"process":1,"type":"return","result":null}
 * `type` is call, return, fail (it did not happen) or unknown (it stays open). `seq` is the place
 * in the order of events, from one atomic counter; lines may stand in the file a little out of
 * order. Without `seq` the order of the lines counts. A parser of its own, because a line takes 0.3
 * us here and several in a library that builds trees; logs have millions of them. */
#include "judge/history/log_stream.h"
#include <string.h>

typedef struct Json {
    const char *at, *end;
    Values *values;
    Buffer text;
    const char *problem;
} Json;

typedef Vec(Value) ValueVec;

static int skip_space(Json *json)
{
    while (json->at < json->end && (*json->at == ' ' || *json->at == '\t' || *json->at == '\r'))
        json->at++;
    return json->at < json->end ? (unsigned char)*json->at : LOG_END;
}

static bool bad(Json *json, const char *problem)
{
    json->problem = problem;
    return false;
}

static bool expect(Json *json, char c)
{
    if (skip_space(json) != (unsigned char)c)
        return bad(json, "not a complete JSON object: is the line truncated?");
    json->at++;
    return true;
}

static bool hex4(Json *json, unsigned *code)
{
    *code = 0;
    for (int i = 0; i < 4; i++, json->at++) {
        if (json->at >= json->end)
            return bad(json, "a string does not end");
        char c = *json->at;
        unsigned digit = c >= '0' && c <= '9'   ? (unsigned)(c - '0')
                         : c >= 'a' && c <= 'f' ? (unsigned)(c - 'a') + 10
                         : c >= 'A' && c <= 'F' ? (unsigned)(c - 'A') + 10
                                                : 99;
        if (digit == 99)
            return bad(json, "\\u wants four hexadecimal digits");
        *code = *code * 16 + digit;
    }
    return true;
}

static void put_utf8(Buffer *text, unsigned code)
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

static bool read_escape(Json *json)
{
    static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
    if (json->at >= json->end)
        return bad(json, "a string does not end");
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
            code = 0x10000 + ((code - 0xD800) << 10) + ((low - 0xDC00) & 0x3FF);
        }
        put_utf8(&json->text, code);
        return true;
    }
    const char *known = c ? strchr(from, c) : NULL;
    if (!known)
        return bad(json, "an unknown escape in a string");
    buffer_append(&json->text, &to[known - from], 1);
    return true;
}

/* The text of a string: a view of the line, or of json->text if it has escapes. */
static bool read_string(Json *json, Str *text)
{
    if (!expect(json, '"'))
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
    return bad(json, "a string does not end: is the line truncated?");
}

static bool read_value(Json *json, Value *value, int depth);

/* The values of an array, or with PAIRS the keys and values of an object. */
static bool read_items(Json *json, char close, bool pairs, ValueVec *items, int depth)
{
    json->at++;
    if (skip_space(json) == (unsigned char)close) {
        json->at++;
        return true;
    }
    for (;;) {
        Value item;
        if (pairs) {
            Str name;
            if (!read_string(json, &name))
                return false;
            vec_push(items, value_string(json->values, name));
            if (!expect(json, ':'))
                return false;
        }
        if (!read_value(json, &item, depth + 1))
            return false;
        vec_push(items, item);
        int c = skip_space(json);
        if (c == ',') {
            json->at++;
            continue;
        }
        return expect(json, close);
    }
}

static bool word_is(Json *json, const char *word)
{
    size_t length = strlen(word);
    if ((size_t)(json->end - json->at) < length || memcmp(json->at, word, length))
        return false;
    json->at += length;
    return true;
}

static bool read_value(Json *json, Value *value, int depth)
{
    if (depth > LOG_DEEPEST)
        return bad(json, "values are nested too deeply");
    int c = skip_space(json);
    if (c == '"') {
        Str text;
        if (!read_string(json, &text))
            return false;
        *value = value_string(json->values, text);
        return true;
    }
    if (c == '[' || c == '{') {
        ValueVec items = {0};
        bool ok = read_items(json, c == '[' ? ']' : '}', c == '{', &items, depth);
        if (ok)
            *value = value_array(json->values, items.at, items.count);
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
    const char *start = json->at;
    while (json->at < json->end && *json->at && strchr("+-.0123456789eE", *json->at))
        json->at++;
    Str word = {start, (size_t)(json->at - start)};
    int64_t number;
    if (!word.length)
        return bad(json, "not a JSON value");
    /* numbers with a fraction are kept as written: they are only ever compared */
    *value = str_to_int64(word, &number) ? value_int(json->values, number)
                                         : value_string(json->values, word);
    return true;
}

typedef enum EventType { EVENT_CALL, EVENT_RETURN, EVENT_FAIL, EVENT_UNKNOWN } EventType;
typedef struct JsonEvent {
    int64_t seq;
    Value process, result;
    EventType type;
    uint32_t name, object, line;
    uint32_t arguments, count; /* in JsonLog.arguments */
} JsonEvent;

typedef struct JsonLog {
    LogReader *reader;
    HistoryBuilder builder;
    Json json;
    ValueVec items;
    Vec(JsonEvent) heap; /* events that came before their turn; the least seq on top */
    ValueVec arguments;  /* of those events */
    int64_t next_seq;
    bool any, has_seq;
} JsonLog;

static bool parse_event(JsonLog *log, Str line, JsonEvent *event, bool *has_seq, bool *has_type)
{
    Json *json = &log->json;
    json->at = line.at;
    json->end = line.at + line.length;
    *event = (JsonEvent){.process = VALUE_UNKNOWN, .result = VALUE_NONE};
    *has_seq = *has_type = false;
    vec_clear(&log->items);
    if (!expect(json, '{'))
        return false;
    if (skip_space(json) == '}')
        return bad(json, "an event without \"process\" and \"type\"");
    do {
        Str key;
        Value value;
        if (!read_string(json, &key))
            return false;
        char name[16] = "";
        if (key.length < sizeof name)
            memcpy(name, key.at, key.length);
        if (!expect(json, ':'))
            return false;
        if (!strcmp(name, "args") && skip_space(json) == '[') {
            if (!read_items(json, ']', false, &log->items, 0))
                return false;
            continue;
        }
        if (!read_value(json, &value, 0))
            return false;
        bool text = value_kind(json->values, value) == VALUE_IS_STRING;
        if (!strcmp(name, "seq"))
            *has_seq = value_to_int(json->values, value, &event->seq);
        else if (!strcmp(name, "process"))
            event->process = value;
        else if (!strcmp(name, "op") && text)
            event->name = value_symbol(json->values, value);
        else if (!strcmp(name, "object") && text)
            event->object = value_symbol(json->values, value);
        else if (!strcmp(name, "result"))
            event->result = value;
        else if (!strcmp(name, "args"))
            return bad(json, "\"args\" must be an array");
        else if (!strcmp(name, "type") && text) {
            static const char *const types[] = {"call", "return", "fail", "unknown"};
            Str type = value_text(json->values, value);
            for (size_t i = 0; i < COUNT_OF(types); i++)
                if (str_is(type, types[i])) {
                    event->type = (EventType)i;
                    *has_type = true;
                }
            if (!*has_type)
                return bad(json, "\"type\" must be call, return, fail or unknown");
        }
    } while (skip_space(json) == ',' && json->at++);
    if (!expect(json, '}'))
        return false;
    if (skip_space(json) != LOG_END)
        return bad(json, "more than one object on the line");
    if (event->process.word == VALUE_UNKNOWN.word)
        return bad(json, "an event without \"process\"");
    if (!*has_type)
        return bad(json, "an event without \"type\"");
    if (event->type == EVENT_CALL && !event->name)
        return bad(json, "a call without \"op\"");
    return true;
}

static bool apply(JsonLog *log, const JsonEvent *event, const Value *arguments, Error *error)
{
    HistoryBuilder *builder = &log->builder;
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

static void heap_push(JsonLog *log, const JsonEvent *event)
{
    vec_push(&log->heap, *event);
    size_t i = log->heap.count - 1;
    for (; i && log->heap.at[(i - 1) / 2].seq > event->seq; i = (i - 1) / 2)
        log->heap.at[i] = log->heap.at[(i - 1) / 2];
    log->heap.at[i] = *event;
}

static JsonEvent heap_pop(JsonLog *log)
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
static bool drain(JsonLog *log, bool all, Error *error)
{
    while (log->heap.count && (all || log->heap.at[0].seq <= log->next_seq)) {
        JsonEvent event = heap_pop(log);
        if (event.seq < log->next_seq)
            return error_at(error, log->builder.file, (int)event.line, 0,
                            "the \"seq\" %lld occurs twice", (long long)event.seq);
        log->next_seq = event.seq + 1;
        if (!apply(log, &event, log->arguments.at + event.arguments, error))
            return false;
    }
    if (!log->heap.count)
        vec_clear(&log->arguments);
    return true;
}

static bool take_line(JsonLog *log, Str line, uint32_t number, Error *error)
{
    JsonEvent event;
    bool has_seq, has_type;
    const char *path = log->builder.file;
    if (!parse_event(log, line, &event, &has_seq, &has_type))
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
    size_t limit = log->builder.memory_limit;
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

bool log_read_json(LogReader *reader, Error *error)
{
    JsonLog log = {.reader = reader, .json.values = reader->values};
    log_new_history(reader, &log.builder);
    Str line;
    uint32_t number;
    bool ok = true;
    while (ok && log_next_line(reader->stream, &line, &number, error)) {
        line = str_trim(line);
        if (line.length && line.at[0] != '#')
            ok = take_line(&log, line, number, error);
    }
    ok = ok && log_stream_check(reader->stream, error) && drain(&log, true, error);
    if (ok && !log.any)
        ok = error_at(error, reader->stream->path, 0, 0, "no event was found in the log");
    history_finish(&log.builder);
    vec_free(&log.json.text);
    vec_free(&log.items);
    vec_free(&log.heap);
    vec_free(&log.arguments);
    return ok;
}
