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

/* Does the access in COLUMN (0: unknown) of the line belong to the statement that begins it? Not if
 * that is a whole function. */
static bool is_in_first_statement(const char *line, int column)
{
    int depth = 0;
    for (const char *p = line; *p && *p != '\n' && (!column || p < line + column - 1); p++) {
        const char *past = skip_text(p);
        if (past > p) {
            p = past - 1;
            continue;
        }
        depth += *p == '(';
        depth -= *p == ')';
        if (*p == '{' || (column && *p == ';' && depth <= 0))
            return false;
    }
    return true;
}

static bool edit_fence(Arena *arena, const Source *source, RepairChange *change)
{
    static const char *const never[] = {"while",  "for",  "do",      "else", "case",
                                        "switch", "goto", "default", NULL};
    static const char *const not_after[] = {"if", "return", "break", "continue", NULL};
    const WeakenOrder *order = change->order;
    const char *line = line_at(source, order->line);
    if (!line || order->ordinal || !begins_statement(source, line) ||
        !is_in_first_statement(line, order->column))
        return false;
    size_t indent = strspn(line, " \t");
    bool after = change->kind == REPAIR_FENCE_AFTER;
    if (is_keyword(line + indent, never) || (after && is_keyword(line + indent, not_after)) ||
        strchr("}#", line[indent]))
        return false;
    RepairEdit *edit = &change->edit;
    const char *fence = fence_text(arena, source, order->file, change->to);
    *edit = (RepairEdit){.file = order->file, .line = order->line, .column = 1};
    edit->text = arena_printf(arena, "%.*s%s\n", (int)indent, line, fence);
    if (!after) /* the only access of the line's first statement, or the first one */
        return true;
    const char *end = statement_end(line + indent);
    if (!end || (order->column && end <= line + order->column - 1))
        return false;
    const char *rest = end + strspn(end, " \t");
    if (*rest == '\n' || !strncmp(rest, "//", 2)) {
        edit->line = line_of(source, end, &edit->column) + 1;
        edit->column = 1;
    } else {
        edit->line = line_of(source, end, &edit->column);
        edit->text = arena_printf(arena, " %s", fence);
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
