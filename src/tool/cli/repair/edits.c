#include "tool/cli/repair/edits.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include "base/file.h"
#include "base/str.h"
#include "base/vec.h"
#include "record/operations.h"
#include "tool/report/steps.h"

typedef struct Source {
    char *text; /* ends with a zero */
    size_t length;
} Source;

static bool source_read(Arena *arena, const char *path, Source *source)
{
    Buffer buffer = {0};
    Error ignored = {0};
    bool read = file_read(path, &buffer, &ignored);
    if (read)
        *source =
            (Source){arena_copy(arena, buffer.at ? buffer.at : "", buffer.count), buffer.count};
    vec_free(&buffer);
    return read && strlen(source->text) == source->length;
}

/* Where line NUMBER begins; NULL if there are fewer. */
static const char *line_at(const Source *source, int number)
{
    const char *at = source->text;
    for (int i = 1; at && i < number; i++) {
        at = strchr(at, '\n');
        at += at != NULL;
    }
    return at && *at ? at : NULL;
}

static int line_of(const Source *source, const char *at, int *column)
{
    int line = 1;
    const char *begin = source->text;
    for (const char *p = source->text; p < at; p++)
        if (*p == '\n') {
            line++;
            begin = p + 1;
        }
    *column = (int)(at - begin) + 1;
    return line;
}

/* Past a comment, a string or a character at AT; AT itself if it is none of these. */
static const char *skip_text(const char *at)
{
    if (at[0] == '/' && at[1] == '/')
        return at + strcspn(at, "\n");
    if (at[0] == '/' && at[1] == '*') {
        const char *end = strstr(at + 2, "*/");
        return end ? end + 2 : at + strlen(at);
    }
    if (*at != '"' && *at != '\'')
        return at;
    const char *p = at + 1;
    while (*p && *p != *at && *p != '\n')
        p += p[0] == '\\' && p[1] ? 2 : 1;
    return *p == *at ? p + 1 : p;
}

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* --- words of orders -------------------------------------------------------------------------- */

typedef struct OrderWord {
    const char *at;
    size_t prefix, length; /* "std::memory_order_" and the whole */
    unsigned order;
    bool upper; /* __ATOMIC_RELAXED */
} OrderWord;

static bool word_here(const char *at, OrderWord *word)
{
    static const char *const prefixes[] = {"memory_order_", "memory_order::", "__ATOMIC_"};
    for (size_t i = 0; i < COUNT_OF(prefixes); i++) {
        size_t prefix = strlen(prefixes[i]);
        if (strncmp(at, prefixes[i], prefix) != 0)
            continue;
        size_t length = 0;
        while (is_word(at[prefix + length]))
            length++;
        for (unsigned order = ORDER_RELAXED; order <= ORDER_SEQ_CST; order++) {
            const char *name = steps_order_word(order);
            if (strlen(name) == length && !strncasecmp(at + prefix, name, length)) {
                *word = (OrderWord){at, prefix, prefix + length, order, i == 2};
                return true;
            }
        }
    }
    return false;
}

/* The orders that are given to the call that begins at AT or after it, in its outer parentheses.
 * Returns how many; *arguments counts all that it is given, and *end is behind the closing one. */
static unsigned words_of_call(const char *at, OrderWord words[2], unsigned *arguments,
                              const char **end)
{
    unsigned count = 0;
    int depth = 0;
    *arguments = 1;
    for (const char *p = at; *p; p++) {
        const char *past = skip_text(p);
        if (past > p) {
            p = past - 1;
            continue;
        }
        bool begins = p == at || !is_word(p[-1]);
        OrderWord word;
        *arguments += depth == 1 && *p == ',';
        if (*p == '(') {
            depth++;
        } else if (*p == ')') {
            if (--depth <= 0) {
                *end = p + 1;
                return depth ? 0 : count;
            }
        } else if (!depth && strchr(";{}", *p)) {
            return 0;
        } else if (depth == 1 && begins && word_here(p, &word)) {
            if (count < 2)
                words[count] = word;
            count++;
            p += word.length - 1;
        }
    }
    return 0;
}

/* --- orders that are macros --------------------------------------------------------------------
 */

#define MOST_ARGUMENTS 8

