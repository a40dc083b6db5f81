#include "prove/read/words.h"
#include <ctype.h>
#include <string.h>

typedef struct Sign {
    const char *spelling, *meaning;
} Sign;
/* Longest first, so that "<=" is not read as "<". */
static const Sign signs[] = {
    {"...", "..."},
    {"\xe2\x89\x80", "then"},
    {"\xe2\x8a\x96", "<->"},
    {"\xc2\xac", "not"},
    {"<->", "<->"},
    {"\xe2\x89\xa0", "!="},
    {"\xe2\x89\xa4", "<="},
    {"\xe2\x89\xa5", ">="},
    {"==", "=="},
    {"!=", "!="},
    {"<=", "<="},
    {">=", ">="},
    {"=>", "=>"},
    {"&&", "&&"},
    {"||", "||"},
    {"{", "{"},
    {"}", "}"},
    {"[", "["},
    {"]", "]"},
    {"(", "("},
    {")", ")"},
    {";", ";"},
    {",", ","},
    {":", ":"},
    {".", "."},
    {"<", "<"},
    {">", ">"},
    {"=", "="},
    {"*", "*"},
    {"+", "+"},
    {"-", "-"},
    {"%", "%"},
    {"!", "!"},
};

typedef struct WordReader {
    Arena *arena;
    const char *path;
    Str text;
    size_t at, line_start;
    int line;
} WordReader;

static int words_column(const WordReader *reader)
{
    return (int)(reader->at - reader->line_start) + 1;
}

static char words_peek(const WordReader *reader, size_t ahead)
{
    size_t at = reader->at + ahead;
    return at < reader->text.length ? reader->text.at[at] : '\0';
}

static bool words_skip_space(WordReader *reader, Error *error)
{
    for (;;) {
        char c = words_peek(reader, 0);
        if (reader->at >= reader->text.length)
            return true;
        if (c == '\n') {
            reader->at++;
            reader->line++;
            reader->line_start = reader->at;
        } else if (isspace((unsigned char)c)) {
            reader->at++;
        } else if (c == '/' && words_peek(reader, 1) == '/') {
            while (reader->at < reader->text.length && words_peek(reader, 0) != '\n')
                reader->at++;
        } else if (c == '/' && words_peek(reader, 1) == '*') {
            int line = reader->line, column = words_column(reader);
            reader->at += 2;
            while (!(words_peek(reader, 0) == '*' && words_peek(reader, 1) == '/')) {
                if (reader->at >= reader->text.length)
                    return error_at(error, reader->path, line, column, "this comment never ends");
                if (words_peek(reader, 0) == '\n') {
                    reader->line++;
                    reader->line_start = reader->at + 1;
                }
                reader->at++;
            }
            reader->at += 2;
        } else {
            return true;
        }
    }
}

static bool words_sign(WordReader *reader, Word *token)
{
    for (size_t i = 0; i < COUNT_OF(signs); i++) {
        size_t length = strlen(signs[i].spelling);
        if (reader->at + length <= reader->text.length &&
            memcmp(reader->text.at + reader->at, signs[i].spelling, length) == 0) {
            token->kind = WORD_SIGN;
            token->text = signs[i].meaning;
            reader->at += length;
            return true;
        }
    }
    return false;
}

static bool words_next(WordReader *reader, Word *token, Error *error)
{
    if (!words_skip_space(reader, error))
        return false;
    *token = (Word){.kind = WORD_END,
                    .text = "the end of the file",
                    .line = reader->line,
                    .column = words_column(reader),
                    .offset = reader->at};
    if (reader->at >= reader->text.length)
        return true;
    char c = words_peek(reader, 0);
    size_t start = reader->at;
    if (isalpha((unsigned char)c) || c == '_') {
        while (isalnum((unsigned char)words_peek(reader, 0)) || words_peek(reader, 0) == '_')
            reader->at++;
        token->kind = WORD_NAME;
        token->text = str_copy(reader->arena, (Str){reader->text.at + start, reader->at - start});
        return true;
    }
    if (isdigit((unsigned char)c)) {
        while (isdigit((unsigned char)words_peek(reader, 0)))
            reader->at++;
        Str digits = {reader->text.at + start, reader->at - start};
        token->kind = WORD_NUMBER;
        token->text = str_copy(reader->arena, digits);
        if (!str_to_int64(digits, &token->number) || token->number > 1000000000)
            return error_at(error, reader->path, token->line, token->column,
                            "the number %s is too large", token->text);
        return true;
    }
    if (c == '"') {
        reader->at++;
        while (words_peek(reader, 0) != '"') {
            if (reader->at >= reader->text.length || words_peek(reader, 0) == '\n')
                return error_at(error, reader->path, token->line, token->column,
                                "this string never ends");
            reader->at++;
        }
        token->kind = WORD_STRING;
        token->text =
            str_copy(reader->arena, (Str){reader->text.at + start + 1, reader->at - start - 1});
        reader->at++;
        return true;
    }
    if (words_sign(reader, token))
        return true;
    return error_at(error, reader->path, token->line, token->column,
                    isprint((unsigned char)c) ? "unexpected character '%c'"
                                              : "unexpected byte 0x%02x",
                    (unsigned char)c);
}

bool words_run(Arena *arena, const char *path, Str text, Words *out, Error *error)
{
    WordReader reader = {.arena = arena, .path = path, .text = text, .line = 1};
    Word token;
    do {
        if (!words_next(&reader, &token, error))
            return false;
        vec_push(out, token);
    } while (token.kind != WORD_END);
    return true;
}
