/* annotation_names.c: the names that the code of annotations declares and speaks of. */
#include <string.h>
#include "tool/instrument/annotate/annotation.h"
#include "tool/instrument/annotate/source_text.h"

bool annotation_has_token(const char *code, const char *word)
{
    size_t length = strlen(word);
    Str text = str_of(code);
    for (size_t i = 0; i < text.length;) {
        if (text.at[i] == '"' || (text.at[i] == '\'' && !source_is_separator(text, i))) {
            i = source_skip_literal(text, i);
        } else if (source_is_word(text.at[i])) {
            size_t start = i;
            while (i < text.length && source_is_word(text.at[i]))
                i++;
            if (i - start == length && !memcmp(text.at + start, word, length))
                return true;
        } else {
            i++;
        }
    }
    return false;
}

bool annotation_mentions(const Annotation *a, const char *name)
{
    const AnnotationCode *codes[] = {&a->id,   &a->pre,         &a->side,
                                     &a->post, &a->justify_pre, &a->justify_post};
    bool found = false;
    for (size_t i = 0; i < COUNT_OF(codes); i++)
        found |= codes[i]->text && annotation_has_token(codes[i]->text, name);
    for (size_t i = 0; i < a->conditions.count; i++)
        found |= annotation_has_token(a->conditions.at[i].code.text, name);
    return found;
}

/* ---- declared names ---- */

/* In each declarator the name is the last identifier before its [, =, : or end, outside of braces;
 * inside parentheses only if nothing else was found: int (*f)(int) declares f. */
void annotation_declared_names(Arena *arena, Str code, AnnotationWords *names)
{
    Str name = {0};
    int braces = 0, parentheses = 0, brackets = 0;
    bool fixed = false;
    for (size_t i = 0; i <= code.length; i++) {
        char c = i < code.length ? code.at[i] : ';';
        if (c == '/' && i + 1 < code.length && code.at[i + 1] == '/') {
            i = source_line_end(code, i);
            continue;
        }
        if (c == '"' || (c == '\'' && !source_is_separator(code, i))) {
            i = source_skip_literal(code, i) - 1;
            continue;
        }
        braces += (c == '{') - (c == '}');
        brackets += (c == '[') - (c == ']');
        parentheses += (c == '(') - (c == ')');
        if (braces || (brackets && c != '['))
            continue;
        if (c == '[' || c == '=' || (c == ':' && !parentheses) || (c == ')' && name.length))
            fixed = true;
        if ((c == ';' || c == ',') && !parentheses) {
            if (name.length)
                arena_push(arena, names, str_copy(arena, name));
            name = (Str){0};
            fixed = false;
        } else if (source_is_word(c) && !fixed) {
            size_t start = i;
            while (i + 1 < code.length && source_is_word(code.at[i + 1]))
                i++;
            name = (Str){code.at + start, i + 1 - start};
        }
    }
}
