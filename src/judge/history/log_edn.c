/* EDN, the notation of Clojure programs, and Jepsen's history.edn written in it: one map an event,
 * on lines of their own or in one vector. */
#include "judge/history/log_stream.h"
#include <ctype.h>
#include <stdio.h>
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

/* Reads what follows a backslash in a string. */
static bool read_escape(LogStream *stream, Buffer *text, Error *error)
{
    static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
    int c = log_take(stream);
    const char *known = c > 0 ? strchr(from, c) : NULL;
    if (known) {
        buffer_append(text, &to[known - from], 1);
        return true;
    }
    if (c != 'u')
        return fail(stream, error,
                    c == LOG_END ? "the file ends inside a string"
                                 : "an unknown escape in a string");
    unsigned code = 0;
    for (int i = 0; i < 4; i++) {
        c = log_take(stream);
        if (c == LOG_END || !isxdigit(c))
            return fail(stream, error, "\\u wants four hexadecimal digits");
        code = code * 16 + (unsigned)(isdigit(c) ? c - '0' : (c | 32) - 'a' + 10);
    }
    /* the second half of a surrogate pair: the first stands in the text as three bytes */
    const unsigned char *high = (const unsigned char *)text->at + text->count - 3;
    if (code >= 0xDC00 && code < 0xE000 && text->count >= 3 && high[0] == 0xED && high[1] >= 0xA0 &&
        high[1] < 0xB0) {
        unsigned first = (high[1] & 0xFu) << 6 | (high[2] & 0x3Fu);
        text->count -= 3;
        code = 0x10000 + (first << 10 | (code & 0x3FF));
    }
    log_put_utf8(text, code);
    return true;
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
            if (!read_escape(stream, text, error))
                return false;
            continue;
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
    return c == LOG_END || isspace(c) || strchr(",;\"()[]{}\\", c);
}

/* Reads N/M, which is equal to any other way to write the same number. */
static bool read_ratio(LogStream *stream, Values *values, Str word, size_t slash, Value *value,
                       Error *error)
{
    int64_t above, below;
    if (!str_to_int64((Str){word.at, slash}, &above) || above == INT64_MIN ||
        !isdigit((unsigned char)word.at[slash + 1]) ||
        !str_to_int64((Str){word.at + slash + 1, word.length - slash - 1}, &below) || below == 0)
        return fail(stream, error, "a ratio that is not understood");
    int64_t a = above < 0 ? -above : above, b = below;
    while (b) {
        int64_t rest = a % b;
        a = b;
        b = rest;
    }
    char text[64];
    snprintf(text, sizeof text, "%lld/%lld", (long long)(above / a), (long long)(below / a));
    *value = below == a ? value_int(values, above / a) : value_word(values, str_of(text));
    return true;
}

/* Reads a number with a fraction or an exponent. */
static bool read_real(LogStream *stream, Values *values, Str word, Value *value, Error *error)
{
    char text[128], *end;
    if (word.length >= sizeof text)
        return fail(stream, error, "a number of more than 127 characters");
    memcpy(text, word.at, word.length);
    text[word.length] = 0;
    double real = strtod(text, &end);
    bool decimal = end[0] == 'M' && !end[1];
    if ((*end && !decimal) || strpbrk(text, "xXpP"))
        return fail(stream, error, "a word that begins like a number and is none");
    if (decimal) {
        *value = value_word(values, word);
        return true;
    }
    char canonical[64];
    snprintf(canonical, sizeof canonical, "%.17g", real == 0 ? 0 : real);
    if (strchr(canonical, 'i'))
        snprintf(canonical, sizeof canonical, real > 0 ? "##Inf" : "##-Inf");
    else if (!strpbrk(canonical, ".e"))
        strcat(canonical, ".0");
    *value = value_word(values, str_of(canonical));
    return true;
}

/* Numbers as Clojure compares them: 1 and 1N are equal, 1.0 and 1.00 are, 1 and 1.0 are not, and a
 * decimal with M is equal only to itself. */
