/* log_stream.h: the characters of a log with their line numbers, from a file, a pipe, gzip, memory
 * or a source that grows. Private to the readers. */
#ifndef HEDDLE_HISTORY_LOG_STREAM_H
#define HEDDLE_HISTORY_LOG_STREAM_H
#include "judge/history/log.h"

#define LOG_END (-1)
#define LOG_LONGEST_LINE ((size_t)16 << 20)
#define LOG_DEEPEST 64 /* nesting of values */

typedef struct LogStream {
    const char *path;
    void *file;        /* gzFile, or NULL for memory and sources */
    LogSource *source; /* or NULL */
    const unsigned char *at, *end;
    unsigned char *buffer;
    uint32_t line; /* of the next character, from 1 */
    bool failed;
    bool unended; /* the last line that was read ends with the file, without a line feed */
    const char *problem;
    Buffer text; /* of the current line or token */
} LogStream;

MUST_USE bool log_stream_open(LogStream *stream, const char *path, Error *error);
void log_stream_memory(LogStream *stream, const char *path, Str bytes);
void log_stream_close(LogStream *stream);
int log_stream_fill(LogStream *stream);
/* The next character or LOG_END, without and with taking it. */
static inline int log_peek(LogStream *stream)
{
    return LIKELY(stream->at < stream->end) ? *stream->at : log_stream_fill(stream);
}
static inline int log_take(LogStream *stream)
{
    int c = log_peek(stream);
    if (c != LOG_END) {
        stream->at++;
        stream->line += c == '\n';
    }
    return c;
}
/* The next line without its end; false at the end of the file or on error. */
bool log_next_line(LogStream *stream, Str *line, uint32_t *number, Error *error);
/* False and a message if reading failed (not at a plain end of file). */
MUST_USE bool log_stream_check(const LogStream *stream, Error *error);

/* The name of an object or key that a log gives as a value; different values have different names.
 * A text stands for itself where it can't be taken for another value. 0 for VALUE_NONE. */
uint32_t log_object(Values *values, Value value);
void log_put_utf8(Buffer *text, unsigned code);
/* One value in EDN notation. Keywords, symbols and characters are words (value.h), keywords with
 * their colon; a value with a tag is the pair of both, except for jepsen.independent's tuples:
 * [LOG_TUPLE key value]. VALUE_UNKNOWN if it was discarded by #_. */
#define LOG_TUPLE "#tuple"
MUST_USE bool log_edn_value(LogStream *stream, Values *values, Value *value, int depth,
                            Error *error);

/* A scanner of JSON in memory. Functions that return bool set `problem` when they fail. */
typedef struct LogJson {
    const char *at, *end;
    Values *values;
    Buffer text; /* free it at the end */
    const char *problem;
} LogJson;
bool log_json_bad(LogJson *json, const char *problem); /* false */
int log_json_space(LogJson *json); /* skips white space; the next character or LOG_END */
bool log_json_expect(LogJson *json, char c);
/* The text lives until the next call, or as long as the scanned bytes. */
bool log_json_string(LogJson *json, Str *text);
bool log_json_value(LogJson *json, Value *value, int depth);

/* The input of a reader. */
typedef struct LogReader {
    LogStream *stream;
    Values *values;
    LogOptions options;
    Histories *out;
} LogReader;
History *log_new_history(LogReader *reader, HistoryBuilder *builder);
/* Events as JSON objects, one a call, made into a history of READER; also for formats that are
 * translated. NUMBER is the line for messages. log_json_finish frees it. */
typedef struct LogJsonEvents LogJsonEvents;
LogJsonEvents *log_json_start(LogReader *reader);
MUST_USE bool log_json_event(LogJsonEvents *log, Str line, uint32_t number, Error *error);
MUST_USE bool log_json_finish(LogJsonEvents *log, bool ok, Error *error);
/* The beginning of a log, from which its format is found out. */
typedef struct LogSample {
    Str text; /* what is buffered */
    Str line; /* the first line that is neither empty nor a comment, trimmed */
    Values *values;
} LogSample;
bool log_sample_has(const LogSample *sample, const char *word);
/* One reader a format (LOG_FORMATS): is it this one? and: read it. */
#define X(name, word, what)                                                                        \
    bool log_is_##word(const LogSample *sample);                                                   \
    bool log_read_##word(LogReader *reader, Error *error);
LOG_FORMATS(X)
#undef X

/* Jepsen's conventions, shared by its text, EDN and JSON forms. */
typedef struct LogJepsen {
    HistoryBuilder builder;
    LogReader *reader;
    size_t events;
    bool keyed;                 /* values are [key value] pairs (jepsen.independent) */
    bool tuples;                /* and say so */
    uint32_t fault, fault_line; /* a fault that goes on: position of its beginning + 1 */
    Value fault_text;
} LogJepsen;
void log_jepsen_start(LogJepsen *jepsen, LogReader *reader);
/* The process whose events are no operations but tell of faults. */
bool log_jepsen_is_nemesis(Values *values, Value process);
void log_jepsen_note(LogJepsen *jepsen, Value function, Value value, uint32_t line);
/* One line: TYPE is invoke, ok, fail or info; both it and FUNCTION may begin with a colon. KEY is
 * VALUE_UNKNOWN, or the key of Porcupine's logs. */
MUST_USE bool log_jepsen_event(LogJepsen *jepsen, Value process, Str type, Str function, Value key,
                               Value value, uint32_t line, Error *error);
/* Ends the history; OK is whether reading went well so far, and what it returns at best. */
MUST_USE bool log_jepsen_finish(LogJepsen *jepsen, bool ok, Error *error);
#endif
