/* EDN, the notation of Clojure programs, and Jepsen's history.edn written in it: one map an event,
 * on lines of their own or in one vector. */
#include "judge/history/log_stream.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static bool fail(const LogStream *stream, Error *error, const char *problem)
{
    return error_at(error, stream->path, (int)stream->line, 0, "%s",
                    stream->failed ? stream->problem : problem);
}

/* Skips white space, commas and comments; returns the next character. */
static int log_edn_space(LogStream *stream)
{
    for (;;) {
        int c = log_peek(stream);
        if (c == ';') {
            while (c != LOG_END && c != '\n')
                c = log_take(stream);
        } else if (c == ',' || (c != LOG_END && isspace(c))) {
            log_take(stream);
        } else {
            return c;
        }
    }
}

static bool read_string(LogStream *stream, Values *values, Value *value, Error *error)
{
    Buffer *text = &stream->text;
    vec_clear(text);
    log_take(stream);
    for (;;) {
        int c = log_take(stream);
        if (c == LOG_END)
            return fail(stream, error, "the file ends inside a string");
        if (c == '"')
            break;
        if (c == '\\') {
            c = log_take(stream);
            switch (c) {
            case LOG_END:
                return fail(stream, error, "the file ends inside a string");
            case 'n':
                c = '\n';
                break;
            case 't':
                c = '\t';
                break;
            case 'r':
                c = '\r';
                break;
            default:
                break;
            }
        }
        char byte = (char)c;
        buffer_append(text, &byte, 1);
        if (text->count > LOG_LONGEST_LINE)
            return fail(stream, error, "a string of more than 16 MB");
    }
    *value = value_string(values, buffer_str(text));
    return true;
}

static bool delimits(int c)
{
    return c == LOG_END || isspace(c) || strchr(",;\"()[]{}", c);
}

/* A symbol, keyword or number. */
static bool read_atom(LogStream *stream, Values *values, Value *value, Error *error)
{
    Buffer *text = &stream->text;
    vec_clear(text);
    while (!delimits(log_peek(stream))) {
        char byte = (char)log_take(stream);
        buffer_append(text, &byte, 1);
        if (text->count > 4096)
            return fail(stream, error, "a word of more than 4096 characters");
    }
    if (!text->count)
        return fail(stream, error, "a value is missing");
    Str word = buffer_str(text);
    int64_t number;
    if (str_is(word, "nil"))
        *value = VALUE_NONE;
    else if (str_is(word, "true") || str_is(word, "false"))
        *value = value_bool(word.at[0] == 't');
    else if (str_to_int64(word, &number))
        *value = value_int(values, number);
    else
        *value = value_string(values, word);
    return true;
}

typedef Vec(Value) ValueVec;

static int by_value(const void *a, const void *b, void *values)
{
    return value_compare(values, *(const Value *)a, *(const Value *)b);
}

/* The values up to CLOSE. */
static bool read_items(LogStream *stream, Values *values, int close, ValueVec *items, int depth,
                       Error *error)
{
    log_take(stream);
    for (;;) {
        int c = log_edn_space(stream);
        if (c == LOG_END)
            return fail(stream, error, "the file ends inside a value");
        if (c == close) {
            log_take(stream);
            return true;
        }
        Value item;
        if (!log_edn_value(stream, values, &item, depth + 1, error))
            return false;
        if (item.word == VALUE_UNKNOWN.word) /* discarded by #_ */
            continue;
        vec_push(items, item);
        if (items->count > ((size_t)1 << 20))
            return fail(stream, error, "a value of more than a million items");
    }
}

static bool read_collection(LogStream *stream, Values *values, int close, size_t stride,
                            Value *value, int depth, Error *error)
{
    ValueVec items = {0};
    bool ok = read_items(stream, values, close, &items, depth, error);
    if (ok && stride == 2 && items.count % 2)
        ok = fail(stream, error, "a map with a key but no value");
    if (ok) {
        if (stride && items.count)
            qsort_r(items.at, items.count / stride, stride * sizeof(Value), by_value, values);
        *value = value_array(values, items.at, items.count);
    }
    vec_free(&items);
    return ok;
}

bool log_edn_value(LogStream *stream, Values *values, Value *value, int depth, Error *error)
{
    if (depth > LOG_DEEPEST)
        return fail(stream, error, "values are nested too deeply");
    int c = log_edn_space(stream);
    switch (c) {
    case LOG_END:
        return fail(stream, error, "the file ends where a value is expected");
    case '"':
        return read_string(stream, values, value, error);
    case '[':
        return read_collection(stream, values, ']', 0, value, depth, error);
    case '(':
        return read_collection(stream, values, ')', 0, value, depth, error);
    case '{':
        return read_collection(stream, values, '}', 2, value, depth, error);
    case ']':
    case ')':
    case '}':
        return fail(stream, error, "a bracket is closed that was not opened");
    case '#': {
        log_take(stream);
        c = log_peek(stream);
        if (c == '{')
            return read_collection(stream, values, '}', 1, value, depth, error);
        if (c == '_') {
            log_take(stream);
            if (!log_edn_value(stream, values, value, depth + 1, error))
                return false;
            *value = VALUE_UNKNOWN;
            return true;
        }
        Value tag; /* #tag value: the tag says nothing to us */
        return read_atom(stream, values, &tag, error) &&
               log_edn_value(stream, values, value, depth + 1, error);
    }
    case '\\': {
        log_take(stream);
        char byte = (char)log_take(stream);
        *value = value_string(values, (Str){&byte, 1});
        return true;
    }
    default:
        return read_atom(stream, values, value, error);
    }
}