static bool read_number(LogStream *stream, Values *values, Str word, Value *value, Error *error)
{
    bool big = word.at[word.length - 1] == 'N';
    Str digits = {word.at, word.length - big};
    size_t sign = digits.at[0] == '-' || digits.at[0] == '+', slash = 0;
    bool integer = digits.length > sign;
    for (size_t i = sign; i < digits.length; i++) {
        integer = integer && isdigit((unsigned char)digits.at[i]);
        slash = digits.at[i] == '/' && !slash ? i : slash;
    }
    int64_t number;
    if (digits.length > sign + 1 && digits.at[sign] == '0' &&
        strchr("0123456789xX", digits.at[sign + 1]))
        return fail(stream, error, "a number with leading zeros: decimal, octal or hexadecimal?");
    if (slash && !big)
        return read_ratio(stream, values, word, slash, value, error);
    if (!integer)
        return read_real(stream, values, word, value, error);
    bool plus = digits.at[0] == '+';
    *value = str_to_int64(digits, &number)
                 ? value_int(values, number)
                 : value_word(values, (Str){digits.at + plus, digits.length - plus});
    return true;
}

/* Reads a character: the word behind a backslash, however it is written. Its value is a backslash
 * with the name of the character, or with itself. */
static bool read_character(LogStream *stream, Values *values, Str word, Value *value, Error *error)
{
    static const struct {
        const char *name;
        unsigned code;
    } names[] = {{"newline", 10}, {"return", 13},   {"space", 32},
                 {"tab", 9},      {"formfeed", 12}, {"backspace", 8}};
    Str name = {word.at + 1, word.length - 1};
    Buffer text = {0};
    unsigned code = 0;
    bool octal = name.at[0] == 'o', numbered = name.length > 1 && (octal || name.at[0] == 'u');
    for (size_t i = 1; i < name.length && numbered; i++) {
        int c = (unsigned char)name.at[i];
        numbered = octal ? c >= '0' && c <= '7' && i < 4 : isxdigit(c) && i < 5;
        code = code * (octal ? 8 : 16) + (unsigned)(isdigit(c) ? c - '0' : (c | 32) - 'a' + 10);
    }
    numbered = numbered && (octal || name.length == 5);
    for (size_t i = 0; i < COUNT_OF(names) && !numbered; i++)
        if (str_is(name, names[i].name)) {
            code = names[i].code;
            numbered = true;
        }
    buffer_append(&text, "\\", 1);
    bool single = (unsigned char)name.at[0] < 0x80 ? name.length == 1 : name.length <= 4;
    if (numbered)
        log_put_utf8(&text, code);
    else
        buffer_append(&text, name.at, name.length);
    for (size_t i = 0; i < COUNT_OF(names) && numbered; i++)
        if (code == names[i].code) {
            vec_clear(&text);
            buffer_printf(&text, "\\%s", names[i].name);
        }
    *value = value_word(values, buffer_str(&text));
    vec_free(&text);
    return numbered || single || fail(stream, error, "a character with an unknown name");
}

/* A symbol, keyword, number or character. */
static bool read_atom(LogStream *stream, Values *values, Value *value, Error *error)
{
    Buffer *text = &stream->text;
    vec_clear(text);
    bool character = log_peek(stream) == '\\'; /* whatever stands behind that belongs to it */
    while (!delimits(log_peek(stream)) || (character && text->count < 2)) {
        int c = log_take(stream);
        if (c == LOG_END)
            return fail(stream, error, "the file ends where a value is expected");
        char byte = (char)c;
        buffer_append(text, &byte, 1);
        if (text->count > 4096)
            return fail(stream, error, "a word of more than 4096 characters");
    }
    if (!text->count)
        return fail(stream, error, "a value is missing");
    Str word = buffer_str(text);
    size_t sign = word.at[0] == '-' || word.at[0] == '+';
    if (character)
        return read_character(stream, values, word, value, error);
    if (strchr("^@`~'", word.at[0]) || str_is(word, ":"))
        return fail(stream, error, "a sign of Clojure that is no part of EDN");
    if (str_is(word, "nil"))
        *value = VALUE_NONE;
    else if (str_is(word, "true") || str_is(word, "false"))
        *value = value_bool(word.at[0] == 't');
    else if (word.length > sign && isdigit((unsigned char)word.at[sign]))
        return read_number(stream, values, word, value, error);
    else
        *value = value_word(values, word);
    return true;
}

