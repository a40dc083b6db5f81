/* Jepsen's conventions and its text log. An operation is `:invoke`d and then is `:ok`, or `:fail`ed
 * (it did not happen), or has `:info` (nobody knows: it stays open to the end). The value of `:ok`
 * completes that of `:invoke`: whether it is a result or just the arguments again depends on the
 * operation, so where both are equal the specification decides (value_echo). Some systems log a
 * compare-and-set that found another value as `:fail`: whether that is to be believed is an option
 * (LogOptions). */
#include "judge/history/log_stream.h"
#include <ctype.h>
#include <string.h>

void log_jepsen_start(LogJepsen *jepsen, LogReader *reader)
{
    *jepsen = (LogJepsen){.reader = reader};
    log_new_history(reader, &jepsen->builder);
}

static Str without_colon(Str word)
{
    bool colon = word.length && word.at[0] == ':';
    return (Str){word.at + colon, word.length - colon};
}

bool log_jepsen_is_nemesis(Values *values, Value process)
{
    ValueKind kind = value_kind(values, process);
    return (kind == VALUE_IS_WORD || kind == VALUE_IS_STRING) &&
           str_is(without_colon(value_text(values, process)), "nemesis");
}

/* An action of the nemesis is a fault that goes on from an event called start... to one called
 * stop... or heal...; each is logged twice, as it begins and as it is done. */
void log_jepsen_note(LogJepsen *jepsen, Value function, Value value, uint32_t line)
{
    HistoryBuilder *builder = &jepsen->builder;
    Values *values = jepsen->reader->values;
    uint32_t now = builder->history->positions;
    Str name = without_colon(value_text(values, function));
    Buffer text = {0};
    buffer_printf(&text, "%.*s", STR_ARG(name));
    if (value.word != VALUE_NONE.word && value.word != VALUE_UNKNOWN.word) {
        buffer_append(&text, " ", 1);
        value_print(values, value, &text);
    }
    bool starts = str_starts(name, STR("start"));
    bool stops = str_starts(name, STR("stop")) || str_starts(name, STR("heal"));
    if (starts && !jepsen->fault) {
        jepsen->fault = now + 1;
        jepsen->fault_line = line;
        jepsen->fault_text = value_string(values, buffer_str(&text));
    } else if (stops && jepsen->fault) {
        HistoryNote note = {jepsen->fault - 1, now, jepsen->fault_line, false, jepsen->fault_text};
        history_note(builder, note);
        jepsen->fault = 0;
    } else if (!starts && !stops) {
        HistoryNote note = {now, now, line, false, value_string(values, buffer_str(&text))};
        history_note(builder, note);
    }
    vec_free(&text);
}

/* {:from 0, :to 1, :amount 5} as (0, 1, 5). */
static bool transfer_arguments(Values *values, Value value, Value *arguments)
{
    static const char *const names[] = {"from", "to", "amount"};
    size_t count;
    const Value *items = value_items(values, value, &count);
    if (count != 6 || value_kind(values, value) != VALUE_IS_MAP)
        return false;
    unsigned found = 0;
    for (size_t i = 0; i < 6; i += 2)
        for (unsigned j = 0; j < 3; j++)
            if (str_is(without_colon(value_text(values, items[i])), names[j])) {
                arguments[j] = items[i + 1];
                found |= 1u << j;
            }
    return found == 7;
}

static bool is_tuple(Values *values, Value value)
{
    size_t count;
    const Value *items = value_items(values, value, &count);
    return count == 3 && value_equal(items[0], value_word(values, str_of(LOG_TUPLE)));
}

static bool invoke(LogJepsen *jepsen, Value process, uint32_t name, Str function, Value key,
                   Value value, uint32_t line, Error *error)
{
    Values *values = jepsen->reader->values;
    Value arguments[3];
    size_t count = 0;
    if (key.word != VALUE_UNKNOWN.word)
        arguments[count++] = key;
    size_t items_count;
    const Value *items = value_items(values, value, &items_count);
    if (items_count == 2 && items[1].word == VALUE_NONE.word && str_is(function, "read"))
        jepsen->keyed = true;
    if (is_tuple(values, value))
        jepsen->tuples = true;
    if (str_is(function, "transfer") && transfer_arguments(values, value, arguments))
        count = 3;
    else if (value.word != VALUE_NONE.word)
        arguments[count++] = value;
    return history_call(&jepsen->builder, process, name, 0, arguments, count, line, error);
}

