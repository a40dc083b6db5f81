/* The observation file of Line-Up (its Figure 7): sections of threads and operations, each with the
 * histories in which they were seen.
 *   <observation>
 *     <thread id="A">1 2</thread> <thread id="B">3B</thread>       (B: it blocks)
 *     <op id="1" name="Add">value="200"</op> <op id="3" name="Take">result="200"</op>
 *     <history>1[ ]1 3[ ]3 2[ #</history>                          (#: stuck)
 *   </observation>
 * Every <history> becomes one History. */
#include "judge/history/log_stream.h"
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/file.h"

typedef struct ObservedOp {
    int64_t id;
    uint32_t name;
    Value process, result;
    uint32_t arguments, count, line;
} ObservedOp;

typedef struct Observation {
    LogReader *reader;
    Vec(ObservedOp) ops;
    Vec(Value) arguments;
    HashMap op_index; /* id -> index + 1 */
    HashMap threads;  /* operation id -> word of its thread's name */
    Buffer tag, text;
} Observation;

static bool fail(const Observation *o, Error *error, const char *problem)
{
    const LogStream *stream = o->reader->stream;
    return error_at(error, stream->path, (int)stream->line, 0, "%s",
                    stream->failed ? stream->problem : problem);
}

/* Text up to STOP, which is taken. */
static bool read_until(Observation *o, Buffer *text, int stop, Error *error)
{
    vec_clear(text);
    for (;;) {
        int c = log_take(o->reader->stream);
        if (c == LOG_END)
            return fail(o, error, "the file ends inside an element: is it truncated?");
        if (c == stop)
            return true;
        char byte = (char)c;
        buffer_append(text, &byte, 1);
        if (text->count > LOG_LONGEST_LINE)
            return fail(o, error, "an element of more than 16 MB");
    }
}

/* The text of an attribute NAME="..." of IN, unescaped into *out; false if there is none. */
static bool attribute(Str in, const char *name, Buffer *out)
{
    size_t length = strlen(name);
    for (size_t i = 0; i + length + 2 <= in.length; i++) {
        if ((i && !isspace((unsigned char)in.at[i - 1])) || memcmp(in.at + i, name, length) ||
            in.at[i + length] != '=' || in.at[i + length + 1] != '"')
            continue;
        vec_clear(out);
        buffer_append(out, "", 0);
        for (size_t j = i + length + 2; j < in.length; j++) {
            static const char *const escapes[] = {"&quot;", "&lt;",   "&gt;",
                                                  "&amp;",  "&apos;", "&#44;"};
            static const char meant[] = "\"<>&'\1"; /* a comma that separates nothing */
            if (in.at[j] == '"')
                return true;
            size_t skip = 0;
            for (size_t k = 0; k < COUNT_OF(escapes); k++)
                if (str_starts((Str){in.at + j, in.length - j}, str_of(escapes[k]))) {
                    buffer_append(out, &meant[k], 1);
                    skip = strlen(escapes[k]);
                }
            if (!skip)
                buffer_append(out, &in.at[j], 1);
            else
                j += skip - 1;
        }
        return false;
    }
    return false;
}

static Value text_value(Values *values, Str text)
{
    if (!memchr(text.at, 1, text.length))
        return value_string(values, text);
    Buffer plain = {0};
    buffer_append(&plain, text.at, text.length);
    for (size_t i = 0; i < plain.count; i++)
        if (plain.at[i] == 1)
            plain.at[i] = ',';
    Value value = value_string(values, buffer_str(&plain));
    vec_free(&plain);
    return value;
}

/* Numbers and booleans are themselves, everything else is text; quotes keep text that looks
 * otherwise. */
static Value value_of_text(Values *values, Str text)
{
    int64_t number;
    if (text.length >= 2 && text.at[0] == '\'' && text.at[text.length - 1] == '\'') {
        text.at++;
        text.length -= 2;
        return text_value(values, text);
    }
    if (str_to_int64(text, &number))
        return value_int(values, number);
    if (str_is(text, "true") || str_is(text, "false"))
        return value_bool(text.at[0] == 't');
    return text_value(values, text);
}

static bool take_thread(Observation *o, Str tag, Str content, Error *error)
{
    Values *values = o->reader->values;
    Buffer id = {0};
    Value name = attribute(tag, "id", &id) ? value_string(values, buffer_str(&id)) : VALUE_NONE;
    vec_free(&id);
    if (name.word == VALUE_NONE.word)
        return fail(o, error, "<thread> without an id");
    Str word;
    while (str_next(&content, ' ', &word)) {
        word = str_trim(word);
        if (word.length && word.at[word.length - 1] == 'B')
            word.length--;
        int64_t number;
        if (!word.length)
            continue;
        if (!str_to_int64(word, &number))
            return fail(o, error, "<thread> lists numbers of operations");
        *hashmap_put(&o->threads, (uint64_t)number, NULL) = name.word;
    }
    return true;
}

