/* Jepsen's conventions and its text log. An operation is `:invoke`d and then is `:ok`, or `:fail`ed
 * (it did not happen), or has `:info` (nobody knows: it stays open to the end). A failed
 * compare-and-set that repeats its arguments did happen and found another value; one that gives a
 * reason instead (:timed-out) did not. The value of `:ok` completes that of `:invoke`: if it is the
 * same, the operation returned nothing. */
#include "judge/history/log_stream.h"
#include <ctype.h>
#include <string.h>

void log_jepsen_start(LogJepsen *jepsen, LogReader *reader)
{
    *jepsen = (LogJepsen){.reader = reader};
    log_new_history(reader, &jepsen->builder);
}

/* {:from 0, :to 1, :amount 5} as (0, 1, 5). */
static bool transfer_arguments(Values *values, Value value, Value *arguments)
{
    static const char *const names[] = {":from", ":to", ":amount"};
    size_t count;
    const Value *items = value_items(values, value, &count);
    if (count != 6)
        return false;
    unsigned found = 0;
    for (size_t i = 0; i < 6; i += 2)
        for (unsigned j = 0; j < 3; j++)
            if (value_equal(items[i], value_string(values, str_of(names[j])))) {
                arguments[j] = items[i + 1];
                found |= 1u << j;
            }
    return found == 7;
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
    if (items_count == 2 && items[1].word == VALUE_NONE.word && str_is(function, ":read"))
        jepsen->keyed = true;
    if (str_is(function, ":transfer") && transfer_arguments(values, value, arguments))
        count = 3;
    else if (value.word != VALUE_NONE.word)
        arguments[count++] = value;
    return history_call(&jepsen->builder, process, name, 0, arguments, count, line, error);
}

bool log_jepsen_event(LogJepsen *jepsen, Value process, Str type, Str function, Value key,
                      Value value, uint32_t line, Error *error)
{
    Values *values = jepsen->reader->values;
    HistoryBuilder *builder = &jepsen->builder;
    if (!str_is(type, ":invoke") && !str_is(type, ":ok") && !str_is(type, ":fail") &&
        !str_is(type, ":info"))
        return error_at(error, builder->file, (int)line, 0,
                        "\"%.*s\" is none of :invoke, :ok, :fail, :info",
                        (int)MIN(type.length, 80u), type.at);
    if (!function.length || function.at[0] != ':' || function.length == 1)
        return error_at(error, builder->file, (int)line, 0, "the operation's name is missing");
    uint32_t name =
        value_symbol(values, value_string(values, (Str){function.at + 1, function.length - 1}));
    if (str_is(type, ":invoke"))
        return invoke(jepsen, process, name, function, key, value, line, error);
    const Operation *open = history_open_operation(builder, process);
    bool echo = false;
    if (open) {
        Value last = open->count ? builder->history->arguments.at[open->arguments + open->count - 1]
                                 : VALUE_NONE;
        bool only_key = key.word != VALUE_UNKNOWN.word && open->count == 1;
        echo = value_equal(only_key ? VALUE_NONE : last, value) || str_is(function, ":transfer");
    }
    if (str_is(type, ":ok"))
        return history_return(builder, process, name, echo ? VALUE_NONE : value, line, error);
    if (str_is(type, ":fail")) {
        if (echo && str_is(function, ":cas"))
            return history_return(builder, process, name, VALUE_FALSE, line, error);
        return history_drop(builder, process, name, line, error);
    }
    return history_leave(builder, process, name, line, error);
}

/* [key value] pairs: each key is an object of its own. */
static void split_keys(LogJepsen *jepsen)
{
    History *history = jepsen->builder.history;
    Values *values = history->values;
    Buffer text = {0};
    for (size_t i = 0; i < history->operations.count; i++) {
        Operation *op = &history->operations.at[i];
        size_t count = 0;
        const Value *items = op->count == 1
                                 ? value_items(values, history->arguments.at[op->arguments], &count)
                                 : NULL;
        if (count != 2)
            continue;
        vec_clear(&text);
        if (value_kind(values, items[0]) == VALUE_IS_STRING)
            buffer_printf(&text, "%.*s", STR_ARG(value_text(values, items[0])));
        else
            value_print(values, items[0], &text);
        op->object = value_symbol(values, value_string(values, buffer_str(&text)));
        history->arguments.at[op->arguments] = items[1];
        if (items[1].word == VALUE_NONE.word)
            op->count = 0;
        items = value_items(values, op->result, &count);
        if (count == 2)
            op->result = items[1];
    }
    vec_free(&text);
}

void log_jepsen_finish(LogJepsen *jepsen)
{
    history_finish(&jepsen->builder);
    if (jepsen->keyed)
        split_keys(jepsen);
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

/* `0 :invoke :read nil` at the end of the line, after ` - ` if the logger put something before. */
static bool find_event(Str line, Str *rest, Value *process, Values *values)
{
    int64_t number;
    Str text = line, word;
    for (;;) {
        Str from = text;
        word = next_word(&from);
        if (str_to_int64(word, &number)) {
            Str type = next_word(&from);
            if (type.length && type.at[0] == ':') {
                *process = value_int(values, number);
                next_word(&text);
                *rest = text;
                return true;
            }
        }
        const char *dash = text.length > 3 ? memmem(text.at, text.length, " - ", 3) : NULL;
        if (!dash)
            return false;
        text = (Str){dash + 3, text.length - (size_t)(dash + 3 - text.at)};
    }
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
            continue; /* nemesis, stack traces, other messages */
        Str type = next_word(&rest), function = next_word(&rest);
        rest = str_trim(rest);
        if (rest.length) {
            LogStream inside;
            log_stream_memory(&inside, reader->stream->path, rest);
            inside.line = number;
            ok = log_edn_value(&inside, reader->values, &value, 0, error);
            log_stream_close(&inside);
        }
        ok = ok && log_jepsen_event(&jepsen, process, type, function, VALUE_UNKNOWN, value, number,
                                    error);
    }
    ok = ok && log_stream_check(reader->stream, error);
    if (ok && !jepsen.builder.history->operations.count)
        ok = error_at(error, reader->stream->path, 0, 0, "no operation was found in the log");
    log_jepsen_finish(&jepsen);
    return ok;
}
