/* parser.h: inside the parser: its state and what its files share. Functions that return NULL or
 * false have filled the error. */
#ifndef HEDDLE_MODEL_PARSER_H
#define HEDDLE_MODEL_PARSER_H
#include "model/syntax.h"

enum { MAX_NESTING = 200 };

typedef Vec(Syntax *) SyntaxList;

typedef struct Parser {
    Arena *arena;
    const Token *at;
    Error *error;
    int nesting;
} Parser;

/* parse_expr.c: tokens and nodes, expressions */
bool parser_token_is(const Token *token, const char *text);
bool parser_is(const Parser *parser, const char *text);
bool parser_accept(Parser *parser, const char *text); /* goes on if it is there */
const char *parser_token_text(Parser *parser, const Token *token);
MUST_USE bool parser_expect(Parser *parser, const char *text);
MUST_USE bool parser_expect_name(Parser *parser, const char *what, const char **name);
MUST_USE bool parser_enter(Parser *parser); /* one level deeper; the caller counts back */
Syntax *parser_node_at(Parser *parser, SyntaxKind kind, Place place);
Syntax *parser_node(Parser *parser, SyntaxKind kind);                 /* at the next token */
void parser_set_list(Parser *parser, Syntax *node, SyntaxList *list); /* takes the list */
Syntax *parse_expr(Parser *parser);

/* parse_stmt.c: types, declarations, statements */
bool parser_starts_type(const Parser *parser);
Syntax *parse_type(Parser *parser);
MUST_USE bool parse_declaration(Parser *parser, SyntaxList *list);
Syntax *parse_block(Parser *parser);
#endif