static bool take_op(Observation *o, Str tag, Str content, Error *error)
{
    Values *values = o->reader->values;
    Buffer text = {0};
    ObservedOp op = {.result = VALUE_NONE, .process = VALUE_NONE, .line = o->reader->stream->line};
    bool ok = attribute(tag, "id", &text) && str_to_int64(buffer_str(&text), &op.id);
    if (!ok)
        fail(o, error, "<op> without a number as id");
    if (ok && !(ok = attribute(tag, "name", &text) && text.count))
        fail(o, error, "<op> without a name");
    if (ok) {
        op.name = value_symbol(values, value_string(values, buffer_str(&text)));
        op.arguments = (uint32_t)o->arguments.count;
        if (attribute(content, "value", &text) || attribute(tag, "value", &text)) {
            Str rest = buffer_str(&text), word;
            while (str_next(&rest, ',', &word)) {
                vec_push(&o->arguments, value_of_text(values, str_trim(word)));
                op.count++;
            }
        }
        if (attribute(content, "result", &text) || attribute(tag, "result", &text))
            op.result = value_of_text(values, buffer_str(&text));
        vec_push(&o->ops, op);
        bool absent;
        *hashmap_put(&o->op_index, (uint64_t)op.id, &absent) = o->ops.count;
        if (!absent)
            ok = fail(o, error, "two operations with the same id");
    }
    vec_free(&text);
    return ok;
}

static bool take_event(Observation *o, HistoryBuilder *builder, int64_t id, bool call, Error *error)
{
    const LogStream *stream = o->reader->stream;
    uint64_t *index = hashmap_find(&o->op_index, (uint64_t)id);
    uint64_t *thread = hashmap_find(&o->threads, (uint64_t)id);
    if (!index || !thread)
        return error_at(error, stream->path, (int)stream->line, 0,
                        "<history> names operation %lld, which has no <op> or no <thread>",
                        (long long)id);
    const ObservedOp *op = &o->ops.at[*index - 1];
    Value process = {*thread};
    if (call)
        return history_call(builder, process, op->name, 0, vec_from(&o->arguments, op->arguments),
                            op->count, stream->line, error);
    return history_return(builder, process, op->name, op->result, stream->line, error);
}

static bool take_history(Observation *o, Str content, Error *error)
{
    HistoryBuilder builder;
    History *history = log_new_history(o->reader, &builder);
    bool ok = true;
    for (size_t i = 0; ok && i < content.length;) {
        char c = content.at[i];
        if (isspace((unsigned char)c)) {
            i++;
        } else if (c == '#') {
            history->stuck = true;
            i++;
        } else {
            bool call = c != ']';
            size_t from = call ? i : i + 1, to = from;
            int64_t id;
            while (to < content.length && isdigit((unsigned char)content.at[to]))
                to++;
            ok = str_to_int64((Str){content.at + from, to - from}, &id) &&
                 (!call || (to < content.length && content.at[to] == '['));
            if (!ok)
                fail(o, error, "<history> must be a list of 1[ and ]1");
            ok = ok && take_event(o, &builder, id, call, error);
            i = to + (call ? 1 : 0);
        }
    }
    history_finish(&builder);
    return ok;
}

/* An element that we know; its content ends at the closing tag. */
static bool take_element(Observation *o, Str tag, Error *error)
{
    static const char *const known[] = {"thread", "op", "history"};
    size_t length = 0;
    while (length < tag.length && (isalnum((unsigned char)tag.at[length])))
        length++;
    Str name = {tag.at, length};
    size_t which = 0;
    while (which < COUNT_OF(known) && !str_is(name, known[which]))
        which++;
    if (which == COUNT_OF(known)) {
        if (str_is(name, "observation")) {
            vec_clear(&o->ops);
            vec_clear(&o->arguments);
            hashmap_clear(&o->op_index);
            hashmap_clear(&o->threads);
        }
        return true; /* comments, declarations, closing tags, what others may add */
    }
    bool empty = tag.length && tag.at[tag.length - 1] == '/';
    vec_clear(&o->text);
    if (!empty) {
        Buffer closing = {0};
        bool ok = read_until(o, &o->text, '<', error) && read_until(o, &closing, '>', error);
        if (ok && (closing.count != name.length + 1 || closing.at[0] != '/' ||
                   memcmp(closing.at + 1, name.at, name.length)))
            ok = fail(o, error, "an element is not closed");
        vec_free(&closing);
        if (!ok)
            return false;
    }
    Str content = buffer_str(&o->text);
    return which == 0   ? take_thread(o, tag, content, error)
           : which == 1 ? take_op(o, tag, content, error)
                        : take_history(o, content, error);
}