typedef struct CallText { /* NAME(ARGUMENT, ...) as it stands in the source */
    Str name, arguments[MOST_ARGUMENTS];
    unsigned count;
} CallText;

static Str trimmed(const char *from, const char *to)
{
    return str_trim((Str){from, (size_t)(to - from)});
}

/* The call that begins at AT or after it. */
static bool read_call(const char *at, CallText *call)
{
    int depth = 0;
    const char *begin = at; /* of the present argument */
    *call = (CallText){0};
    for (const char *p = at; *p; p++) {
        const char *past = skip_text(p);
        if (past > p) {
            p = past - 1;
        } else if (strchr(";{}", *p)) {
            return false;
        } else if (*p == '(' && !depth++) {
            const char *name = p;
            while (name > at && is_word(name[-1]))
                name--;
            call->name = (Str){name, (size_t)(p - name)};
            begin = p + 1;
        } else if ((*p == ',' && depth == 1) || (*p == ')' && !--depth)) {
            if (call->count == MOST_ARGUMENTS)
                return false;
            call->arguments[call->count++] = trimmed(begin, p);
            begin = p + 1;
            if (*p == ')')
                return true;
        }
    }
    return false;
}

static bool ends_with(Str text, const char *end)
{
    size_t length = strlen(end);
    return text.length >= length && !memcmp(text.at + text.length - length, end, length);
}

/* Which argument of CALL is its order? -1 if it is not known to have any. */
static int order_argument(const CallText *call, bool failure)
{
    static const char *const methods[] = {"load", "store", "exchange", "test_and_set", "clear"};
    static const unsigned wants[] = {1, 2, 2, 1, 1};
    Str name = call->name;
    int last = (int)call->count - 1;
    bool is_explicit = str_starts(name, STR("__atomic_")) || ends_with(name, "_explicit") ||
                       ends_with(name, "thread_fence");
    if (memmem(name.at, name.length, "compare_exchange", strlen("compare_exchange")))
        return is_explicit || call->count == 4 ? last - !failure : -1;
    bool method = str_starts(name, STR("fetch_")) && call->count == 2;
    for (size_t i = 0; i < COUNT_OF(methods); i++)
        method |= str_is(name, methods[i]) && call->count == wants[i];
    return is_explicit || method ? last : -1;
}

