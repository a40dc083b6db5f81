#include "tool/instrument/annotate/annotation.h"
#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include "tool/instrument/annotate/source_text.h"

typedef enum Group { GROUP_HEAD, GROUP_STRUCTURE, GROUP_METHOD, GROUP_POINT } Group;
static const struct {
    const char *keyword;
    Group group;
} keys[] = {
#define X(name, keyword, group) {keyword, GROUP_##group},
    ANNOTATION_KEYS(X)
#undef X
};

const char *annotation_keyword(AnnotationKey key)
{
    return keys[key].keyword;
}

typedef struct Reader {
    Arena *arena;
    const char *file;
    Str text;
    char *clean; /* the text of comments without decoration, at the same places */
    Annotations *out;
    Error *error;
} Reader;

/* Blanks the marks: the second star of a doc comment, stars and slashes at the beginning of
 * lines. */
static void clean_comment(const Reader *reader, const SourceComment *comment)
{
    char *text = reader->clean;
    bool fresh = comment->lines; /* at the beginning of a line */
    if (!comment->lines)
        for (size_t i = comment->inner; i < comment->inner_end && strchr("*!", text[i]); i++)
            text[i] = ' ';
    for (size_t i = comment->inner; i < comment->inner_end; i++) {
        if (text[i] == '\n') {
            fresh = true;
        } else if (fresh && !isspace((unsigned char)text[i])) {
            fresh = false;
            char mark = comment->lines ? '/' : '*';
            for (;
                 i < comment->inner_end && (text[i] == mark || (text[i] == '!' && comment->lines));
                 i++)
                text[i] = ' ';
            i--;
        }
    }
}

/* ---- keywords ---- */

static void position(Str text, size_t at, int *line, int *column)
{
    *line = 1;
    size_t start = 0;
    for (size_t i = 0; i < at; i++)
        if (text.at[i] == '\n') {
            ++*line;
            start = i + 1;
        }
    *column = (int)(at - start) + 1;
}

static bool same_keyword(Str word, const char *keyword)
{
    size_t i = 0;
    for (;; i++) {
        while (i < word.length && word.at[i] == '_')
            i++;
        while (*keyword == '_')
            keyword++;
        if (i == word.length || !*keyword)
            return i == word.length && !*keyword;
        if (tolower((unsigned char)word.at[i]) != tolower((unsigned char)*keyword++))
            return false;
    }
}

/* The keyword at AT, which is an @; KEY_COUNT if it is none of ours. */
static AnnotationKey keyword_at(Str text, size_t at, size_t *end)
{
    size_t stop = at + 1;
    while (stop < text.length && source_is_word(text.at[stop]))
        stop++;
    Str word = {text.at + at + 1, stop - at - 1};
    *end = stop;
    for (AnnotationKey key = 0; key < ANNOTATION_KEY_COUNT; key++)
        if (word.length && same_keyword(word, keys[key].keyword))
            return key;
    return ANNOTATION_KEY_COUNT;
}

/* The keyword that WORD is probably meant to be, or NULL: underscores and the case of letters do
 * not count, of four letters one may be wrong, and short keywords are not guessed. */
static const char *nearest_keyword(Str word)
{
    char plain[2][64];
    const char *nearest = NULL;
    size_t least = SIZE_MAX;
    for (AnnotationKey key = 0; key < ANNOTATION_KEY_COUNT; key++) {
        Str texts[2] = {word, str_of(keys[key].keyword)};
        size_t length[2] = {0, 0};
        for (int t = 0; t < 2; t++) {
            for (size_t i = 0; i < texts[t].length && length[t] + 1 < sizeof plain[t]; i++)
                if (texts[t].at[i] != '_')
                    plain[t][length[t]++] = (char)tolower((unsigned char)texts[t].at[i]);
            plain[t][length[t]] = 0;
        }
        if (length[0] < 5 || length[1] < 6 || length[1] > 31)
            continue;
        size_t distance = str_distance(plain[0], plain[1]);
        if (distance <= length[1] / 4 && distance < least) {
            least = distance;
            nearest = keys[key].keyword;
        }
    }
    return nearest;
}

