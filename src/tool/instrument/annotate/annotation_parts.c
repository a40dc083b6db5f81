/* annotation_parts.c: the text of each keyword of an annotation, taken apart. */
#include <ctype.h>
#include <string.h>
#include "tool/instrument/annotate/annotation_internal.h"
#include "tool/instrument/annotate/source_text.h"

static AnnotationCode code_of(const AnnotationReader *reader, size_t begin, size_t end)
{
    DEBUG_ASSERT(begin <= end);
    while (begin < end && isspace((unsigned char)reader->clean[begin]))
        begin++;
    while (end > begin && isspace((unsigned char)reader->clean[end - 1]))
        end--;
    AnnotationCode code = {.text = arena_copy(reader->arena, reader->clean + begin, end - begin)};
    annotation_position(reader->text, begin, &code.line, &code.column);
    return code;
}

/* Takes an identifier off [*at, end); false if there is none. */
static bool take_name(const AnnotationReader *reader, size_t *at, size_t end, AnnotationName *name)
{
    while (*at < end && isspace((unsigned char)reader->clean[*at]))
        ++*at;
    size_t begin = *at;
    while (*at < end && source_is_word(reader->clean[*at]))
        ++*at;
    if (*at == begin || isdigit((unsigned char)reader->clean[begin]))
        return false;
    name->text = arena_copy(reader->arena, reader->clean + begin, *at - begin);
    annotation_position(reader->text, begin, &name->line, &name->column);
    return true;
}

bool annotation_take_mark(const AnnotationReader *reader, size_t *at, size_t end, const char *mark)
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

static bool at_end(const AnnotationReader *reader, size_t at, size_t end)
{
    DEBUG_ASSERT(at <= end);
    while (at < end && isspace((unsigned char)reader->clean[at]))
        at++;
    return at == end;
}

/* One name and nothing else. */
static bool read_name(const AnnotationReader *reader, const AnnotationPart *part,
                      AnnotationName *name)
{
    size_t at = part->begin;
    const char *keyword = annotation_keyword(part->key);
    if (name->text)
        return annotation_fail(reader, part->at, "@%s is given twice", keyword);
    if (!take_name(reader, &at, part->end, name))
        return annotation_fail(reader, part->at, "@%s wants a name", keyword);
    annotation_take_mark(reader, &at, part->end, ";");
    return at_end(reader, at, part->end) ||
           annotation_fail(reader, at, "@%s wants one name and nothing else", keyword);
}

static bool read_code(const AnnotationReader *reader, const AnnotationPart *part,
                      AnnotationCode *code)
{
    if (code->text)
        return annotation_fail(reader, part->at, "@%s is given twice",
                               annotation_keyword(part->key));
    *code = code_of(reader, part->begin, part->end);
    return *code->text || annotation_fail(reader, part->at, "@%s is empty: C or C++ code is wanted",
                                          annotation_keyword(part->key));
}

/* An expression; a semicolon after it is forgiven. */
static bool read_expression(const AnnotationReader *reader, const AnnotationPart *part,
                            AnnotationCode *code)
{
    if (!read_code(reader, part, code))
        return false;
    size_t length = strlen(code->text);
    while (length &&
           (code->text[length - 1] == ';' || isspace((unsigned char)code->text[length - 1])))
        length--;
    code->text = arena_copy(reader->arena, code->text, length);
    return length || annotation_fail(reader, part->at, "@%s is empty: an expression is wanted",
                                     annotation_keyword(part->key));
}

static bool read_codes(const AnnotationReader *reader, const AnnotationPart *part,
                       AnnotationCodes *codes)
{
    AnnotationCode code = {0};
    if (!read_code(reader, part, &code))
        return false;
    arena_push(reader->arena, codes, code);
    return true;
}

static bool read_invocation(const AnnotationReader *reader, size_t *at, size_t end,
                            AnnotationName *method, AnnotationName *condition)
{
    size_t start = *at;
    if (!take_name(reader, at, end, method))
        return annotation_fail(reader, MIN(start, end),
                               "@Happens_Before wants rules such as Push -> Pop, or "
                               "Push(Success) -> Pop(Success)%s",
                               "");
    if (!annotation_take_mark(reader, at, end, "("))
        return true;
    (void)take_name(reader, at, end, condition); /* empty parentheses: no condition */
    return annotation_take_mark(reader, at, end, ")") ||
           annotation_fail(reader, *at, "a ) is missing after the condition%s", "");
}

static bool read_rules(const AnnotationReader *reader, const AnnotationPart *part, Annotation *to)
{
    size_t at = part->begin;
    do {
        AnnotationRule rule = {0};
        if (!read_invocation(reader, &at, part->end, &rule.from, &rule.from_condition))
            return false;
        if (!annotation_take_mark(reader, &at, part->end, "->") &&
            !annotation_take_mark(reader, &at, part->end, "=>"))
            return annotation_fail(reader, at,
                                   "-> is missing between the two methods of the rule%s", "");
        if (!read_invocation(reader, &at, part->end, &rule.to, &rule.to_condition))
            return false;
        arena_push(reader->arena, &to->rules, rule);
        if (!annotation_take_mark(reader, &at, part->end, ","))
            annotation_take_mark(reader, &at, part->end, ";");
    } while (!at_end(reader, at, part->end));
    return true;
}

