#include "prove/lexer.h"
#include <ctype.h>
#include <string.h>

typedef struct Sign {
    const char *spelling, *meaning;
} Sign;
/* Longest first, so that "<=" is not read as "<". */
static const Sign signs[] = {
    {"...", "..."}, {"\xe2\x89\xa0", "!="}, {"\xe2\x89\xa4", "<="}, {"\xe2\x89\xa5", ">="},
    {"==", "=="},   {"!=", "!="},           {"<=", "<="},           {">=", ">="},
    {"=>", "=>"},   {"&&", "&&"},           {"||", "||"},           {"{", "{"},
    {"}", "}"},     {"[", "["},             {"]", "]"},             {"(", "("},
    {")", ")"},     {";", ";"},             {",", ","},             {":", ":"},
    {".", "."},     {"<", "<"},             {">", ">"},             {"=", "="},
    {"*", "*"},     {"+", "+"},             {"-", "-"},             {"!", "!"},
};

typedef struct Lexer {
    Arena *arena;
    const char *path;
    Str text;
    size_t at, line_start;
    int line;
} Lexer;

static int lexer_column(const Lexer *lexer)
{
    return (int)(lexer->at - lexer->line_start) + 1;
}

static char lexer_peek(const Lexer *lexer, size_t ahead)
{
    size_t at = lexer->at + ahead;
    return at < lexer->text.length ? lexer->text.at[at] : '\0';
}

static bool lexer_skip_space(Lexer *lexer, Error *error)
{
    for (;;) {
        char c = lexer_peek(lexer, 0);
        if (lexer->at >= lexer->text.length)
            return true;
        if (c == '\n') {
            lexer->at++;
            lexer->line++;
            lexer->line_start = lexer->at;
        } else if (isspace((unsigned char)c)) {
            lexer->at++;
        } else if (c == '/' && lexer_peek(lexer, 1) == '/') {
            while (lexer->at < lexer->text.length && lexer_peek(lexer, 0) != '\n')
                lexer->at++;
        } else if (c == '/' && lexer_peek(lexer, 1) == '*') {
            int line = lexer->line, column = lexer_column(lexer);
            lexer->at += 2;
            while (!(lexer_peek(lexer, 0) == '*' && lexer_peek(lexer, 1) == '/')) {
                if (lexer->at >= lexer->text.length)
                    return error_at(error, lexer->path, line, column, "this comment never ends");
                if (lexer_peek(lexer, 0) == '\n') {
                    lexer->line++;
                    lexer->line_start = lexer->at + 1;
                }
                lexer->at++;
            }
            lexer->at += 2;
        } else {
            return true;
        }
    }
}

static bool lexer_sign(Lexer *lexer, Token *token)
{
    for (size_t i = 0; i < COUNT_OF(signs); i++) {
        size_t length = strlen(signs[i].spelling);
        if (lexer->at + length <= lexer->text.length &&
            memcmp(lexer->text.at + lexer->at, signs[i].spelling, length) == 0) {
            token->kind = TOKEN_SIGN;
            token->text = signs[i].meaning;
            lexer->at += length;
            return true;
        }
    }
    return false;
}

static bool lexer_next(Lexer *lexer, Token *token, Error *error)
{
    if (!lexer_skip_space(lexer, error))
        return false;
    *token = (Token){.kind = TOKEN_END, .text = "the end of the file", .line = lexer->line,
                     .column = lexer_column(lexer)};
    if (lexer->at >= lexer->text.length)
        return true;
    char c = lexer_peek(lexer, 0);
    size_t start = lexer->at;
    if (isalpha((unsigned char)c) || c == '_') {
        while (isalnum((unsigned char)lexer_peek(lexer, 0)) || lexer_peek(lexer, 0) == '_')
            lexer->at++;
        token->kind = TOKEN_NAME;
        token->text = str_copy(lexer->arena, (Str){lexer->text.at + start, lexer->at - start});
        return true;
    }
    if (isdigit((unsigned char)c)) {
        while (isdigit((unsigned char)lexer_peek(lexer, 0)))
            lexer->at++;
        Str digits = {lexer->text.at + start, lexer->at - start};
        token->kind = TOKEN_NUMBER;
        token->text = str_copy(lexer->arena, digits);
        if (!str_to_int64(digits, &token->number) || token->number > 1000000000)
            return error_at(error, lexer->path, token->line, token->column,
                            "the number %s is too large", token->text);
        return true;
    }
    if (c == '"') {
        lexer->at++;
        while (lexer_peek(lexer, 0) != '"') {
            if (lexer->at >= lexer->text.length || lexer_peek(lexer, 0) == '\n')
                return error_at(error, lexer->path, token->line, token->column,
                                "this string never ends");
            lexer->at++;
        }
        token->kind = TOKEN_STRING;
        token->text =
            str_copy(lexer->arena, (Str){lexer->text.at + start + 1, lexer->at - start - 1});
        lexer->at++;
        return true;
    }
    if (lexer_sign(lexer, token))
        return true;
    return error_at(error, lexer->path, token->line, token->column,
                    isprint((unsigned char)c) ? "unexpected character '%c'"
                                              : "unexpected byte 0x%02x",
                    (unsigned char)c);
}

bool lexer_run(Arena *arena, const char *path, Str text, Tokens *out, Error *error)
{
    Lexer lexer = {.arena = arena, .path = path, .text = text, .line = 1};
    Token token;
    do {
        if (!lexer_next(&lexer, &token, error))
            return false;
        vec_push(out, token);
    } while (token.kind != TOKEN_END);
    return true;
}