/* Is TEXT a macro, with or without arguments, by its capitals and its definition in this file? */
static bool is_macro(Arena *arena, const Source *source, Str text)
{
    size_t length = strspn(text.at, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789");
    if (!length || length > text.length || (length < text.length && text.at[length] != '('))
        return false;
    const char *name = arena_printf(arena, "define %.*s", (int)length, text.at);
    for (const char *at = source->text; (at = strstr(at, name)); at++)
        if (!is_word(at[strlen(name)]))
            return true;
    return false;
}

/* The order of the access at AT is a macro: there it becomes the word itself. Other uses of the
 * macro stay as they are. */
static bool edit_macro(Arena *arena, const Source *source, const char *at, RepairChange *change)
{
    CallText call;
    int which = read_call(at, &call) ? order_argument(&call, change->order->failure) : -1;
    if (which < 0 || !is_macro(arena, source, call.arguments[which]))
        return false;
    bool builtin = str_starts(call.name, STR("__atomic_"));
    bool member = !builtin && !str_starts(call.name, STR("atomic_"));
    const char *word = steps_order_word(change->to);
    char *text = arena_printf(arena, "%s%s",
                              builtin  ? "__ATOMIC_"
                              : member ? "std::memory_order_"
                                       : "memory_order_",
                              word);
    for (char *c = builtin ? text : text + strlen(text); *c; c++)
        *c = (char)toupper((unsigned char)*c);
    RepairEdit *edit = &change->edit;
    *edit = (RepairEdit){
        .file = change->order->file, .length = (int)call.arguments[which].length, .text = text};
    edit->line = line_of(source, call.arguments[which].at, &edit->column);
    return true;
}

static char *order_text(Arena *arena, const OrderWord *like, unsigned order)
{
    char *text =
        arena_printf(arena, "%.*s%s", (int)like->prefix, like->at, steps_order_word(order));
    for (char *at = text + like->prefix; like->upper && *at; at++)
        *at = (char)toupper((unsigned char)*at);
    return text;
}

static bool edit_order(Arena *arena, const Source *source, RepairChange *change)
{
    const WeakenOrder *order = change->order;
    const char *begin = line_at(source, order->line), *end;
    OrderWord words[2];
    if (!begin || !order->column || order->ordinal ||
        strcspn(begin, "\n") < (size_t)order->column - 1)
        return false;
    unsigned arguments, count = words_of_call(begin + order->column - 1, words, &arguments, &end);
    if (edit_macro(arena, source, begin + order->column - 1, change))
        return true;
    /* of two orders one may be a macro: only object.compare_exchange(expected, desired, order) has
     * one order */
    if (order->operation == ORDER_OF_CAS && count == 1 && arguments != 3)
        return false;
    bool unwritten = order->failure && count == 1; /* what success has, without a release */
    if (!count || count > 2 || (!order->failure && words[0].order != order->order) ||
        (order->failure && count == 2 && words[1].order != order->order))
        return false;
    const OrderWord *word = &words[order->failure && count == 2];
    RepairEdit *edit = &change->edit;
    edit->file = order->file;
    edit->line = line_of(source, word->at + (unwritten ? word->length : 0), &edit->column);
    edit->length = unwritten ? 0 : (int)word->length;
    edit->text = order_text(arena, word, change->to);
    if (unwritten)
        edit->text = arena_printf(
            arena, ", %s%s",
            word->at - source->text >= 5 && !strncmp(word->at - 5, "std::", 5) ? "std::" : "",
            edit->text);
    return true;
}

/* --- fences ----------------------------------------------------------------------------------- */

static const char *fence_text(Arena *arena, const Source *source, const char *file, unsigned order)
{
    static const char *const endings[] = {".cc", ".cpp", ".cxx", ".C", ".hh", ".hpp", ".hxx"};
    const char *dot = strrchr(file, '.');
    bool cxx = strstr(source->text, "#include <atomic>") != NULL;
    for (size_t i = 0; dot && i < COUNT_OF(endings); i++)
        cxx |= !strcmp(dot, endings[i]);
    const char *word = steps_order_word(order);
    if (cxx)
        return arena_printf(arena, "std::atomic_thread_fence(std::memory_order_%s);", word);
    if (strstr(source->text, "stdatomic.h") || !strstr(source->text, "__atomic_"))
        return arena_printf(arena, "atomic_thread_fence(memory_order_%s);", word);
    char *text = arena_printf(arena, "__atomic_thread_fence(__ATOMIC_%s);", word);
    for (char *at = strstr(text, "ATOMIC_"); *at && *at != ')'; at++)
        *at = (char)toupper((unsigned char)*at);
    return text;
}

/* Does the line that begins at LINE begin a statement in a block? */
static bool begins_statement(const Source *source, const char *line)
{
    const char *before = line; /* the last text in front of it, over whole lines of comment */
    while (before > source->text) {
        const char *end = before - 1, *begin = end;
        while (begin > source->text && begin[-1] != '\n')
            begin--;
        const char *last = NULL;
        for (const char *p = begin; p < end; p++) {
            const char *past = skip_text(p);
            if (past > p)
                p = past - 1;
            else if (!isspace((unsigned char)*p))
                last = p;
        }
        if (last)
            return strchr(";{}", *last) != NULL;
        before = begin;
    }
    return false;
}

static bool is_keyword(const char *at, const char *const *words)
{
    for (; *words; words++)
        if (!strncmp(at, *words, strlen(*words)) && !is_word(at[strlen(*words)]))
            return true;
    return false;
}

/* The end of the statement that begins at AT, behind its semicolon; NULL if it has a block. */
static const char *statement_end(const char *at)
{
    int depth = 0;
    for (const char *p = at; *p; p++) {
        const char *past = skip_text(p);
        if (past > p) {
            p = past - 1;
            continue;
        }
        depth += *p == '(';
        depth -= *p == ')';
        if (strchr("{}", *p))
            return NULL;
        if (*p == ';' && depth <= 0)
            return p + 1;
    }
    return NULL;
}

/* Where the statement begins that the access in COLUMN of LINE belongs to; NULL if it is no simple
 * one: it has a label, or parts of a for. *FIRST: no other text stands before it in the line. A
 * column 0 is unknown: then it is the first statement, if that is the only one. */
static const char *statement_begin(const char *line, int column, bool *first)
{
    const char *begin = line + strspn(line, " \t");
    int depth = 0;
    *first = true;
    for (const char *p = line; *p && *p != '\n' && (!column || p < line + column - 1); p++) {
        const char *past = skip_text(p);
        if (past > p) {
            p = past - 1;
            continue;
        }
        depth += *p == '(';
        depth -= *p == ')';
        if (*p == '{' || (column && *p == ';' && depth <= 0)) {
            if (!column)
                return NULL;
            begin = p + 1 + strspn(p + 1, " \t");
            *first = false;
        }
        if (column && p >= begin && *p == ':' && p[1] != ':' && (p == line || p[-1] != ':'))
            return NULL;
    }
    return begin;
}

/* Is a function or a macro called between FROM and TO? It may access memory, too. */
static bool has_call(const char *from, const char *to)
{
    static const char *const none[] = {"if", "return", "sizeof", NULL};
    for (const char *p = from; p < to; p++) {
        const char *past = skip_text(p);
        if (past > p) {
            p = past - 1;
        } else if (is_word(*p)) {
            const char *word = p;
            while (p < to && is_word(*p))
                p++;
            const char *next = p + strspn(p, " \t");
            if (next < to && *next == '(' && !is_keyword(word, none))
                return true;
            p--;
        }
    }
    return false;
}

/* Behind the call that begins at AT. */
static const char *call_end(const char *at)
{
    int depth = 0;
    for (const char *p = at; *p; p++) {
        const char *past = skip_text(p);
        if (past > p) {
            p = past - 1;
            continue;
        }
        depth += *p == '(';
        if (*p == ')' && --depth <= 0)
            return p + 1;
    }
    return at;
}

/* Behind the statement that ends at END: a line of its own, or in the line. */
static void put_fence_after(Arena *arena, const Source *source, const char *line, const char *end,
                            bool first, const char *fence, RepairEdit *edit)
{
    const char *rest = end + strspn(end, " \t");
    edit->line = line_of(source, end, &edit->column);
    if (first && (*rest == '\n' || !strncmp(rest, "//", 2))) {
        edit->line++;
        edit->column = 1;
        edit->text = arena_printf(arena, "%.*s%s\n", (int)strspn(line, " \t"), line, fence);
    } else {
        edit->text = arena_printf(arena, " %s", fence);
    }
}

static bool edit_fence(Arena *arena, const Source *source, RepairChange *change)
{
    static const char *const never[] = {"while",  "for",  "do",      "else", "case",
                                        "switch", "goto", "default", NULL};
    static const char *const not_after[] = {"if", "return", "break", "continue", NULL};
    const WeakenOrder *order = change->order;
    const char *line = line_at(source, order->line);
    bool first, after = change->kind == REPAIR_FENCE_AFTER;
    const char *begin =
        line && !order->ordinal ? statement_begin(line, order->column, &first) : NULL;
    if (!begin || (first && !begins_statement(source, line)) || is_keyword(begin, never) ||
        (after && is_keyword(begin, not_after)) || strchr("}#", *begin))
        return false;
    RepairEdit *edit = &change->edit;
    const char *fence = fence_text(arena, source, order->file, change->to);
    *edit = (RepairEdit){.file = order->file, .line = order->line, .column = 1};
    const char *access = order->column ? line + order->column - 1 : begin;
    if (!after && has_call(begin, access))
        return false;
    if (after) {
        const char *end = statement_end(begin);
        if (!end || end <= access || (order->column && has_call(call_end(access), end)))
            return false;
        put_fence_after(arena, source, line, end, first, fence, edit);
    } else if (first) {
        edit->text = arena_printf(arena, "%.*s%s\n", (int)(begin - line), line, fence);
    } else {
        edit->column = (int)(begin - line) + 1;
        edit->text = arena_printf(arena, "%s ", fence);
    }
    return true;
}

void edits_find(Arena *arena, RepairChange *change)
{
    Source source;
    change->has_edit = source_read(arena, change->order->file, &source) &&
                       (change->kind == REPAIR_ORDER ? edit_order(arena, &source, change)
                                                     : edit_fence(arena, &source, change));
}

/* --- patches ---------------------------------------------------------------------------------- */

static int edit_compare(const void *a, const void *b)
{
    const RepairEdit *x = *(const RepairEdit *const *)a, *y = *(const RepairEdit *const *)b;
    int files = strcmp(x->file, y->file);
    if (files)
        return files;
    return x->line != y->line ? x->line - y->line : x->column - y->column;
}

typedef Vec(const RepairEdit *) Edits;

static bool is_line(const RepairEdit *edit)
{
    size_t length = strlen(edit->text);
    return length && edit->text[length - 1] == '\n';
}

/* Line NUMBER, with a mark before it; with its edits, if there are any that change the line. */
static void write_line(Buffer *out, const Source *source, int number, const Edits *edits,
                       int *removed, int *added)
{
    const char *line = line_at(source, number);
    size_t length = strcspn(line, "\n");
    bool changed = false, open = line[length] != '\n';
    for (size_t i = 0; i < edits->count; i++)
        if (edits->at[i]->line == number) {
            if (is_line(edits->at[i])) {
                buffer_printf(out, "+%s", edits->at[i]->text);
                ++*added;
            } else {
                changed = true;
            }
        }
    ++*removed;
    ++*added;
    const char *end = open ? "\n\\ No newline at end of file\n" : "\n";
    if (!changed) {
        buffer_printf(out, " %.*s%s", (int)length, line, end);
        return;
    }
    buffer_printf(out, "-%.*s%s+", (int)length, line, end);
    size_t from = 0;
    for (size_t i = 0; i < edits->count; i++) {
        const RepairEdit *edit = edits->at[i];
        if (edit->line != number || is_line(edit))
            continue;
        size_t to = (size_t)edit->column - 1;
        buffer_printf(out, "%.*s%s", (int)(to - from), line + from, edit->text);
        from = to + (size_t)edit->length;
    }
    buffer_printf(out, "%.*s%s", (int)(length - from), line + from, end);
}

/* The edits of one file, in order, as hunks with three lines around. */
static void write_file(Buffer *out, const Source *source, const char *file, const Edits *edits)
{
    enum { AROUND = 3 };
    int lines = 0, shift = 0;
    while (line_at(source, lines + 1))
        lines++;
    buffer_printf(out, "--- %s\n+++ %s\n", file, file);
    for (size_t i = 0; i < edits->count;) {
        int first = MAX(edits->at[i]->line - AROUND, 1), last = edits->at[i]->line + AROUND;
        for (i++; i < edits->count && edits->at[i]->line - AROUND <= last + 1; i++)
            last = edits->at[i]->line + AROUND;
        last = MIN(last, lines);
        Buffer hunk = {0};
        int removed = 0, added = 0;
        for (int line = first; line <= last; line++)
            write_line(&hunk, source, line, edits, &removed, &added);
        buffer_printf(out, "@@ -%d,%d +%d,%d @@\n%.*s", first, removed, first + shift, added,
                      (int)hunk.count, hunk.at);
        shift += added - removed;
        vec_free(&hunk);
    }
}

const char *edits_patch(Arena *arena, const RepairWay *way)
{
    Edits all = {0}, mine = {0};
    for (unsigned i = 0; i < way->count; i++) {
        if (!way->at[i].has_edit) {
            vec_free(&all);
            return NULL;
        }
        vec_push(&all, &way->at[i].edit);
    }
    if (all.count)
        qsort(all.at, all.count, sizeof all.at[0], edit_compare);
    Buffer out = {0};
    bool fine = true;
    for (size_t i = 0; i < all.count && fine;) {
        Source source;
        const char *file = all.at[i]->file;
        vec_clear(&mine);
        for (; i < all.count && !strcmp(all.at[i]->file, file); i++)
            vec_push(&mine, all.at[i]);
        fine = source_read(arena, file, &source) &&
               line_at(&source, vec_last(&mine)->line) != NULL; /* behind the end: no line */
        if (fine)
            write_file(&out, &source, file_from_here(file), &mine);
    }
    const char *patch = fine ? arena_copy(arena, out.at ? out.at : "", out.count) : NULL;
    vec_free(&out);
    vec_free(&all);
    vec_free(&mine);
    return patch;
}