/* "enq <-> deq (M1->C_RET == -1)", several of them after one another. */
static bool read_pairs(const AnnotationReader *reader, const AnnotationPart *part, Annotation *to)
{
    size_t at = part->begin;
    do {
        AnnotationPair pair = {.commutes = part->key == ANNOTATION_COMMUTATIVITY};
        if (!take_name(reader, &at, part->end, &pair.first) ||
            !annotation_take_mark(reader, &at, part->end, "<->") ||
            !take_name(reader, &at, part->end, &pair.second))
            return annotation_fail(reader, part->at, "@%s wants two methods, such as enq <-> deq",
                                   annotation_keyword(part->key));
        size_t begin = at;
        if (annotation_take_mark(reader, &at, part->end, "(")) {
            begin = at;
            for (int depth = 1; at < part->end && depth; at++)
                depth += (reader->clean[at] == '(') - (reader->clean[at] == ')');
            if (reader->clean[at - 1] != ')')
                return annotation_fail(reader, begin, "a ) is missing after the condition%s", "");
            pair.condition = code_of(reader, begin, at - 1);
            pair.condition.later = true;
        }
        arena_push(reader->arena, &to->pairs, pair);
        if (!annotation_take_mark(reader, &at, part->end, ","))
            annotation_take_mark(reader, &at, part->end, ";");
    } while (!at_end(reader, at, part->end));
    return true;
}

/* "(LABEL): expression" */
static bool read_labelled(const AnnotationReader *reader, const AnnotationPart *part,
                          Annotation *to)
{
    size_t at = part->begin;
    AnnotationName label = {0};
    if (!annotation_take_mark(reader, &at, part->end, "(") ||
        !take_name(reader, &at, part->end, &label) ||
        !annotation_take_mark(reader, &at, part->end, ")"))
        return annotation_fail(reader, part->at,
                               "@%s wants a label in parentheses, as in @PotentialOP(A): true",
                               annotation_keyword(part->key));
    annotation_take_mark(reader, &at, part->end, ":");
    if (part->key == ANNOTATION_OP_CHECK)
        to->potential_label = label;
    else
        to->label = label;
    AnnotationPart rest = {part->key, part->at, at, part->end};
    return read_expression(reader, &rest, &to->condition);
}

static bool read_point_set(const AnnotationReader *reader, const AnnotationPart *part,
                           Annotation *to)
{
    size_t at = part->begin;
    do {
        AnnotationName name = {0};
        if (!take_name(reader, &at, part->end, &name))
            return annotation_fail(reader, part->at, "@%s wants labels separated by |",
                                   annotation_keyword(part->key));
        arena_push(reader->arena, &to->point_set, name);
    } while (annotation_take_mark(reader, &at, part->end, "|") ||
             annotation_take_mark(reader, &at, part->end, ","));
    annotation_take_mark(reader, &at, part->end, ";");
    return at_end(reader, at, part->end) ||
           annotation_fail(reader, at, "@%s wants labels separated by |",
                           annotation_keyword(part->key));
}

static bool read_condition(const AnnotationReader *reader, const AnnotationPart *part,
                           Annotation *to)
{
    size_t at = part->begin;
    AnnotationCondition condition = {0};
    if (!take_name(reader, &at, part->end, &condition.name) ||
        !annotation_take_mark(reader, &at, part->end, "::"))
        return annotation_fail(reader, part->at, "@%s wants a label, :: and an expression",
                               annotation_keyword(part->key));
    AnnotationPart rest = {part->key, part->at, at, part->end};
    if (!read_expression(reader, &rest, &condition.code))
        return false;
    arena_push(reader->arena, &to->conditions, condition);
    return true;
}

bool annotation_read_part(const AnnotationReader *reader, const AnnotationPart *part,
                          Annotation *to)
{
    switch (part->key) {
    case ANNOTATION_STRUCTURE:
        return at_end(reader, part->begin, part->end) ||
               annotation_fail(reader, part->begin,
                               "nothing stands between @%s and the next keyword",
                               annotation_keyword(part->key));
    case ANNOTATION_DECLARE_STRUCT:
        return read_codes(reader, part, &to->structs);
    case ANNOTATION_DECLARE_VAR:
    case ANNOTATION_DECLARE_STATE:
        return read_codes(reader, part, &to->variables);
    case ANNOTATION_INIT_VAR:
    case ANNOTATION_INITIAL:
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
    case ANNOTATION_TRANSITION:
        return read_code(reader, part, &to->side);
    case ANNOTATION_POST_CONDITION:
        return read_expression(reader, part, &to->post);
    case ANNOTATION_ADMISSIBILITY:
    case ANNOTATION_COMMUTATIVITY:
        return read_pairs(reader, part, to);
    case ANNOTATION_JUSTIFYING_PRE:
        return read_expression(reader, part, &to->justify_pre);
    case ANNOTATION_JUSTIFYING_POST:
        return read_expression(reader, part, &to->justify_post);
    case ANNOTATION_POTENTIAL:
    case ANNOTATION_CHECK:
    case ANNOTATION_LABEL_CHECK:
    case ANNOTATION_CLEAR:
    case ANNOTATION_OP_DEFINE:
    case ANNOTATION_OP_CLEAR:
    case ANNOTATION_OP_CLEAR_DEFINE:
        return read_expression(reader, part, &to->condition);
    case ANNOTATION_POTENTIAL_OP:
    case ANNOTATION_OP_CHECK:
        return read_labelled(reader, part, to);
    case ANNOTATION_POTENTIAL_LABEL:
        return read_name(reader, part, &to->potential_label);
    case ANNOTATION_LABEL:
        return read_name(reader, part, &to->label);
    case ANNOTATION_KEY_COUNT:
        break;
    }
    assert_failed("a known keyword", __FILE__, __LINE__);
}