typedef Vec(Value) ValueVec;

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
    if (ok && stride == 0)
        *value = value_array(values, items.at, items.count);
    else if (ok && !(stride == 2 ? value_map(values, items.at, items.count, value)
                                 : value_set(values, items.at, items.count, value)))
        ok = fail(stream, error,
                  stride == 2 ? "a map in which a key occurs twice"
                              : "a set in which an element occurs twice");
    vec_free(&items);
    return ok;
}

/* jepsen.independent's tuple of a key and a value, given as a map or as a pair. */
static bool make_tuple(LogStream *stream, Values *values, Value *value, Error *error)
{
    size_t count;
    const Value *items = value_items(values, *value, &count);
    Value tuple[3] = {value_word(values, str_of(LOG_TUPLE)), VALUE_UNKNOWN, VALUE_UNKNOWN};
    if (value_kind(values, *value) == VALUE_IS_MAP) {
        for (size_t i = 0; i < count; i += 2)
            for (int j = 0; j < 2; j++)
                if (value_equal(items[i], value_word(values, str_of(j ? ":value" : ":key"))))
                    tuple[1 + j] = items[i + 1];
    } else if (count == 2) {
        tuple[1] = items[0];
        tuple[2] = items[1];
    }
    if (tuple[1].word == VALUE_UNKNOWN.word || tuple[2].word == VALUE_UNKNOWN.word)
        return fail(stream, error, "a tuple without :key and :value");
    *value = value_array(values, tuple, 3);
    return true;
}

