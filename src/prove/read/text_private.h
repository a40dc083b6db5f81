/* text_private.h: the parser shared by text.c (declarations) and text_operation.c (operations). */
#ifndef HEDDLE_PROVE_READ_TEXT_PRIVATE_H
#define HEDDLE_PROVE_READ_TEXT_PRIVATE_H
#include "prove/ir.h"
#include "prove/read/words.h"

typedef struct TextDeclared { /* a name, and where */
    const IrProgram *program;
    const char *name;
    int scope; /* which operation, counted from 1; 0: a global */
    int line, column;
} TextDeclared;

typedef struct TextParser {
    Arena *arena;
    Error *error;
    IrProgram *program;     /* the one being filled: the outer one or its specification */
    IrOperation *operation; /* whose locals are in scope, or NULL */
    Str text;               /* lives as long as what is read */
    Words tokens;
    size_t at;
    bool failed;
    IrVariable bound[2];
    int bound_count;
    Vec(TextDeclared) declared;
    int scopes; /* operations so far, the one being read included */
    int depth;  /* of expressions and formulas inside each other, or in a row */
} TextParser;

void *text_fail(TextParser *parser, const Word *token, const char *format, ...) PRINTF_LIKE(3, 4);
const Word *text_peek(const TextParser *parser, size_t ahead);
const Word *text_take(TextParser *parser);
bool text_is(const TextParser *parser, const char *word);
bool text_accept(TextParser *parser, const char *word);
void text_expect(TextParser *parser, const char *word);
const char *text_name(TextParser *parser, const char *what);
bool text_is_kind(const TextParser *parser, const Word *token, IrType *type);
IrType text_kind(TextParser *parser);
int text_find_variable(const IrVariable *variables, size_t count, const char *name);
void text_item(TextParser *parser);
/* Notes the name of a global, or of a local of parser->operation; fails if one hides the other. */
void text_declare(TextParser *parser, const Word *place, const char *name, bool local);
/* Fails if the name of a quantified variable hides that of a local or global. */
void text_check_bound(TextParser *parser, const Word *place, const char *name);

const IrFormula *text_formula(TextParser *parser);
void text_initial(TextParser *parser);         /* after `init` */
void text_operation(TextParser *parser);       /* at [internal] op */
void text_paper_operation(TextParser *parser); /* at its name */
bool text_clause(TextParser *parser);          /* at inserts, removes, meets; false: at none */
/* When all is read: what the clauses name exists; makes the specification of a stack or queue. */
void text_check_clauses(TextParser *parser);
/* The formula on globals of PROGRAM that begins at word *AT of the file PATH; moves *AT behind it.
 */
MUST_USE bool text_read_condition(Arena *arena, const IrProgram *program, const char *path,
                                  const Words *words, size_t *at, const IrFormula **out,
                                  Error *error);
#endif
