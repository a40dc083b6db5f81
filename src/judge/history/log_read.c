/* Opening a log, finding out its format, handing it to its reader. */
#include "judge/history/log_stream.h"
#include <ctype.h>
#include <string.h>

const char *log_format_word(LogFormat format)
{
    static const char *const words[] = {"auto",
#define X(name, word, what) #word,
                                        LOG_FORMATS(X)
#undef X
    };
    return words[format];
}

bool log_format_from_word(const char *word, LogFormat *format)
{
#define X(name, text, what)                                                                        \
    if (!strcmp(word, #text)) {                                                                    \
        *format = LOG_FORMAT_##name;                                                               \
        return true;                                                                               \
    }
    LOG_FORMATS(X)
#undef X
    *format = LOG_FORMAT_AUTO;
    return !strcmp(word, "auto");
}

void histories_free(Histories *histories)
{
    for (size_t i = 0; i < histories->count; i++)
        history_free(histories->at[i]);
    vec_free(histories);
}

History *log_new_history(LogReader *reader, HistoryBuilder *builder)
{
    History *history = history_new(reader->values);
    history_build(builder, history, reader->stream->path);
    builder->memory_limit = reader->options.memory_limit;
    vec_push(reader->out, history);
    history->number = (uint32_t)reader->out->count;
    return history;
}

bool log_sample_has(const LogSample *sample, const char *word)
{
    return memmem(sample->text.at, sample->text.length, word, strlen(word)) != NULL;
}

/* Looks at what the stream has buffered; takes nothing. */
static bool detect(LogStream *stream, Values *values, LogFormat *format, Error *error)
{
    if (log_peek(stream) == LOG_END) {
        if (stream->failed)
            return log_stream_check(stream, error);
        return error_at(error, stream->path, 0, 0, "the file is empty");
    }
    LogSample sample = {.text = {(const char *)stream->at, (size_t)(stream->end - stream->at)},
                        .values = values};
    if (str_starts(sample.text, STR("JEPSEN")))
        return error_at(error, stream->path, 1, 0,
                        "a binary file of Jepsen: export it as history.edn, in a REPL by "
                        "(jepsen.store/write-history! (jepsen.store/latest))");
    Str rest = sample.text, line;
    while (!sample.line.length && str_next(&rest, '\n', &line)) {
        line = str_trim(line);
        if (line.length && line.at[0] != ';' && line.at[0] != '#')
            sample.line = line;
    }
#define X(name, word, what)                                                                        \
    if (log_is_##word(&sample)) {                                                                  \
        *format = LOG_FORMAT_##name;                                                               \
        return true;                                                                               \
    }
    LOG_FORMATS(X)
#undef X
    return error_at(error, stream->path, 1, 0,
                    "none of the known formats; name one with --format (see heddle-history(1))");
}

/* A byte order mark says nothing in UTF-8. */
static void skip_mark(LogStream *stream)
{
    if (log_peek(stream) == 0xEF && stream->end - stream->at >= 3 && stream->at[1] == 0xBB &&
        stream->at[2] == 0xBF)
        stream->at += 3;
}

static bool read_stream(LogStream *stream, const LogOptions *options, Values *values,
                        Histories *out, LogFormat *detected, Error *error)
{
    LogFormat format = options->format;
    skip_mark(stream);
    if (format == LOG_FORMAT_AUTO && !detect(stream, values, &format, error))
        return false;
    *detected = format;
    size_t before = out->count;
    LogReader reader = {.stream = stream, .values = values, .options = *options, .out = out};
    bool ok = false;
    switch (format) {
#define X(name, word, what)                                                                        \
    case LOG_FORMAT_##name:                                                                        \
        ok = log_read_##word(&reader, error);                                                      \
        break;
        LOG_FORMATS(X)
#undef X
    case LOG_FORMAT_AUTO:
        break;
    }
    ok = ok && log_stream_check(stream, error);
    if (!ok)
        while (out->count > before)
            history_free(vec_pop(out));
    for (size_t i = before; i < out->count; i++)
        out->at[i]->number = (uint32_t)(i - before) + 1;
    return ok;
}

bool log_read(const char *path, const LogOptions *options, Values *values, Histories *out,
              LogFormat *detected, Error *error)
{
    LogStream stream;
    if (!log_stream_open(&stream, path, error))
        return false;
    bool ok = read_stream(&stream, options, values, out, detected, error);
    log_stream_close(&stream);
    return ok;
}

bool log_read_bytes(const char *path, Str bytes, const LogOptions *options, Values *values,
                    Histories *out, LogFormat *detected, Error *error)
{
    LogStream stream;
    log_stream_memory(&stream, path, bytes);
    bool ok = read_stream(&stream, options, values, out, detected, error);
    log_stream_close(&stream);
    return ok;
}

bool log_read_source(const char *path, LogSource *source, const LogOptions *options, Values *values,
                     Histories *out, LogFormat *detected, Error *error)
{
    LogStream stream;
    log_stream_memory(&stream, path, (Str){"", 0});
    stream.source = source;
    bool ok = read_stream(&stream, options, values, out, detected, error);
    log_stream_close(&stream);
    return ok;
}

/* May the text be left without quotes? It begins with a letter, and is no word of JSON or EDN. */
static bool speaks_for_itself(Str text)
{
    return text.length && isalpha((unsigned char)text.at[0]) && !str_is(text, "nil") &&
           !str_is(text, "null") && !str_is(text, "true") && !str_is(text, "false");
}

uint32_t log_object(Values *values, Value value)
{
    if (value.word == VALUE_NONE.word)
        return 0;
    if (value_kind(values, value) == VALUE_IS_STRING &&
        speaks_for_itself(value_text(values, value)))
        return value_symbol(values, value);
    Buffer name = {0};
    if (value_kind(values, value) == VALUE_IS_WORD && speaks_for_itself(value_text(values, value)))
        buffer_printf(&name, "'"); /* the symbol a is not the text "a" */
    value_print(values, value, &name);
    uint32_t symbol = value_symbol(values, value_string(values, buffer_str(&name)));
    vec_free(&name);
    return symbol;
}