/* Does VALUE repeat what the operation was called with? */
static bool repeats(const LogJepsen *jepsen, const Operation *open, Value key, Value value)
{
    const Value *arguments = vec_from(&jepsen->builder.history->arguments, open->arguments);
    Value transfer[3];
    if (open->count == 3 && transfer_arguments(jepsen->reader->values, value, transfer))
        return memcmp(arguments, transfer, sizeof transfer) == 0;
    size_t own = key.word != VALUE_UNKNOWN.word ? 1 : 0; /* arguments before the value */
    Value last = open->count > own ? arguments[open->count - 1] : VALUE_NONE;
    return value_equal(last, value);
}

static bool fails(LogJepsen *jepsen, Value process, uint32_t name, Str function, bool echo,
                  uint32_t line, Error *error)
{
    if (jepsen->reader->options.observed_cas && echo && str_is(function, "cas"))
        return history_return(&jepsen->builder, process, name, VALUE_FALSE, line, error);
    return history_drop(&jepsen->builder, process, name, line, error);
}

bool log_jepsen_event(LogJepsen *jepsen, Value process, Str type, Str function, Value key,
                      Value value, uint32_t line, Error *error)
{
    Values *values = jepsen->reader->values;
    HistoryBuilder *builder = &jepsen->builder;
    Str kind = without_colon(type);
    function = without_colon(function);
    jepsen->events++;
    if (!str_is(kind, "invoke") && !str_is(kind, "ok") && !str_is(kind, "fail") &&
        !str_is(kind, "info"))
        return error_at(error, builder->file, (int)line, 0,
                        "\"%.*s\" is none of :invoke, :ok, :fail, :info",
                        (int)MIN(type.length, 80u), type.at);
    if (!function.length)
        return error_at(error, builder->file, (int)line, 0, "the operation's name is missing");
    uint32_t name = value_symbol(values, value_string(values, function));
    function = value_text(values, value_of_symbol(name));
    if (str_is(kind, "invoke"))
        return invoke(jepsen, process, name, function, key, value, line, error);
    const Operation *open = history_open_operation(builder, process);
    bool echo = open && repeats(jepsen, open, key, value);
    if (str_is(kind, "fail"))
        return fails(jepsen, process, name, function, echo, line, error);
    if (str_is(kind, "info"))
        return history_leave(builder, process, name, line, error);
    bool nil = value.word == VALUE_NONE.word && str_is(function, "read");
    builder->history->nil_reads += nil;
    if (nil && jepsen->reader->options.nil_reads == NIL_READS_UNKNOWN)
        return history_drop(builder, process, name, line, error);
    return history_return(builder, process, name,
                          echo && value.word != VALUE_NONE.word ? value_echo(values, value) : value,
                          line, error);
}

/* The key and value of a pair, or of a tuple. */
static bool pair_of(const LogJepsen *jepsen, Value value, Value *key, Value *rest)
{
    Values *values = jepsen->builder.history->values;
    size_t count, from = jepsen->tuples ? 1 : 0;
    const Value *items = value_items(values, value, &count);
    if (count != 2 + from || (jepsen->tuples && !is_tuple(values, value)))
        return false;
    *key = items[from];
    *rest = items[from + 1];
    return true;
}

/* [key value] pairs: each key is an object of its own. */
static bool split_keys(LogJepsen *jepsen, Error *error)
{
    History *history = jepsen->builder.history;
    Values *values = history->values;
    for (size_t i = 0; i < history->operations.count; i++) {
        Operation *op = &history->operations.at[i];
        Value key, value, result_key, result = op->result, inner = value_echoed(values, result);
        bool echo = inner.word != result.word;
        if (op->count != 1 || !pair_of(jepsen, history->arguments.at[op->arguments], &key, &value))
            return error_at(error, history->source, (int)op->line, 0,
                            "other values are pairs of a key and a value; this one is none");
        bool answered = op->returned != HISTORY_PENDING && result.word != VALUE_FALSE.word &&
                        result.word != VALUE_NONE.word;
        if (answered &&
            (!pair_of(jepsen, inner, &result_key, &result) || !value_equal(key, result_key)))
            return error_at(error, history->source, (int)op->line, 0,
                            "the operation returns no pair of its key and a value");
        if (answered)
            op->result =
                echo && result.word != VALUE_NONE.word ? value_echo(values, result) : result;
        op->object = log_object(values, key);
        history->arguments.at[op->arguments] = value;
        if (value.word == VALUE_NONE.word)
            op->count = 0;
    }
    return true;
}