/* Some keywords are those of documentation tools, too: alone they are no annotation. */
static bool is_common(Str text, AnnotationKey key, size_t end)
{
    bool method = key == ANNOTATION_METHOD || key == ANNOTATION_INTERFACE;
    return key == ANNOTATION_ID || key == ANNOTATION_LABEL ||
           (method && (end >= text.length || text.at[end] != ':'));
}

/* Does only white space, or a comment's decoration, stand before AT in its line? */
static bool begins_line(Str text, const SourceComment *comment, size_t at)
{
    while (at > comment->begin && text.at[at - 1] != '\n')
        if (!strchr(" \t*/!", text.at[--at]))
            return false;
    return true;
}

/* Somebody may write about annotations in the middle of a line: one begins its line. */
static bool is_annotation(Str text, const SourceComment *comment)
{
    Str part = {text.at, comment->inner_end};
    for (size_t i = comment->inner; i < comment->inner_end; i++) {
        size_t end;
        if (text.at[i] != '@' || !begins_line(text, comment, i))
            continue;
        AnnotationKey key = keyword_at(part, i, &end);
        if (key != ANNOTATION_KEY_COUNT && !is_common(part, key, end))
            return true;
        /* a misspelt one: @Methd: as much as @Ordring_Point_Check */
        const char *meant = key == ANNOTATION_KEY_COUNT
                                ? nearest_keyword((Str){part.at + i + 1, end - i - 1})
                                : NULL;
        if (meant && (strchr(meant, '_') || (end < part.length && part.at[end] == ':')))
            return true;
    }
    return false;
}

bool annotation_present(Str text)
{
    SourceComment comment;
    for (size_t at = 0; source_next_comment(text, &at, &comment);)
        if (is_annotation(text, &comment))
            return true;
    return false;
}

static bool fail(const Reader *reader, size_t at, const char *format, const char *word)
{
    int line, column;
    position(reader->text, at, &line, &column);
    char message[512];
    const char *hole = strstr(format, "%s");
    snprintf(message, sizeof message, "%.*s%s%s", hole ? (int)(hole - format) : (int)strlen(format),
             format, hole ? word : "", hole ? hole + 2 : "");
    return error_at(reader->error, reader->file, line, column, "%s", message);
}

/* ---- the parts of an annotation ---- */

typedef struct Part {
    AnnotationKey key;
    size_t at;         /* of the @ */
    size_t begin, end; /* of its text */
} Part;

static AnnotationCode code_of(const Reader *reader, size_t begin, size_t end)
{
    while (begin < end && isspace((unsigned char)reader->clean[begin]))
        begin++;
    while (end > begin && isspace((unsigned char)reader->clean[end - 1]))
        end--;
    AnnotationCode code = {.text = arena_copy(reader->arena, reader->clean + begin, end - begin)};
    position(reader->text, begin, &code.line, &code.column);
    return code;
}

/* Takes an identifier off [*at, end); false if there is none. */
static bool take_name(const Reader *reader, size_t *at, size_t end, AnnotationName *name)
{
    while (*at < end && isspace((unsigned char)reader->clean[*at]))
        ++*at;
    size_t begin = *at;
    while (*at < end && source_is_word(reader->clean[*at]))
        ++*at;
    if (*at == begin || isdigit((unsigned char)reader->clean[begin]))
        return false;
    name->text = arena_copy(reader->arena, reader->clean + begin, *at - begin);
    position(reader->text, begin, &name->line, &name->column);
    return true;
}

static bool take_mark(const Reader *reader, size_t *at, size_t end, const char *mark)
{
    size_t i = *at;
    while (i < end && isspace((unsigned char)reader->clean[i]))
        i++;
    size_t length = strlen(mark);
    if (i + length > end || memcmp(reader->clean + i, mark, length))
        return false;
    *at = i + length;
    return true;
}