typedef struct EdnEvent {
    Value process, type, function, value, key, index;
} EdnEvent;

/* One event: { :process 0, ... }; the brace is the next character. */
static bool read_event(LogStream *stream, Values *values, EdnEvent *event, Error *error)
{
    *event = (EdnEvent){VALUE_UNKNOWN, VALUE_UNKNOWN, VALUE_UNKNOWN,
                        VALUE_NONE,    VALUE_UNKNOWN, VALUE_UNKNOWN};
    log_take(stream);
    for (;;) {
        int c = log_edn_space(stream);
        if (c == '}') {
            log_take(stream);
            return true;
        }
        if (c == LOG_END)
            return fail(stream, error, "the file ends inside an event: is it truncated?");
        Value name, value;
        if (!log_edn_value(stream, values, &name, 1, error))
            return false;
        if (name.word == VALUE_UNKNOWN.word)
            continue;
        do {
            if (!log_edn_value(stream, values, &value, 1, error))
                return false;
        } while (value.word == VALUE_UNKNOWN.word);
        Str key =
            value_kind(values, name) == VALUE_IS_STRING ? value_text(values, name) : (Str){"", 0};
        Value *field = str_is(key, ":process") ? &event->process
                       : str_is(key, ":type")  ? &event->type
                       : str_is(key, ":f")     ? &event->function
                       : str_is(key, ":value") ? &event->value
                       : str_is(key, ":key")   ? &event->key
                       : str_is(key, ":index") ? &event->index
                                               : NULL;
        if (field)
            *field = value;
    }
}

static bool take_event(LogJepsen *jepsen, const EdnEvent *event, bool keyed, int64_t *last_index,
                       bool *indexed, uint32_t line, Error *error)
{
    Values *values = jepsen->reader->values;
    const char *path = jepsen->reader->stream->path;
    size_t events = jepsen->builder.history->positions;
    if (event->process.word == VALUE_UNKNOWN.word)
        return error_at(error, path, (int)line, 0, "the event has no :process");
    if (value_kind(values, event->process) == VALUE_IS_STRING)
        return true; /* :nemesis */
    if (event->type.word == VALUE_UNKNOWN.word ||
        value_kind(values, event->type) != VALUE_IS_STRING)
        return error_at(error, path, (int)line, 0, "the event has no :type");
    if (event->function.word == VALUE_UNKNOWN.word ||
        value_kind(values, event->function) != VALUE_IS_STRING)
        return error_at(error, path, (int)line, 0, "the event has no :f");
    if (keyed && event->key.word == VALUE_UNKNOWN.word)
        return error_at(error, path, (int)line, 0, "the event has no :key");
    int64_t index;
    bool has_index = value_to_int(values, event->index, &index);
    if (events && has_index != *indexed)
        return error_at(error, path, (int)line, 0,
                        "mixed clocks: some events have an :index and others have none");
    *indexed = has_index;
    if (has_index && index <= *last_index)
        return error_at(error, path, (int)line, 0, "mixed clocks: :index goes from %lld to %lld",
                        (long long)*last_index, (long long)index);
    if (has_index)
        *last_index = index;
    return log_jepsen_event(jepsen, event->process, value_text(values, event->type),
                            value_text(values, event->function), keyed ? event->key : VALUE_UNKNOWN,
                            event->value, line, error);
}

static bool read_events(LogReader *reader, bool keyed, Error *error)
{
    LogStream *stream = reader->stream;
    LogJepsen jepsen;
    log_jepsen_start(&jepsen, reader);
    int64_t last_index = INT64_MIN;
    bool ok = true, indexed = false;
    int open = 0, c;
    while (ok && (c = log_edn_space(stream)) != LOG_END) {
        uint32_t line = stream->line;
        EdnEvent event;
        Value tag;
        if (c == '{')
            ok = read_event(stream, reader->values, &event, error) &&
                 take_event(&jepsen, &event, keyed, &last_index, &indexed, line, error);
        else if (c == '[' || c == '(')
            log_take(stream), open++;
        else if ((c == ']' || c == ')') && open-- > 0)
            log_take(stream);
        else if (c == '#') /* a tag in front of the map */
            log_take(stream), ok = read_atom(stream, reader->values, &tag, error);
        else
            ok = fail(stream, error, "an event, {:process ...}, is expected here");
    }
    if (ok && open > 0 && !stream->failed)
        ok = fail(stream, error, "the file ends inside the list of events: is it truncated?");
    log_jepsen_finish(&jepsen);
    return ok && log_stream_check(stream, error);
}

bool log_read_edn(LogReader *reader, Error *error)
{
    return read_events(reader, false, error);
}

bool log_read_porcupine(LogReader *reader, Error *error)
{
    return read_events(reader, true, error);
}
