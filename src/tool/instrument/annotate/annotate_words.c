/* annotate_words.c: words of annotated code that mean something else in the program that is
 * compiled. The later CDSSpec papers write STATE(x) for a variable of the state, C_RET for the
 * result of the call and S_RET for what the transition computes; in conditions about other calls
 * NAME, C_RET(method) and C_ARG(method, parameter) are those of the other call, which
 * heddle_annotated.h has as macros; a pair of calls is M1 and M2. */
#include <string.h>
#include "tool/instrument/annotate/annotate_internal.h"
#include "tool/instrument/annotate/source_text.h"

static const struct {
    const char *word;
    const char *alone,
        *called; /* what it stands for, without and with a parenthesis; NULL: itself */
} later_words[] = {{"C_RET", "__RET__", "HEDDLE_OTHER_RESULT"},
                   {"S_RET", "heddle_s_ret", NULL},
                   {"STATE", NULL, ""},
                   {"CONCURRENT", "HEDDLE_CONCURRENT", NULL},
                   {"HasItem", NULL, "HEDDLE_HAS_ITEM"},
                   {"Guard", NULL, "HEDDLE_GUARD"},
                   {"Size", NULL, "HEDDLE_SIZE"},
                   {"NAME", "HEDDLE_NAME", NULL},
                   {"EQ", NULL, "HEDDLE_EQ"},
                   {"C_ARG", NULL, "HEDDLE_OTHER_ARGUMENT"}};

static size_t word_length(const char *text)
{
    return strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789");
}

static bool is_word(const char *text, size_t length, const char *word)
{
    return strlen(word) == length && !memcmp(text, word, length);
}

/* M1->C_RET and M1->value: of the first, or the second, of two calls. Returns the length of what it
 * stands for; 0 if it is nothing like that. */
static size_t emit_member(Buffer *out, const char *text, size_t length)
{
    if (length != 2 || text[0] != 'M' || (text[1] != '1' && text[1] != '2') ||
        strncmp(text + 2, "->", 2) != 0)
        return 0;
    size_t name = word_length(text + 4);
    if (is_word(text + 4, name, "C_RET"))
        buffer_printf(out, "heddle__pair_value(%c, 0)", text[1]);
    else
        buffer_printf(out, "heddle__pair_value(%c, \"%.*s\")", text[1], (int)name, text + 4);
    return 4 + name;
}

/* Writes what a word of the later papers stands for; false if it is none. */
static bool emit_later(Buffer *out, const char *text, size_t length)
{
    bool called = text[length + strspn(text + length, " ")] == '(';
    for (size_t i = 0; i < COUNT_OF(later_words); i++) {
        const char *to = called ? later_words[i].called : later_words[i].alone;
        if (!to || !is_word(text, length, later_words[i].word))
            continue;
        buffer_printf(out, "%s", to);
        return true;
    }
    return false;
}

/* `this` is no name that a variable may have; true and false have a meaning in C annotations
 * without <stdbool.h>, since every condition is about them. */
void annotate_emit_words(Buffer *out, const AnnotationCode *code, Dialect dialect)
{
    for (const char *text = code->text; *text;) {
        size_t length = word_length(text),
               member = code->later ? emit_member(out, text, length) : 0;
        if (*text == '"' || (*text == '\'' && !source_is_separator(str_of(code->text),
                                                                   (size_t)(text - code->text)))) {
            length = source_skip_literal(str_of(text), 0);
            buffer_append(out, text, length);
        } else if (member) {
            length = member;
        } else if (dialect == DIALECT_METHOD && is_word(text, length, "this")) {
            buffer_printf(out, "heddle_this");
        } else if (dialect == DIALECT_C && is_word(text, length, "true")) {
            buffer_printf(out, "1   ");
        } else if (dialect == DIALECT_C && is_word(text, length, "false")) {
            buffer_printf(out, "0    ");
        } else if (!length || !code->later || !emit_later(out, text, length)) {
            length = length ? length : 1;
            buffer_append(out, text, length);
        }
        text += length;
    }
}

void annotate_replace_returns(Buffer *out, const char *text, int number)
{
    while (*text) {
        size_t length = word_length(text);
        if (is_word(text, length, "return")) {
            const char *end = strchr(text, ';');
            size_t value = end ? (size_t)(end - text) : strlen(text);
            buffer_printf(out, "{ heddle_r%d = !!(%.*s); goto heddle_e%d; }", number,
                          (int)(value - length), text + length, number);
            text += value;
            continue;
        }
        length = length ? length : 1;
        buffer_append(out, text, length);
        text += length;
    }
    buffer_append(out, "", 1);
}