static bool at_end(const Reader *reader, size_t at, size_t end)
{
    while (at < end && isspace((unsigned char)reader->clean[at]))
        at++;
    return at == end;
}

/* One name and nothing else. */
static bool read_name(const Reader *reader, const Part *part, AnnotationName *name)
{
    size_t at = part->begin;
    const char *keyword = keys[part->key].keyword;
    if (name->text)
        return fail(reader, part->at, "@%s is given twice", keyword);
    if (!take_name(reader, &at, part->end, name))
        return fail(reader, part->at, "@%s wants a name", keyword);
    take_mark(reader, &at, part->end, ";");
    return at_end(reader, at, part->end) ||
           fail(reader, at, "@%s wants one name and nothing else", keyword);
}

static bool read_code(const Reader *reader, const Part *part, AnnotationCode *code)
{
    if (code->text)
        return fail(reader, part->at, "@%s is given twice", keys[part->key].keyword);
    *code = code_of(reader, part->begin, part->end);
    return *code->text ||
           fail(reader, part->at, "@%s is empty: C or C++ code is wanted", keys[part->key].keyword);
}

/* An expression; a semicolon after it is forgiven. */
static bool read_expression(const Reader *reader, const Part *part, AnnotationCode *code)
{
    if (!read_code(reader, part, code))
        return false;
    size_t length = strlen(code->text);
    while (length &&
           (code->text[length - 1] == ';' || isspace((unsigned char)code->text[length - 1])))
        length--;
    code->text = arena_copy(reader->arena, code->text, length);
    return length ||
           fail(reader, part->at, "@%s is empty: an expression is wanted", keys[part->key].keyword);
}

static bool read_codes(const Reader *reader, const Part *part, AnnotationCodes *codes)
{
    AnnotationCode code = {0};
    if (!read_code(reader, part, &code))
        return false;
    arena_push(reader->arena, codes, code);
    return true;
}

static bool read_invocation(const Reader *reader, size_t *at, size_t end, AnnotationName *method,
                            AnnotationName *condition)
{
    size_t start = *at;
    if (!take_name(reader, at, end, method))
        return fail(reader, MIN(start, end),
                    "@Happens_Before wants rules such as Push -> Pop, or "
                    "Push(Success) -> Pop(Success)%s",
                    "");
    if (!take_mark(reader, at, end, "("))
        return true;
    (void)take_name(reader, at, end, condition); /* empty parentheses: no condition */
    return take_mark(reader, at, end, ")") ||
           fail(reader, *at, "a ) is missing after the condition%s", "");
}

static bool read_rules(const Reader *reader, const Part *part, Annotation *to)
{
    size_t at = part->begin;
    do {
        AnnotationRule rule = {0};
        if (!read_invocation(reader, &at, part->end, &rule.from, &rule.from_condition))
            return false;
        if (!take_mark(reader, &at, part->end, "->") && !take_mark(reader, &at, part->end, "=>"))
            return fail(reader, at, "-> is missing between the two methods of the rule%s", "");
        if (!read_invocation(reader, &at, part->end, &rule.to, &rule.to_condition))
            return false;
        arena_push(reader->arena, &to->rules, rule);
        if (!take_mark(reader, &at, part->end, ","))
            take_mark(reader, &at, part->end, ";");
    } while (!at_end(reader, at, part->end));
    return true;
}

static bool read_point_set(const Reader *reader, const Part *part, Annotation *to)
{
    size_t at = part->begin;
    do {
        AnnotationName name = {0};
        if (!take_name(reader, &at, part->end, &name))
            return fail(reader, part->at, "@%s wants labels separated by |",
                        keys[part->key].keyword);
        arena_push(reader->arena, &to->point_set, name);
    } while (take_mark(reader, &at, part->end, "|") || take_mark(reader, &at, part->end, ","));
    take_mark(reader, &at, part->end, ";");
    return at_end(reader, at, part->end) ||
           fail(reader, at, "@%s wants labels separated by |", keys[part->key].keyword);
}

