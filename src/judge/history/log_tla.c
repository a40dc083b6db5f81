/* Traces of TLA+ as far as they are histories: a sequence of records, each an event, with the
 * fields that our JSON lines have (log_json.c), ours or Jepsen's:
 *   << [process |-> 1, type |-> "call", op |-> "write", args |-> <<7>>],
 *      [process |-> 1, type |-> "return", result |-> NULL] >>
 * alone, or as the value of a variable in the states that TLC prints (`State 2: ...`, then `/\ name
 * = value` for each variable). Then the last state counts, and exactly one variable must be such a
 * sequence. Each record is translated into a JSON object: a sequence or set into an array, TRUE and
 * FALSE, a model value into a string, and NULL, Null, Nil, nil, None and none into null. */
#include "judge/history/log_stream.h"
#include <ctype.h>
#include <string.h>

typedef struct Tla {
    LogReader *reader;
    const char *at, *end;
    uint32_t line;
    Buffer json; /* of one record */
    Error *error;
} Tla;
/* One variable, as the last state has it. */
typedef struct Variable {
    Str name; /* in the text */
    Str text;
    uint32_t line;
} Variable;

static bool bad(Tla *tla, const char *problem)
{
    return error_at(tla->error, tla->reader->stream->path, (int)tla->line, 0, "%s", problem);
}

static int space(Tla *tla)
{
    while (tla->at < tla->end && isspace((unsigned char)*tla->at))
        tla->line += *tla->at++ == '\n';
    return tla->at < tla->end ? (unsigned char)*tla->at : LOG_END;
}

static bool word_follows(Tla *tla, const char *word)
{
    size_t length = strlen(word);
    space(tla);
    if ((size_t)(tla->end - tla->at) < length || memcmp(tla->at, word, length))
        return false;
    tla->at += length;
    return true;
}

static Str identifier(Tla *tla)
{
    space(tla);
    const char *start = tla->at;
    while (tla->at < tla->end && (isalnum((unsigned char)*tla->at) || *tla->at == '_'))
        tla->at++;
    return (Str){start, (size_t)(tla->at - start)};
}

/* A string, with the escapes that TLA+ and JSON share. */
static bool copy_string(Tla *tla)
{
    const char *start = tla->at++;
    while (tla->at < tla->end && *tla->at != '"' && *tla->at != '\n')
        tla->at += *tla->at == '\\' && tla->at + 1 < tla->end ? 2 : 1;
    if (tla->at >= tla->end || *tla->at != '"')
        return bad(tla, "a string does not end");
    buffer_append(&tla->json, start, (size_t)(++tla->at - start));
    return true;
}

static bool copy_value(Tla *tla, int depth);

/* Reads what stands between the brackets of a sequence or set. */
static bool copy_items(Tla *tla, const char *close, int depth)
{
    buffer_append(&tla->json, "[", 1);
    for (bool first = true; !word_follows(tla, close); first = false) {
        if (!first && !word_follows(tla, ","))
            return bad(tla, "a sequence or set does not end: a comma is missing, or the trace is "
                            "truncated");
        if (!first)
            buffer_append(&tla->json, ",", 1);
        if (!copy_value(tla, depth + 1))
            return false;
    }
    buffer_append(&tla->json, "]", 1);
    return true;
}

static bool copy_record(Tla *tla, int depth)
{
    buffer_append(&tla->json, "{", 1);
    for (bool first = true; !word_follows(tla, "]"); first = false) {
        if (!first && !word_follows(tla, ","))
            return bad(tla, "a record does not end: a comma is missing, or the trace is truncated");
        Str name = identifier(tla);
        if (!name.length || !word_follows(tla, "|->"))
            return bad(tla, "a record is [name |-> value, ...]");
        buffer_printf(&tla->json, "%s\"%.*s\":", first ? "" : ",", STR_ARG(name));
        if (!copy_value(tla, depth + 1))
            return false;
    }
    buffer_append(&tla->json, "}", 1);
    return true;
}

static bool copy_word(Tla *tla)
{
    static const char *const nothing[] = {"NULL", "Null", "Nil", "nil", "None", "none"};
    Str word = identifier(tla);
    if (!word.length)
        return bad(tla, "not understood: values are numbers, strings, TRUE, FALSE, model values, "
                        "<<sequences>>, {sets} and [records]");
    bool none = false;
    for (size_t i = 0; i < COUNT_OF(nothing); i++)
        none = none || str_is(word, nothing[i]);
    if (str_is(word, "TRUE") || str_is(word, "FALSE"))
        buffer_printf(&tla->json, "%s", word.at[0] == 'T' ? "true" : "false");
    else if (none)
        buffer_printf(&tla->json, "null");
    else
        buffer_printf(&tla->json, "\"%.*s\"", STR_ARG(word));
    return true;
}

static bool copy_value(Tla *tla, int depth)
{
    if (depth > LOG_DEEPEST)
        return bad(tla, "values are nested too deeply");
    int c = space(tla);
    if (c == '"')
        return copy_string(tla);
    if (word_follows(tla, "<<"))
        return copy_items(tla, ">>", depth);
    if (word_follows(tla, "{"))
        return copy_items(tla, "}", depth);
    if (word_follows(tla, "["))
        return copy_record(tla, depth);
    if (c != '-' && !isdigit(c))
        return copy_word(tla);
    const char *start = tla->at++;
    while (tla->at < tla->end && isdigit((unsigned char)*tla->at))
        tla->at++;
    bool number =
        tla->at > start + (c == '-') && (tla->at >= tla->end || !isalnum((unsigned char)*tla->at));
    buffer_append(&tla->json, start, (size_t)(tla->at - start));
    return number || bad(tla, "not a number");
}