bool log_is_observation(const LogSample *sample)
{
    return sample->line.length && sample->line.at[0] == '<';
}

bool log_read_observation(LogReader *reader, Error *error)
{
    Observation o = {.reader = reader};
    LogStream *stream = reader->stream;
    bool ok = true, any = false;
    size_t before = reader->out->count;
    while (ok) {
        int c = log_take(stream);
        if (c == LOG_END)
            break;
        if (!c) { /* else a device that gives zeros for ever is read for ever */
            ok = fail(&o, error, "a zero byte: this is no observation file");
            break;
        }
        if (c != '<')
            continue;
        any = true;
        ok = read_until(&o, &o.tag, '>', error) && take_element(&o, buffer_str(&o.tag), error);
    }
    ok = ok && log_stream_check(stream, error);
    if (ok && (!any || reader->out->count == before))
        ok = error_at(error, stream->path, 0, 0, "no <history> was found in the file");
    vec_free(&o.ops);
    vec_free(&o.arguments);
    vec_free(&o.tag);
    vec_free(&o.text);
    hashmap_free(&o.op_index);
    hashmap_free(&o.threads);
    return ok;
}

/* Writing. Operation ids count up thread by thread, threads by name. */
typedef struct Writer {
    const History *history;
    Vec(uint32_t) by_thread; /* operations, thread by thread */
    Vec(uint32_t) id;        /* by operation */
} Writer;

static void write_value(Values *values, Value value, Buffer *out)
{
    Buffer text = {0};
    bool string = value_kind(values, value) == VALUE_IS_STRING;
    if (string)
        buffer_printf(&text, "'%.*s'", STR_ARG(value_text(values, value)));
    else
        value_print(values, value, &text);
    for (size_t i = 0; i < text.count; i++) {
        char c = text.at[i];
        const char *escape = c == '"'   ? "&quot;"
                             : c == '<' ? "&lt;"
                             : c == '>' ? "&gt;"
                             : c == '&' ? "&amp;"
                             : c == ',' ? "&#44;"
                                        : NULL;
        if (escape)
            buffer_printf(out, "%s", escape);
        else
            buffer_append(out, &c, 1);
    }
    vec_free(&text);
}

static int by_thread_name(const void *a, const void *b, void *context)
{
    const History *history = context;
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    int order =
        value_compare(history->values, history->processes.at[history->operations.at[x].process],
                      history->processes.at[history->operations.at[y].process]);
    return order ? order : x < y ? -1 : x > y;
}

static void writer_load(Writer *writer, const History *history)
{
    writer->history = history;
    vec_clear(&writer->by_thread);
    vec_clear(&writer->id);
    for (uint32_t i = 0; i < history->operations.count; i++) {
        vec_push(&writer->by_thread, i);
        vec_push(&writer->id, 0);
    }
    if (writer->by_thread.count)
        qsort_r(writer->by_thread.at, writer->by_thread.count, sizeof(uint32_t), by_thread_name,
                (void *)(uintptr_t)history);
    for (uint32_t i = 0; i < writer->by_thread.count; i++)
        writer->id.at[writer->by_thread.at[i]] = i + 1;
}