static bool read_condition(const Reader *reader, const Part *part, Annotation *to)
{
    size_t at = part->begin;
    AnnotationCondition condition = {0};
    if (!take_name(reader, &at, part->end, &condition.name) ||
        !take_mark(reader, &at, part->end, "::"))
        return fail(reader, part->at, "@%s wants a label, :: and an expression",
                    keys[part->key].keyword);
    Part rest = {part->key, part->at, at, part->end};
    if (!read_expression(reader, &rest, &condition.code))
        return false;
    arena_push(reader->arena, &to->conditions, condition);
    return true;
}

static bool read_part(const Reader *reader, const Part *part, Annotation *to)
{
    switch (part->key) {
    case ANNOTATION_STRUCTURE:
        return at_end(reader, part->begin, part->end) ||
               fail(reader, part->begin, "nothing stands between @%s and the next keyword",
                    keys[part->key].keyword);
    case ANNOTATION_DECLARE_STRUCT:
        return read_codes(reader, part, &to->structs);
    case ANNOTATION_DECLARE_VAR:
        return read_codes(reader, part, &to->variables);
    case ANNOTATION_INIT_VAR:
        return read_codes(reader, part, &to->inits);
    case ANNOTATION_DEFINE_FUNC:
        return read_codes(reader, part, &to->functions);
    case ANNOTATION_HAPPENS_BEFORE:
        return read_rules(reader, part, to);
    case ANNOTATION_METHOD:
    case ANNOTATION_INTERFACE:
        return read_name(reader, part, &to->name);
    case ANNOTATION_POINT_SET:
        return read_point_set(reader, part, to);
    case ANNOTATION_HB_CONDITION:
        return read_condition(reader, part, to);
    case ANNOTATION_ID:
        return read_expression(reader, part, &to->id);
    case ANNOTATION_PRE_CONDITION:
        return read_expression(reader, part, &to->pre);
    case ANNOTATION_SIDE_EFFECT:
        return read_code(reader, part, &to->side);
    case ANNOTATION_POST_CONDITION:
        return read_expression(reader, part, &to->post);
    case ANNOTATION_POTENTIAL:
    case ANNOTATION_CHECK:
    case ANNOTATION_LABEL_CHECK:
    case ANNOTATION_CLEAR:
        return read_expression(reader, part, &to->condition);
    case ANNOTATION_POTENTIAL_LABEL:
        return read_name(reader, part, &to->potential_label);
    case ANNOTATION_LABEL:
        return read_name(reader, part, &to->label);
    case ANNOTATION_KEY_COUNT:
        break;
    }
    assert_failed("a known keyword", __FILE__, __LINE__);
}

static bool check_whole(const Reader *reader, const Annotation *a, size_t at)
{
    const char *keyword = keys[a->kind].keyword;
    if (a->kind == ANNOTATION_METHOD) {
        if (!a->point_set.count)
            return fail(reader, at, "method %s has no @Ordering_Point_Set", a->name.text);
        if (a->side.text && annotation_has_token(a->side.text, "return"))
            return error_at(reader->error, reader->file, a->side.line, a->side.column,
                            "@SideEffect may not return: the post-condition comes after it; use if "
                            "and else");
        return true;
    }
    if (a->kind == ANNOTATION_STRUCTURE)
        return true;
    if (!a->label.text)
        return fail(reader, at, "@%s has no @Label", keyword);
    if (a->kind == ANNOTATION_CHECK && !a->potential_label.text)
        return fail(reader, at, "@%s has no @Potential_Ordering_Point_Label", keyword);
    if (a->kind != ANNOTATION_CHECK && a->potential_label.text)
        return fail(reader, at,
                    "@Potential_Ordering_Point_Label belongs to @Ordering_Point_Check, "
                    "not to @%s",
                    keyword);
    return true;
}