/* Reads what follows a number sign: a set, a discarded value, ##NaN, a value with a tag. */
static bool read_dispatch(LogStream *stream, Values *values, Value *value, int depth, Error *error)
{
    log_take(stream);
    int c = log_peek(stream);
    if (c == '{')
        return read_collection(stream, values, '}', 1, value, depth, error);
    if (c == '_') {
        log_take(stream);
        do { /* #_ #_ a b discards both */
            if (!log_edn_value(stream, values, value, depth + 1, error))
                return false;
        } while (value->word == VALUE_UNKNOWN.word);
        *value = VALUE_UNKNOWN;
        return true;
    }
    if (c == '#') { /* ##Inf, ##-Inf; ##NaN is equal to itself: what was read is what was written */
        log_take(stream);
        Value word;
        if (!read_atom(stream, values, &word, error))
            return false;
        Str text = value_text(values, word);
        if (!str_is(text, "NaN") && !str_is(text, "Inf") && !str_is(text, "-Inf"))
            return fail(stream, error, "## begins ##NaN, ##Inf or ##-Inf");
        char name[8]; /* no symbol begins so */
        snprintf(name, sizeof name, "##%.*s", STR_ARG(text));
        *value = value_word(values, str_of(name));
        return true;
    }
    Value tag;
    if (!read_atom(stream, values, &tag, error))
        return false;
    do {
        if (!log_edn_value(stream, values, value, depth + 1, error))
            return false;
    } while (value->word == VALUE_UNKNOWN.word);
    Str name = value_text(values, tag);
    if (str_is(name, "jepsen.independent.Tuple") || str_is(name, "jepsen.independent/tuple"))
        return make_tuple(stream, values, value, error);
    Buffer full = {0}; /* #inst "..." is no string */
    buffer_printf(&full, "#%.*s", STR_ARG(name));
    Value pair[2] = {value_word(values, buffer_str(&full)), *value};
    vec_free(&full);
    *value = value_array(values, pair, 2);
    return true;
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
    case '#':
        return read_dispatch(stream, values, value, depth, error);
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
    unsigned seen = 0;
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
            value_kind(values, name) == VALUE_IS_WORD ? value_text(values, name) : (Str){"", 0};
        Value *field = str_is(key, ":process") ? &event->process
                       : str_is(key, ":type")  ? &event->type
                       : str_is(key, ":f")     ? &event->function
                       : str_is(key, ":value") ? &event->value
                       : str_is(key, ":key")   ? &event->key
                       : str_is(key, ":index") ? &event->index
                                               : NULL;
        if (!field)
            continue;
        if (seen & 1u << (field - &event->process))
            return fail(stream, error, "an event that has a key twice");
        seen |= 1u << (field - &event->process);
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
    if (value_kind(values, event->process) == VALUE_IS_WORD &&
        log_jepsen_is_nemesis(values, event->process)) {
        log_jepsen_note(jepsen, event->function, event->value, line);
        return true;
    }
    if (!value_text(values, event->type).length)
        return error_at(error, path, (int)line, 0, "the event has no :type");
    if (!value_text(values, event->function).length)
        return error_at(error, path, (int)line, 0, "the event has no :f");
    if (keyed && event->key.word == VALUE_UNKNOWN.word)
        return error_at(error, path, (int)line, 0, "the event has no :key");
    int64_t index;
    bool has_index = value_kind(values, event->index) == VALUE_IS_INT &&
                     value_to_int(values, event->index, &index);
    if (!has_index && event->index.word != VALUE_UNKNOWN.word)
        return error_at(error, path, (int)line, 0, "the event's :index is no integer");
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
        else if (c == '#') { /* a tag in front of the map, or an event that is commented out */
            log_take(stream);
            bool discard = log_peek(stream) == '_';
            if (discard)
                log_take(stream);
            ok = discard ? log_edn_value(stream, reader->values, &tag, 1, error)
                         : read_atom(stream, reader->values, &tag, error);
        } else
            ok = fail(stream, error, "an event, {:process ...}, is expected here");
    }
    bool cut = stream->source && stream->source->cut && log_peek(stream) == LOG_END;
    ok = ok || cut; /* inside an event that is still being written */
    if (ok && open > 0 && !stream->failed && !cut)
        ok = fail(stream, error, "the file ends inside the list of events: is it truncated?");
    ok = ok && log_stream_check(stream, error);
    if (ok && !jepsen.events)
        ok = error_at(error, stream->path, 0, 0, "no operation was found in the log");
    return log_jepsen_finish(&jepsen, ok, error);
}

/* #jepsen.history.Op{...} and other tags begin EDN too. */
bool log_is_edn(const LogSample *sample)
{
    bool begins = !sample->line.length || sample->line.at[0] == '[' || sample->line.at[0] == '(' ||
                  log_sample_has(sample, "{:") || log_sample_has(sample, "{ :");
    return begins && (log_sample_has(sample, ":process") || log_sample_has(sample, ":type"));
}

/* The first event has a key of its own, beside its value. */
bool log_is_porcupine(const LogSample *sample)
{
    const char *open = memchr(sample->text.at, '{', sample->text.length);
    if (!log_is_edn(sample) || !open)
        return false;
    LogStream stream;
    size_t before = (size_t)(open - sample->text.at);
    log_stream_memory(&stream, "", (Str){open, sample->text.length - before});
    Value event;
    Error unused;
    size_t count = 0;
    bool ok = log_edn_value(&stream, sample->values, &event, 0, &unused);
    const Value *items = ok ? value_items(sample->values, event, &count) : NULL;
    bool found = !ok && log_sample_has(sample, ":key ");
    for (size_t i = 0; i < count; i += 2)
        found = found || str_is(value_text(sample->values, items[i]), ":key");
    log_stream_close(&stream);
    return found;
}

bool log_read_edn(LogReader *reader, Error *error)
{
    return read_events(reader, false, error);
}

bool log_read_porcupine(LogReader *reader, Error *error)
{
    return read_events(reader, true, error);
}