bool log_jepsen_finish(LogJepsen *jepsen, bool ok, Error *error)
{
    if (jepsen->fault) {
        HistoryNote note = {jepsen->fault - 1, jepsen->builder.history->positions,
                            jepsen->fault_line, false, jepsen->fault_text};
        history_note(&jepsen->builder, note);
    }
    history_finish(&jepsen->builder);
    return ok && (!(jepsen->keyed || jepsen->tuples) || split_keys(jepsen, error));
}

/* Cuts the next word off; words are separated by tabs or spaces. */
static Str next_word(Str *rest)
{
    *rest = str_trim(*rest);
    size_t length = 0;
    while (length < rest->length && !isspace((unsigned char)rest->at[length]))
        length++;
    Str word = {rest->at, length};
    rest->at += length;
    rest->length -= length;
    return word;
}

static bool parse_value(Str text, const char *path, uint32_t line, Values *values, Value *value,
                        Error *error)
{
    LogStream inside;
    log_stream_memory(&inside, path, text);
    inside.line = line;
    bool ok = log_edn_value(&inside, values, value, 0, error);
    log_stream_close(&inside);
    if (ok && value->word == VALUE_UNKNOWN.word)
        ok = error_at(error, path, (int)line, 0, "the value is discarded");
    return ok;
}

/* `0 :invoke :read nil` at the end of the line, after ` - ` if the logger put something before. The
 * process is a value without spaces; a number may be followed by any keyword, anything else only by
 * one that is the type of an event: other lines are messages of all kinds. */
static bool find_event(Str line, Str *rest, Value *process, Values *values)
{
    int64_t number;
    Str text = line, word;
    for (;;) {
        Str from = text;
        word = next_word(&from);
        Str type = next_word(&from);
        bool known = str_is(type, ":invoke") || str_is(type, ":ok") || str_is(type, ":fail") ||
                     str_is(type, ":info");
        bool numeric = str_to_int64(word, &number);
        Error unused;
        if (numeric)
            *process = value_int(values, number);
        if (numeric ? type.length && type.at[0] == ':'
                    : known && parse_value(word, "", 0, values, process, &unused)) {
            next_word(&text);
            *rest = text;
            return true;
        }
        const char *dash = text.length > 3 ? memmem(text.at, text.length, " - ", 3) : NULL;
        if (!dash)
            return false;
        text = (Str){dash + 3, text.length - (size_t)(dash + 3 - text.at)};
    }
}

bool log_is_jepsen(const LogSample *sample)
{
    return log_sample_has(sample, ":invoke");
}

bool log_read_jepsen(LogReader *reader, Error *error)
{
    LogJepsen jepsen;
    log_jepsen_start(&jepsen, reader);
    Str line;
    uint32_t number;
    bool ok = true;
    while (ok && log_next_line(reader->stream, &line, &number, error)) {
        Str rest;
        Value process, value = VALUE_NONE;
        if (!find_event(line, &rest, &process, reader->values))
            continue; /* stack traces, other messages */
        Str type = next_word(&rest), function = next_word(&rest);
        rest = str_trim(rest);
        if (log_jepsen_is_nemesis(reader->values, process)) {
            log_jepsen_note(&jepsen, value_string(reader->values, function),
                            rest.length ? value_string(reader->values, rest) : VALUE_NONE, number);
            continue;
        }
        if (!rest.length && reader->stream->unended)
            ok = error_at(error, reader->stream->path, (int)number, 0,
                          "the file ends inside an event: is it truncated?");
        else if (rest.length)
            ok = parse_value(rest, reader->stream->path, number, reader->values, &value, error);
        ok = ok && log_jepsen_event(&jepsen, process, type, function, VALUE_UNKNOWN, value, number,
                                    error);
    }
    ok = ok && log_stream_check(reader->stream, error);
    if (ok && !jepsen.events)
        ok = error_at(error, reader->stream->path, 0, 0, "no operation was found in the log");
    return log_jepsen_finish(&jepsen, ok, error);
}
