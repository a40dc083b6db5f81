#include "tool/report/page/states.h"
#include <stdlib.h>
#include <string.h>
#include "base/str.h"
#include "tool/report/jsontext.h"

static bool begins_with(Str line, const char *word, Str *rest)
{
    size_t length = strlen(word);
    if (line.length < length || memcmp(line.at, word, length))
        return false;
    *rest = (Str){line.at + length, line.length - length};
    return true;
}

/* ---- names ---- */

static const char *name_at(Names *names, uint64_t address, uint64_t bytes)
{
    return names_knows(names, address) ? names_location(names, address, bytes) : "?";
}

/* A word holds one variable of eight bytes, or two of four. */
static void name_word(Names *names, Str text, Buffer *out)
{
    Str piece = {0};
    str_next(&text, ' ', &piece);
    uint64_t address = strtoull(piece.at, NULL, 16); /* a line end follows */
    const char *low = name_at(names, address, 4), *high = name_at(names, address + 4, 4),
               *whole = name_at(names, address, 8);
    bool split = strcmp(high, "?") && strcmp(high, whole) && strncmp(high, whole, strlen(whole));
    if (split)
        buffer_printf(out, "word 4\t%.*s\t%s\t%s\n", (int)text.length, text.at, low, high);
    else
        buffer_printf(out, "word 8\t%.*s\t%s\n", (int)text.length, text.at, whole);
}

const char *states_name_words(Names *names, const char *picture)
{
    Buffer out = {0};
    Str rest = str_of(picture), line, word;
    while (str_next(&rest, '\n', &line)) {
        if (begins_with(line, "word ", &word))
            name_word(names, word, &out);
        else
            buffer_printf(&out, "%.*s\n", (int)line.length, line.at);
    }
    const char *text =
        arena_printf(names_arena(names), "%.*s", (int)out.count, out.count ? out.at : "");
    vec_free(&out);
    return text;
}

/* ---- the document ---- */

/* The next number of TEXT: null if there is none, or it is not below LIMIT. */
static json_t *next_number(Str *text, size_t limit)
{
    Str piece;
    int64_t value;
    if (!str_next(text, ' ', &piece) || !str_to_int64(piece, &value) || value < 0 ||
        (uint64_t)value >= limit)
        return json_null();
    return json_integer(value);
}

static void add_word(json_t *words, Str text)
{
    json_t *word = json_object(), *names = json_array();
    Str piece;
    bool four = str_next(&text, '\t', &piece) && str_is(piece, "4");
    json_put(word, "initial", str_next(&text, '\t', &piece) ? json_text_of(piece) : json_text(""));
    while (str_next(&text, '\t', &piece))
        json_push(names, json_text_of(piece));
    json_put(word, "bytes", json_integer(four ? 4 : 8));
    json_put(word, "names", names);
    json_push(words, word);
}

static void add_state(json_t *states, Str text, size_t calls)
{
    json_t *state = json_object(), *under_way = json_array(), *values = json_array();
    Str piece, threads = text;
    while (str_next(&text, ' ', &piece) && !str_is(piece, ":"))
        json_push(under_way, next_number(&threads, calls));
    while (str_next(&text, ' ', &piece))
        json_push(values, json_text_of(piece));
    json_put(state, "calls", under_way);
    json_put(state, "values", values);
    json_push(states, state);
}

static void add_step(json_t *steps, Str text, size_t states, size_t calls)
{
    json_t *step = json_object();
    json_put(step, "from", next_number(&text, states));
    json_put(step, "to", next_number(&text, states));
    json_put(step, "thread", next_number(&text, 64));
    json_put(step, "begun", next_number(&text, calls));
    json_put(step, "ended", next_number(&text, calls));
    json_put(step, "result", json_text_of(text));
    if (json_is_integer(json_object_get(step, "from")) &&
        json_is_integer(json_object_get(step, "to")) &&
        json_is_integer(json_object_get(step, "thread")))
        json_push(steps, step);
    else
        json_decref(step);
}

static void add_way(json_t *way, Str text, size_t states)
{
    while (text.length) {
        json_t *number = next_number(&text, states);
        if (json_is_integer(number))
            json_push(way, number);
        else
            json_decref(number);
    }
}

static json_t *last_step(Str text, size_t calls)
{
    json_t *last = json_object();
    json_put(last, "thread", next_number(&text, 64));
    json_put(last, "begun", next_number(&text, calls));
    return last;
}

json_t *states_document(const char *picture)
{
    json_t *words = json_array(), *calls = json_array(), *states = json_array(),
           *steps = json_array(), *way = json_array(), *last = NULL;
    Str rest = str_of(picture), line, text;
    while (str_next(&rest, '\n', &line)) {
        if (begins_with(line, "word ", &text))
            add_word(words, text);
        else if (begins_with(line, "call ", &text))
            json_push(calls, json_text_of(text));
        else if (begins_with(line, "state ", &text))
            add_state(states, text, json_array_size(calls));
        else if (begins_with(line, "step ", &text))
            add_step(steps, text, json_array_size(states), json_array_size(calls));
        else if (begins_with(line, "way ", &text))
            add_way(way, text, json_array_size(states));
        else if (begins_with(line, "last ", &text) && !last)
            last = last_step(text, json_array_size(calls));
    }
    json_t *document = json_object();
    bool any = json_array_size(states) != 0;
    json_put(document, "words", words);
    json_put(document, "calls", calls);
    json_put(document, "states", states);
    json_put(document, "steps", steps);
    json_put(document, "way", way);
    json_put(document, "last", last ? last : json_null());
    if (any)
        return document;
    json_decref(document);
    return NULL;
}
