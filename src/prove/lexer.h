/* lexer.h: the words of the prover's notations, each with its place. */
#ifndef HEDDLE_PROVE_LEXER_H
#define HEDDLE_PROVE_LEXER_H
#include "base/error.h"
#include "base/str.h"

typedef enum TokenKind { TOKEN_NAME, TOKEN_NUMBER, TOKEN_STRING, TOKEN_SIGN, TOKEN_END } TokenKind;
typedef struct Token {
    TokenKind kind;
    const char *text; /* of a string: without its quotes */
    int64_t number;
    int line, column;
} Token;
typedef Vec(Token) Tokens;

/* The last token is TOKEN_END. The signs for "not equal" and so on may be Unicode's. */
MUST_USE bool lexer_run(Arena *arena, const char *path, Str text, Tokens *out, Error *error);
#endif