static bool belongs(AnnotationKey head, AnnotationKey key)
{
    switch (keys[key].group) {
    case GROUP_STRUCTURE:
        return head == ANNOTATION_STRUCTURE;
    case GROUP_METHOD:
        return head == ANNOTATION_METHOD;
    case GROUP_POINT:
        return head == ANNOTATION_POTENTIAL || head == ANNOTATION_CHECK ||
               head == ANNOTATION_LABEL_CHECK || head == ANNOTATION_CLEAR;
    case GROUP_HEAD:
        break;
    }
    return false;
}

/* The next keyword from AT on that is one of ours; an unknown one at the beginning of a line is an
 * error. Inside code, literals are skipped. */
static bool find_key(const Reader *reader, const SourceComment *comment, size_t at, bool code,
                     Part *part)
{
    Str text = {reader->clean, comment->inner_end};
    *part = (Part){.key = ANNOTATION_KEY_COUNT, .at = text.length};
    while (at < text.length) {
        if (code &&
            (text.at[at] == '"' || (text.at[at] == '\'' && !source_is_separator(text, at)))) {
            at = source_skip_literal(text, at);
            continue;
        }
        if (text.at[at] == '@') {
            size_t end;
            AnnotationKey key = keyword_at(text, at, &end);
            bool first = begins_line(reader->text, comment, at);
            Str word = {text.at + at + 1, end - at - 1};
            const char *meant = key == ANNOTATION_KEY_COUNT && first ? nearest_keyword(word) : NULL;
            if (key == ANNOTATION_KEY_COUNT && first && (code || meant))
                return fail(reader, at, "unknown keyword @%s",
                            arena_printf(reader->arena, "%.*s%s%s%s", STR_ARG(word),
                                         meant ? "; did you mean @" : "", meant ? meant : "",
                                         meant ? "?" : ""));
            if (key != ANNOTATION_KEY_COUNT && (code || first)) {
                *part = (Part){.key = key, .at = at, .begin = end};
                take_mark(reader, &part->begin, text.length, ":");
                return true;
            }
        }
        at++;
    }
    return true;
}

static bool read_comment(const Reader *reader, const SourceComment *comment)
{
    Part part, next;
    Annotation *open = NULL;
    size_t open_at = 0;
    clean_comment(reader, comment);
    if (!find_key(reader, comment, comment->inner, false, &part))
        return false;
    for (; part.key != ANNOTATION_KEY_COUNT; part = next) {
        if (!find_key(reader, comment, part.begin, true, &next))
            return false;
        part.end = next.at;
        if (keys[part.key].group == GROUP_HEAD) {
            if (open && !check_whole(reader, open, open_at))
                return false;
            Annotation fresh = {.kind =
                                    part.key == ANNOTATION_INTERFACE ? ANNOTATION_METHOD : part.key,
                                .begin = comment->begin,
                                .end = comment->end};
            position(reader->text, part.at, &fresh.line, &fresh.column);
            arena_push(reader->arena, reader->out, fresh);
            open = &vec_last(reader->out);
            open_at = part.at;
        } else if (!open) {
            static const char *const heads[] = {"", "@Structure_Define", "@Method",
                                                "an ordering point"};
            char message[200];
            snprintf(message, sizeof message, "@%%s stands outside of %s",
                     heads[keys[part.key].group]);
            return fail(reader, part.at, message, keys[part.key].keyword);
        } else if (!belongs(open->kind, part.key)) {
            char message[200];
            snprintf(message, sizeof message, "@%%s is no part of @%s", keys[open->kind].keyword);
            return fail(reader, part.at, message, keys[part.key].keyword);
        }
        if (!read_part(reader, &part, open))
            return false;
    }
    return !open || check_whole(reader, open, open_at);
}

bool annotation_read(Arena *arena, const char *file, Str text, Annotations *out, Error *error)
{
    Reader reader = {arena, file, text, arena_copy(arena, text.at, text.length), out, error};
    SourceComment comment;
    for (size_t at = 0; source_next_comment(text, &at, &comment);)
        if (is_annotation(text, &comment) && !read_comment(&reader, &comment))
            return false;
    return true;
}
