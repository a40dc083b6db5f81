/* lexer.h: model text to tokens: comments, #include, #define of a name, #ifdef. */
#ifndef HEDDLE_MODEL_LEXER_H
#define HEDDLE_MODEL_LEXER_H
#include "model/model.h"

typedef enum TokenKind { TOKEN_END, TOKEN_NAME, TOKEN_NUMBER, TOKEN_SYMBOL } TokenKind;

typedef struct Token {
    TokenKind kind;
    const char *text; /* of a name or symbol */
    int64_t value;    /* of a number */
    Place place;
} Token;

typedef struct Define { /* -DNAME=VALUE */
    const char *name;
    int64_t value;
    bool used; /* by a param, an #ifdef or as a constant */
} Define;

typedef Vec(Token) Tokens;
typedef Vec(Define) Defines;

/* Appends the tokens of a file, includes expanded; no TOKEN_END. Defines that #ifdef asks for are
 * marked used. */
MUST_USE bool lexer_read(Arena *arena, const SourceFile *file, const ModelOptions *options,
                         Defines *defines, Tokens *out, Error *error);
#endif