/* Reads a whole sequence of records, each of which is an event. */
static bool read_sequence(Tla *tla, LogJsonEvents *events)
{
    if (!word_follows(tla, "<<"))
        return bad(tla, "a history is a sequence of records: << [process |-> 1, ...], ... >>");
    for (bool first = true; !word_follows(tla, ">>"); first = false) {
        if (!first && !word_follows(tla, ","))
            return bad(tla, "a sequence does not end: a comma is missing, or the trace is "
                            "truncated");
        space(tla);
        uint32_t line = tla->line;
        if (!word_follows(tla, "["))
            return bad(tla, space(tla) == LOG_END
                                ? "a sequence does not end: the trace is truncated"
                                : "an event is a record: [process |-> 1, type |-> \"call\", ...]");
        vec_clear(&tla->json);
        if (!copy_record(tla, 0) ||
            !log_json_event(events, buffer_str(&tla->json), line, tla->error))
            return false;
    }
    return space(tla) == LOG_END || bad(tla, "something follows the sequence");
}

static void look_at(Tla *tla, const Variable *variable)
{
    tla->at = variable->text.at;
    tla->end = tla->at + variable->text.length;
    tla->line = variable->line;
}

/* Could it be a history: a sequence of records with a field "process", or an empty one? */
static bool may_be_history(Str text)
{
    text = str_trim(text);
    if (!str_starts(text, STR("<<")))
        return false;
    Str inside = str_trim((Str){text.at + 2, text.length - 2});
    return str_starts(inside, STR(">>")) ||
           (str_starts(inside, STR("[")) && memmem(inside.at, inside.length, "process", 7));
}

typedef Vec(Variable) Variables;

static void set_variable(Variables *variables, const Variable *variable)
{
    for (size_t i = 0; i < variables->count; i++)
        if (str_equal(variables->at[i].name, variable->name)) {
            variables->at[i] = *variable;
            return;
        }
    vec_push(variables, *variable);
}

/* The variables of the last state. A state ends with an empty line or where the next begins. */
static void find_variables(Str text, Variables *variables)
{
    Str rest = text, line;
    Variable open = {0};
    for (uint32_t number = 1; str_next(&rest, '\n', &line); number++) {
        Str trimmed = str_trim(line);
        bool starts = str_starts(trimmed, STR("/\\"));
        if (open.text.at && (starts || !trimmed.length || str_starts(trimmed, STR("State ")))) {
            open.text.length = (size_t)(line.at - open.text.at);
            set_variable(variables, &open);
            open = (Variable){0};
        }
        const char *equals = starts ? memchr(trimmed.at, '=', trimmed.length) : NULL;
        if (!equals)
            continue;
        open.name = str_trim((Str){trimmed.at + 2, (size_t)(equals - trimmed.at - 2)});
        open.text = (Str){equals + 1, 0};
        open.line = number;
    }
    if (open.text.at) {
        open.text.length = (size_t)(text.at + text.length - open.text.at);
        set_variable(variables, &open);
    }
}

static bool choose_variable(Tla *tla, Str text, Variable *chosen)
{
    Variables variables = {0};
    const Variable *found = NULL, *second = NULL;
    find_variables(text, &variables);
    if (!variables.count)
        *chosen = (Variable){.text = text, .line = 1};
    for (size_t i = 0; i < variables.count; i++)
        if (may_be_history(variables.at[i].text)) {
            second = found;
            found = &variables.at[i];
            if (second)
                break;
        }
    if (found)
        *chosen = *found;
    bool ok = !variables.count || (found && !second);
    if (second)
        error_at(tla->error, tla->reader->stream->path, (int)found->line, 0,
                 "two variables of the trace may be the history: %.*s and %.*s",
                 STR_ARG(second->name), STR_ARG(found->name));
    else if (!ok)
        error_at(tla->error, tla->reader->stream->path, 0, 0,
                 "no variable of the last state is a sequence of records with a field \"process\"");
    vec_free(&variables);
    return ok;
}

bool log_is_tla(const LogSample *sample)
{
    return str_starts(sample->line, STR("<<")) || str_starts(sample->line, STR("/\\")) ||
           str_starts(sample->line, STR("State 1:")) || log_sample_has(sample, "\nState 1:");
}

bool log_read_tla(LogReader *reader, Error *error)
{
    Buffer text = {0};
    bool ok = true;
    for (int c; ok && (c = log_take(reader->stream)) != LOG_END;) {
        char byte = (char)c;
        buffer_append(&text, &byte, 1);
        if (reader->options.memory_limit && text.count > reader->options.memory_limit)
            ok = error_at(error, reader->stream->path, (int)reader->stream->line, 0,
                          "the trace does not fit the memory limit (--memory)");
    }
    ok = ok && log_stream_check(reader->stream, error);
    Tla tla = {.reader = reader, .error = error};
    Variable variable = {0};
    if (ok && choose_variable(&tla, buffer_str(&text), &variable)) {
        look_at(&tla, &variable);
        LogJsonEvents *events = log_json_start(reader);
        ok = log_json_finish(events, read_sequence(&tla, events), error);
        vec_last(reader->out)->nil_reads = 0; /* NULL is a value there */
    } else {
        ok = false;
    }
    vec_free(&tla.json);
    vec_free(&text);
    return ok;
}