/* Threads and operations: equal for histories of one section. */
static void write_section(const Writer *writer, Buffer *out)
{
    const History *history = writer->history;
    for (size_t i = 0; i < writer->by_thread.count;) {
        uint32_t process = history->operations.at[writer->by_thread.at[i]].process;
        Buffer name = {0};
        Value value = history->processes.at[process];
        if (value_kind(history->values, value) == VALUE_IS_STRING)
            buffer_printf(&name, "%.*s", STR_ARG(value_text(history->values, value)));
        else
            value_print(history->values, value, &name);
        buffer_printf(out, "    <thread id=\"%.*s\">", STR_ARG(buffer_str(&name)));
        vec_free(&name);
        for (bool first = true; i < writer->by_thread.count; i++, first = false) {
            const Operation *op = &history->operations.at[writer->by_thread.at[i]];
            if (op->process != process)
                break;
            buffer_printf(out, "%s%zu%s", first ? "" : " ", i + 1,
                          op->returned == HISTORY_PENDING ? "B" : "");
        }
        buffer_printf(out, "</thread>\n");
    }
    for (size_t i = 0; i < writer->by_thread.count; i++) {
        const Operation *op = &history->operations.at[writer->by_thread.at[i]];
        buffer_printf(out, "    <op id=\"%zu\" name=\"%.*s\">", i + 1,
                      STR_ARG(value_text(history->values, value_of_symbol(op->name))));
        for (size_t j = 0; j < op->count; j++) {
            buffer_printf(out, "%s", j ? "," : "value=\"");
            write_value(history->values, history->arguments.at[op->arguments + j], out);
        }
        buffer_printf(out, "%s", op->count ? "\"" : "");
        if (op->returned != HISTORY_PENDING && op->result.word != VALUE_NONE.word) {
            buffer_printf(out, "%sresult=\"", op->count ? " " : "");
            write_value(history->values, op->result, out);
            buffer_printf(out, "\"");
        }
        buffer_printf(out, "</op>\n");
    }
}

static void write_history(const Writer *writer, Buffer *out)
{
    const History *history = writer->history;
    buffer_printf(out, "    <history>");
    bool first = true;
    for (uint32_t p = 0; p < history->positions; p++)
        for (uint32_t i = 0; i < history->operations.count; i++) {
            const Operation *op = &history->operations.at[i];
            if (op->called == p)
                buffer_printf(out, "%s%u[", first ? "" : " ", (unsigned)writer->id.at[i]);
            else if (op->returned == p)
                buffer_printf(out, " ]%u", (unsigned)writer->id.at[i]);
            else
                continue;
            first = false;
        }
    buffer_printf(out, "%s</history>\n", history->stuck ? " #" : "");
}

struct LogObservationFile {
    FileWriter writer;
    char path[512];
};

bool log_observation_open(const char *path, LogObservationFile **out, Error *error)
{
    LogObservationFile *observations = calloc(1, sizeof *observations);
    if (!observations)
        die("out of memory");
    int length = snprintf(observations->path, sizeof observations->path, "%s", path);
    if (length < 0 || (size_t)length >= sizeof observations->path) {
        free(observations);
        return error_at(error, path, 0, 0, "can't be written: its name is too long");
    }
    file_begin(&observations->writer, observations->path);
    fprintf(observations->writer.stream, "<observationset>\n");
    *out = observations;
    return true;
}

void log_observation_add(LogObservationFile *observations, const Histories *histories)
{
    Vec(Buffer) sections = {0}, runs = {0};
    HashMap index = {0}; /* hash of a section -> number + 1; clashes try the next key */
    Writer writer = {0};
    Buffer section = {0};
    for (size_t h = 0; h < histories->count; h++) {
        writer_load(&writer, histories->at[h]);
        vec_clear(&section);
        write_section(&writer, &section);
        uint64_t *known;
        for (uint64_t key = hash_bytes(section.at, section.count, 0);; key++) {
            known = hashmap_put(&index, key, NULL);
            if (!*known || str_equal(buffer_str(&section), buffer_str(&sections.at[*known - 1])))
                break;
        }
        if (!*known) {
            Buffer copy = {0}, empty = {0};
            buffer_append(&copy, section.at, section.count);
            vec_push(&sections, copy);
            vec_push(&runs, empty);
            *known = sections.count;
        }
        write_history(&writer, &runs.at[*known - 1]);
    }
    for (size_t i = 0; i < sections.count; i++) {
        fprintf(observations->writer.stream, "  <observation>\n%.*s%.*s  </observation>\n",
                STR_ARG(buffer_str(&sections.at[i])), STR_ARG(buffer_str(&runs.at[i])));
        vec_free(&sections.at[i]);
        vec_free(&runs.at[i]);
    }
    vec_free(&sections);
    vec_free(&runs);
    vec_free(&section);
    vec_free(&writer.by_thread);
    vec_free(&writer.id);
    hashmap_free(&index);
}

bool log_observation_close(LogObservationFile *observations, Error *error)
{
    fprintf(observations->writer.stream, "</observationset>\n");
    bool ok = file_commit(&observations->writer, error);
    free(observations);
    return ok;
}

bool log_write_observation(const char *path, const Histories *histories, Error *error)
{
    LogObservationFile *file;
    if (!log_observation_open(path, &file, error))
        return false;
    log_observation_add(file, histories);
    return log_observation_close(file, error);
}
