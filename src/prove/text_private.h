/* text_private.h: the parser shared by text.c (declarations) and text_operation.c (operations). */
#ifndef HEDDLE_PROVE_TEXT_PRIVATE_H
#define HEDDLE_PROVE_TEXT_PRIVATE_H
#include "prove/ir.h"
#include "prove/lexer.h"

typedef struct Parser {
    Arena *arena;
    Error *error;
    Program *program;     /* the one being filled: the outer one or its specification */
    Operation *operation; /* whose locals are in scope, or NULL */
    Tokens tokens;
    size_t at;
    bool failed;
    Variable bound[2];
    int bound_count;
} Parser;

void *text_fail(Parser *parser, const Token *token, const char *format, ...) PRINTF_LIKE(3, 4);
const Token *text_peek(const Parser *parser, size_t ahead);
const Token *text_take(Parser *parser);
bool text_is(const Parser *parser, const char *word);
bool text_accept(Parser *parser, const char *word);
void text_expect(Parser *parser, const char *word);
const char *text_name(Parser *parser, const char *what);
bool text_is_kind(const Parser *parser, const Token *token, Type *type);
Type text_kind(Parser *parser);
int text_find_variable(const Variable *variables, size_t count, const char *name);
void text_item(Parser *parser);

const Formula *text_formula(Parser *parser);
void text_initial(Parser *parser);         /* after `init` */
void text_operation(Parser *parser);       /* at [internal] [joint] op */
void text_paper_operation(Parser *parser); /* at its name */
#endif
