#include "tool/instrument/annotate/annotation_internal.h"
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

/* Blanks the marks: the second star of a doc comment, stars and slashes at the beginning of
 * lines. */
static void clean_comment(const AnnotationReader *reader, const SourceComment *comment)
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

void annotation_position(Str text, size_t at, int *line, int *column)
{
    DEBUG_ASSERT(at <= text.length);
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
    bool method = key == ANNOTATION_METHOD || key == ANNOTATION_INTERFACE ||
                  key == ANNOTATION_INITIAL || key == ANNOTATION_TRANSITION;
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

bool annotation_fail(const AnnotationReader *reader, size_t at, const char *format,
                     const char *word)
{
    int line, column;
    annotation_position(reader->text, at, &line, &column);
    char message[512];
    const char *hole = strstr(format, "%s");
    snprintf(message, sizeof message, "%.*s%s%s", hole ? (int)(hole - format) : (int)strlen(format),
             format, hole ? word : "", hole ? hole + 2 : "");
    return error_at(reader->error, reader->file, line, column, "%s", message);
}

/* ---- whole annotations ---- */

static bool check_whole(const AnnotationReader *reader, const Annotation *a, size_t at)
{
    const char *keyword = keys[a->kind].keyword;
    if (a->kind == ANNOTATION_METHOD) {
        if (!a->point_set.count)
            return annotation_fail(reader, at, "method %s has no @Ordering_Point_Set",
                                   a->name.text);
        if (a->side.text && annotation_has_token(a->side.text, "return"))
            return error_at(reader->error, reader->file, a->side.line, a->side.column,
                            "@SideEffect may not return: the post-condition comes after it; use if "
                            "and else");
        return true;
    }
    if (a->kind == ANNOTATION_STRUCTURE)
        return true;
    if (!a->label.text)
        return annotation_fail(reader, at, "@%s has no @Label", keyword);
    if (a->kind == ANNOTATION_CHECK && !a->potential_label.text)
        return annotation_fail(reader, at, "@%s has no @Potential_Ordering_Point_Label", keyword);
    if (a->kind != ANNOTATION_CHECK && a->potential_label.text)
        return annotation_fail(reader, at,
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
static bool find_key(const AnnotationReader *reader, const SourceComment *comment, size_t at,
                     bool code, AnnotationPart *part)
{
    Str text = {reader->clean, comment->inner_end};
    *part = (AnnotationPart){.key = ANNOTATION_KEY_COUNT, .at = text.length};
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
                return annotation_fail(reader, at, "unknown keyword @%s",
                                       arena_printf(reader->arena, "%.*s%s%s%s", STR_ARG(word),
                                                    meant ? "; did you mean @" : "",
                                                    meant ? meant : "", meant ? "?" : ""));
            if (key != ANNOTATION_KEY_COUNT && (code || first)) {
                *part = (AnnotationPart){.key = key, .at = at, .begin = end};
                annotation_take_mark(reader, &part->begin, text.length, ":");
                return true;
            }
        }
        at++;
    }
    return true;
}

/* The kind of annotation that a keyword begins. */
static AnnotationKey kind_of(AnnotationKey key)
{
    switch (key) {
    case ANNOTATION_INTERFACE:
        return ANNOTATION_METHOD;
    case ANNOTATION_DECLARE_STATE:
        return ANNOTATION_STRUCTURE;
    case ANNOTATION_OP_DEFINE:
    case ANNOTATION_OP_CLEAR_DEFINE:
        return ANNOTATION_LABEL_CHECK;
    case ANNOTATION_OP_CLEAR:
        return ANNOTATION_CLEAR;
    case ANNOTATION_POTENTIAL_OP:
        return ANNOTATION_POTENTIAL;
    case ANNOTATION_OP_CHECK:
        return ANNOTATION_CHECK;
    default:
        return key;
    }
}

/* The name of the function after the comment: the word before the first parenthesis. */
static const char *name_after(const AnnotationReader *reader, const SourceComment *comment)
{
    size_t open = comment->end, begin;
    while (open < reader->text.length && !strchr("({;", reader->text.at[open]))
        open++;
    while (open > comment->end && !source_is_word(reader->text.at[open - 1]))
        open--;
    for (begin = open; begin > comment->end && source_is_word(reader->text.at[begin - 1]);)
        begin--;
    return arena_copy(reader->arena, reader->text.at + begin, open - begin);
}

/* Begins the annotation of PART. In the later papers the first keyword of a method is any of its
 * parts, its name is the function's, and all its ordering points count. */
static Annotation *begin_annotation(const AnnotationReader *reader, const SourceComment *comment,
                                    const AnnotationPart *part)
{
    bool method = keys[part->key].group == GROUP_METHOD;
    Annotation fresh = {.kind = method ? ANNOTATION_METHOD : kind_of(part->key),
                        .begin = comment->begin,
                        .end = comment->end};
    annotation_position(reader->text, part->at, &fresh.line, &fresh.column);
    AnnotationName op = {ANNOTATION_OP, fresh.line, fresh.column};
    if (method) {
        fresh.name = (AnnotationName){name_after(reader, comment), fresh.line, fresh.column};
        arena_push(reader->arena, &fresh.point_set, op);
    }
    if (part->key == ANNOTATION_OP_DEFINE || part->key == ANNOTATION_OP_CLEAR ||
        part->key == ANNOTATION_OP_CHECK || part->key == ANNOTATION_OP_CLEAR_DEFINE)
        fresh.label = op;
    arena_push(reader->arena, reader->out, fresh);
    return &vec_last(reader->out);
}

/* Completes what was read: says which code is of the later papers, and makes two annotations of
 * @OPClearDefine. */
static void end_annotation(const AnnotationReader *reader, Annotation *a, AnnotationKey head)
{
    AnnotationCode *codes[] = {&a->pre, &a->side, &a->post, &a->justify_pre, &a->justify_post};
    bool later = a->point_set.count && !strcmp(a->point_set.at[0].text, ANNOTATION_OP);
    for (size_t i = 0; i < COUNT_OF(codes); i++)
        codes[i]->later = later || i >= 3;
    if (head != ANNOTATION_OP_CLEAR_DEFINE)
        return;
    Annotation define = *a;
    define.column++; /* one place is one annotation */
    a->kind = ANNOTATION_CLEAR;
    arena_push(reader->arena, reader->out, define);
}

static bool read_comment(const AnnotationReader *reader, const SourceComment *comment)
{
    AnnotationPart part, next;
    Annotation *open = NULL;
    size_t open_at = 0;
    AnnotationKey head = ANNOTATION_KEY_COUNT;
    clean_comment(reader, comment);
    if (!find_key(reader, comment, comment->inner, false, &part))
        return false;
    for (; part.key != ANNOTATION_KEY_COUNT; part = next) {
        if (!find_key(reader, comment, part.begin, true, &next))
            return false;
        part.end = next.at;
        Group group = keys[part.key].group;
        if (group == GROUP_HEAD || (group == GROUP_METHOD && !open)) {
            if (open && !check_whole(reader, open, open_at))
                return false;
            if (open)
                end_annotation(reader, open, head);
            open = begin_annotation(reader, comment, &part);
            open_at = part.at;
            head = part.key;
        } else if (!open) {
            static const char *const heads[] = {"", "@Structure_Define", "@Method",
                                                "an ordering point"};
            char message[200];
            snprintf(message, sizeof message, "@%%s stands outside of %s", heads[group]);
            return annotation_fail(reader, part.at, message, keys[part.key].keyword);
        } else if (!belongs(open->kind, part.key)) {
            char message[200];
            snprintf(message, sizeof message, "@%%s is no part of @%s", keys[head].keyword);
            return annotation_fail(reader, part.at, message, keys[part.key].keyword);
        }
        if (!annotation_read_part(reader, &part, open))
            return false;
    }
    if (open && !check_whole(reader, open, open_at))
        return false;
    if (open)
        end_annotation(reader, open, head);
    return true;
}

bool annotation_read(Arena *arena, const char *file, Str text, Annotations *out, Error *error)
{
    AnnotationReader reader = {arena, file, text, arena_copy(arena, text.at, text.length),
                               out,   error};
    SourceComment comment;
    for (size_t at = 0; source_next_comment(text, &at, &comment);)
        if (is_annotation(text, &comment) && !read_comment(&reader, &comment))
            return false;
    return true;
}
