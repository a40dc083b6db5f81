/* A recursive descent over the tokens. The first error is kept and moves the parser to the end of
 * the input, so that every loop stops and no caller has to check after each word. */
#include "prove/read/text.h"
#include "prove/read/private_steps.h"
#include "base/file.h"
#include "prove/read/words.h"
#include "prove/read/text_private.h"
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void *text_fail(TextParser *parser, const Word *token, const char *format, ...)
{
    if (!parser->failed) {
        char message[900];
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(message, sizeof message, format, arguments);
        va_end(arguments);
        error_at(parser->error, parser->program->path, token->line, token->column, "%s", message);
    }
    parser->failed = true;
    parser->at = parser->tokens.count - 1;
    return NULL;
}

const Word *text_peek(const TextParser *parser, size_t ahead)
{
    size_t at = MIN(parser->at + ahead, parser->tokens.count - 1);
    return &parser->tokens.at[at];
}

const Word *text_take(TextParser *parser)
{
    const Word *token = text_peek(parser, 0);
    if (token->kind != WORD_END)
        parser->at++;
    return token;
}

bool text_is(const TextParser *parser, const char *word)
{
    const Word *token = text_peek(parser, 0);
    return token->kind != WORD_STRING && token->kind != WORD_END && strcmp(token->text, word) == 0;
}

bool text_accept(TextParser *parser, const char *word)
{
    if (!text_is(parser, word))
        return false;
    parser->at++;
    return true;
}

void text_expect(TextParser *parser, const char *word)
{
    if (!text_accept(parser, word))
        text_fail(parser, text_peek(parser, 0), "expected '%s' before '%s'", word,
                  text_peek(parser, 0)->text);
}

static const char *const reserved[] = {
    "struct", "global", "collected", "init",    "op",     "internal", "invariant",
    "assume", "spec",   "int",       "bool",    "key",    "tid",      "live",
    "new",    "free",   "malloc",    "READ",    "ensure", "assert",   "walk",
    "NULL",   "ID",     "none",      "forall",  "from",   "via",      "keeping",
    "until",  "each",   "inserts",   "removes", "meets",  "size",     "refinement"};

const char *text_name(TextParser *parser, const char *what)
{
    const Word *token = text_take(parser);
    if (token->kind != WORD_NAME) {
        text_fail(parser, token, "expected %s before '%s'", what, token->text);
        return "?";
    }
    /* "key" is both a kind and the usual name of a field. */
    for (size_t i = 0; i < COUNT_OF(reserved); i++)
        if (strcmp(token->text, reserved[i]) == 0 && strcmp(token->text, "key") != 0) {
            text_fail(parser, token, "'%s' is a word of the language, not %s", token->text, what);
            return "?";
        }
    return token->text;
}

static int text_find_structure(const IrProgram *program, const char *name)
{
    for (size_t i = 0; i < program->structures.count; i++)
        if (strcmp(program->structures.at[i], name) == 0)
            return (int)i;
    return -1;
}

bool text_is_kind(const TextParser *parser, const Word *token, IrType *type)
{
    static const char *const words[] = {"int", "bool", "key", "tid"};
    if (token->kind != WORD_NAME)
        return false;
    for (int i = 0; i < 4; i++)
        if (strcmp(token->text, words[i]) == 0) {
            *type = (IrType){(IrKind)i, -1};
            return true;
        }
    int structure = text_find_structure(parser->program, token->text);
    *type = (IrType){KIND_NODE, structure};
    return structure >= 0;
}

IrType text_kind(TextParser *parser)
{
    IrType type = {KIND_INT, -1};
    const Word *token = text_take(parser);
    if (!text_is_kind(parser, token, &type))
        text_fail(parser, token, "expected a kind (int, bool, key, tid or a structure) before '%s'",
                  token->text);
    return type;
}

int text_find_variable(const IrVariable *variables, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(variables[i].name, name) == 0)
            return (int)i;
    return -1;
}

/* Fails if NAME is that of a global and of a local: who reads the text could take one for the
 * other. */
static void text_check_hidden(TextParser *parser, const Word *place, const char *name, int scope,
                              const char *what)
{
    for (size_t i = 0; i < parser->declared.count && !parser->failed; i++) {
        const TextDeclared *known = &parser->declared.at[i];
        if (known->program != parser->program || strcmp(known->name, name) != 0)
            continue;
        if (what) {
            if (known->scope == 0 || known->scope == scope)
                text_fail(parser, place, "%s '%s' hides the %s of %d:%d: use another name", what,
                          name, known->scope ? "local" : "global", known->line, known->column);
        } else if (scope > 0 && known->scope == 0) {
            text_fail(parser, place, "local '%s' hides the global of %d:%d: use another name", name,
                      known->line, known->column);
        } else if (scope == 0 && known->scope > 0) {
            text_fail(parser, place, "the local of %d:%d hides global '%s': use another name",
                      known->line, known->column, name);
        }
    }
}

void text_declare(TextParser *parser, const Word *place, const char *name, bool local)
{
    int scope = local ? parser->scopes : 0;
    text_check_hidden(parser, place, name, scope, NULL);
    vec_push(&parser->declared,
             (TextDeclared){parser->program, name, scope, place->line, place->column});
}

void text_check_bound(TextParser *parser, const Word *place, const char *name)
{
    for (int i = 0; i < parser->bound_count; i++)
        if (strcmp(parser->bound[i].name, name) == 0)
            text_fail(parser, place, "variable '%s' is declared twice", name);
    text_check_hidden(parser, place, name, parser->operation ? parser->scopes : -1, "variable");
}

static void text_structure(TextParser *parser)
{
    IrProgram *program = parser->program;
    const Word *place = text_peek(parser, 0);
    const char *name = text_name(parser, "the name of a structure");
    if (text_find_structure(program, name) >= 0)
        text_fail(parser, place, "structure '%s' is declared twice", name);
    int structure = (int)program->structures.count;
    arena_push(parser->arena, &program->structures, name);
    text_expect(parser, "{");
    while (!parser->failed && !text_accept(parser, "}")) {
        IrType type = text_kind(parser);
        const Word *field_place = text_peek(parser, 0);
        const char *field = text_name(parser, "the name of a field");
        for (size_t i = 0; i < program->fields.count; i++)
            if (program->fields.at[i].structure == structure &&
                strcmp(program->fields.at[i].name, field) == 0)
                text_fail(parser, field_place, "field '%s' is declared twice", field);
        arena_push(parser->arena, &program->fields, (IrField){field, structure, type});
        if (!text_accept(parser, ";") && !text_accept(parser, ",") && !text_is(parser, "}"))
            text_expect(parser, ";");
    }
    text_accept(parser, ";");
}

/* Is the global NAME, declared here, only ever used as NAME.field? Then it is a record. */
static bool text_only_dotted(const TextParser *parser, const char *name)
{
    bool used = false;
    for (size_t i = parser->at; i + 1 < parser->tokens.count; i++) {
        const Word *token = &parser->tokens.at[i];
        if (token->kind != WORD_NAME || strcmp(token->text, name) != 0)
            continue;
        if (i > 0 && strcmp(parser->tokens.at[i - 1].text, ".") == 0)
            continue;
        if (strcmp(parser->tokens.at[i + 1].text, ".") != 0 &&
            strcmp(parser->tokens.at[i + 1].text, "[") != 0)
            return false;
        used = true;
    }
    return used;
}

static void text_add_global(TextParser *parser, const Word *place, const char *name, IrType type)
{
    IrProgram *program = parser->program;
    if (text_find_variable(program->globals.at, program->globals.count, name) >= 0 ||
        text_find_variable(program->arrays.at, program->arrays.count, name) >= 0)
        text_fail(parser, place, "global '%s' is declared twice", name);
    arena_push(parser->arena, &program->globals, (IrVariable){name, type});
}

/* `size N;`: a number of at least 2 that nobody changes, for positions modulo N. */
static void text_size(TextParser *parser)
{
    IrProgram *program = parser->program;
    const Word *place = text_peek(parser, 0);
    const char *name = text_name(parser, "the name of a size");
    if (program->size >= 0)
        text_fail(parser, place, "a second size");
    program->size = (int)program->globals.count;
    text_declare(parser, place, name, false);
    text_add_global(parser, place, name, (IrType){KIND_INT, -1});
    text_expect(parser, ";");
}

static void text_globals(TextParser *parser, bool may_be_record)
{
    IrProgram *program = parser->program;
    IrType type = text_kind(parser);
    do {
        const Word *place = text_peek(parser, 0);
        const char *name = text_name(parser, "the name of a global");
        text_declare(parser, place, name, false);
        if (text_accept(parser, "[")) {
            text_expect(parser, "]");
            if (text_find_variable(program->arrays.at, program->arrays.count, name) >= 0)
                text_fail(parser, place, "global '%s' is declared twice", name);
            arena_push(parser->arena, &program->arrays, (IrVariable){name, type});
        } else if (may_be_record && ir_type_is_node(type) && text_only_dotted(parser, name)) {
            for (size_t i = 0; i < program->fields.count; i++)
                if (program->fields.at[i].structure == type.structure)
                    text_add_global(
                        parser, place,
                        arena_printf(parser->arena, "%s.%s", name, program->fields.at[i].name),
                        program->fields.at[i].type);
        } else {
            text_add_global(parser, place, name, type);
        }
    } while (text_accept(parser, ","));
    text_expect(parser, ";");
}

/* `[NAME :] [forall kind n [, kind m] :] formula ;` */
static void text_fact(TextParser *parser)
{
    UserFact fact = {.operation = -1, .line = text_peek(parser, 0)->line};
    if (text_peek(parser, 0)->kind == WORD_NAME && strcmp(text_peek(parser, 1)->text, ":") == 0) {
        fact.text = text_take(parser)->text;
        text_expect(parser, ":");
    }
    parser->operation = NULL;
    parser->bound_count = 0;
    if (text_accept(parser, "forall")) {
        do {
            const Word *place = text_peek(parser, 0);
            IrType type = text_kind(parser);
            if (fact.bound_count == 2) {
                text_fail(parser, place, "a fact has at most two quantified variables");
                return;
            }
            const Word *named = text_peek(parser, 0);
            const char *name = text_name(parser, "the name of a variable");
            text_check_bound(parser, named, name);
            parser->bound[fact.bound_count] = (IrVariable){name, type};
            fact.bound[fact.bound_count++] = type;
            parser->bound_count = fact.bound_count;
        } while (text_accept(parser, ","));
        text_expect(parser, ":");
    }
    fact.formula = text_formula(parser);
    parser->bound_count = 0;
    text_expect(parser, ";");
    arena_push(parser->arena, &parser->program->facts, fact);
}

/* The words between the braces may name ghosts, which are made when the relation is searched for:
 * until then they are kept as text. */
static void text_refinement(TextParser *parser)
{
    const Word *place = text_peek(parser, 0), *end;
    IrProgram *spec = parser->program->specification;
    int depth = 1;
    text_expect(parser, "{");
    if (!spec)
        text_fail(parser, place, "`refinement' follows the `spec { ... }' that it speaks of");
    else if (spec->refinement.length > 0)
        text_fail(parser, place, "a second `refinement'");
    const Word *first = text_peek(parser, 0);
    do {
        end = text_take(parser);
        bool sign = end->kind == WORD_SIGN;
        depth += sign && strcmp(end->text, "{") == 0;
        depth -= sign && strcmp(end->text, "}") == 0;
    } while (depth > 0 && end->kind != WORD_END);
    if (depth > 0)
        text_fail(parser, end, "expected '}' before '%s'", end->text);
    if (parser->failed)
        return;
    spec->refinement = (Str){parser->text.at + first->offset, end->offset - first->offset};
    spec->refinement_line = first->line;
    spec->refinement_column = first->column;
}

static void text_specification(TextParser *parser)
{
    IrProgram *outer = parser->program;
    const Word *place = text_peek(parser, 0);
    if (outer->specification || outer->discipline != DISCIPLINE_NONE)
        text_fail(parser, place, "a second specification");
    if (text_is(parser, "stack") || text_is(parser, "queue")) {
        outer->discipline =
            strcmp(text_take(parser)->text, "stack") == 0 ? DISCIPLINE_STACK : DISCIPLINE_QUEUE;
        text_expect(parser, ";");
        return;
    }
    outer->specification = ir_program_new(parser->arena, outer->path);
    text_expect(parser, "{");
    parser->program = outer->specification;
    while (!parser->failed && !text_is(parser, "}"))
        text_item(parser);
    parser->program = outer;
    text_expect(parser, "}");
}

void text_item(TextParser *parser)
{
    IrProgram *program = parser->program;
    const Word *token = text_peek(parser, 0);
    IrType type;
    if (text_accept(parser, "struct")) {
        text_structure(parser);
    } else if (text_accept(parser, "global")) {
        text_globals(parser, false);
    } else if (text_accept(parser, "collected")) {
        program->collected = true;
        if (program->frees)
            text_fail(parser, token,
                      "`collected;` in a text that frees nodes: leave one of them out");
        text_expect(parser, ";");
    } else if (text_is(parser, "stable") && strcmp(text_peek(parser, 1)->text, ";") == 0) {
        text_take(parser);
        program->stable = true;
        text_expect(parser, ";");
    } else if (text_is(parser, "size") && text_peek(parser, 1)->kind == WORD_NAME) {
        text_take(parser);
        text_size(parser);
    } else if (text_accept(parser, "init")) {
        text_initial(parser);
    } else if (text_is(parser, "internal") || text_is(parser, "op")) {
        text_operation(parser);
    } else if (text_accept(parser, "invariant")) {
        text_fact(parser);
    } else if (text_accept(parser, "refinement")) {
        text_refinement(parser);
    } else if (text_accept(parser, "assume")) {
        token = text_take(parser);
        if (token->kind != WORD_STRING)
            text_fail(parser, token, "expected a sentence in quotes after assume");
        arena_push(parser->arena, &program->assumptions, token->text);
        text_expect(parser, ";");
    } else if (text_accept(parser, "spec")) {
        text_specification(parser);
    } else if (text_is_kind(parser, token, &type)) {
        text_globals(parser, true);
    } else if (token->kind == WORD_NAME) {
        text_paper_operation(parser);
    } else {
        text_fail(parser, token, "expected a declaration or an operation before '%s'", token->text);
    }
}

/* The locals of the specification are the arguments and results that can be seen: each is a local
 * of the operation, by its name, and from here on by its position. */
static void text_match_locals(TextParser *parser, IrOperation *own, IrOperation *abstract)
{
    Word place = {.line = abstract->line, .column = 1};
    for (size_t k = 0; k < abstract->locals.count && !parser->failed; k++) {
        const IrVariable *seen = &abstract->locals.at[k];
        int local = text_find_variable(own->locals.at, own->locals.count, seen->name);
        if (local < 0) {
            text_fail(parser, &place, "'%s' of the specification of '%s' is no local of it",
                      seen->name, own->name);
        } else {
            arena_push(parser->arena, &own->ports, local);
            arena_push(parser->arena, &abstract->ports, (int)k);
        }
    }
}

/* Checks what only shows when all is read: the specification must speak about the operations. */
static void text_check_specification(TextParser *parser)
{
    IrProgram *program = parser->program, *spec = program->specification;
    if (!spec || parser->failed || program->discipline != DISCIPLINE_NONE)
        return;
    for (size_t i = 0; i < program->operations.count; i++) {
        const IrOperation *operation = &program->operations.at[i];
        if (!operation->internal && ir_program_find_operation(spec, operation->name) < 0) {
            Word place = {.line = operation->line, .column = 1};
            text_fail(parser, &place, "operation '%s' is not in the specification",
                      operation->name);
        }
    }
    for (size_t i = 0; i < spec->operations.count; i++) {
        IrOperation *operation = &spec->operations.at[i];
        Word place = {.line = operation->line, .column = 1};
        int implemented = ir_program_find_operation(program, operation->name);
        if (operation->subops.count != 1)
            text_fail(parser, &place, "the specification of '%s' must be one sub-operation",
                      operation->name);
        else if (implemented < 0)
            text_fail(parser, &place, "the specification has an operation '%s' that is not defined",
                      operation->name);
        else
            text_match_locals(parser, &program->operations.at[implemented], operation);
    }
}

/* Makes a copy with private steps joined; NULL if there are none. */
static IrProgram *text_joined(Arena *arena, const IrProgram *program)
{
    IrProgram *copy = arena_new_of(arena, IrProgram);
    bool joined = false;
    *copy = *program;
    arena_own(arena, &copy->operations);
    for (size_t i = 0; i < copy->operations.count; i++) {
        IrOperation *op = &copy->operations.at[i];
        arena_own(arena, &op->subops);
        joined |= op->private_steps && private_steps_join(arena, op);
    }
    return joined ? copy : NULL;
}

bool text_read(Arena *arena, const char *path, Str text, IrProgram **out, Error *error)
{
    TextParser parser = {
        .arena = arena, .error = error, .program = ir_program_new(arena, path), .text = text};
    if (!words_run(arena, path, text, &parser.tokens, error)) {
        vec_free(&parser.tokens);
        return false;
    }
    while (!parser.failed && text_peek(&parser, 0)->kind != WORD_END)
        text_item(&parser);
    if (!parser.failed && parser.program->operations.count == 0)
        text_fail(&parser, text_peek(&parser, 0), "there is no operation to prove");
    text_check_clauses(&parser);
    text_check_specification(&parser);
    vec_free(&parser.tokens);
    vec_free(&parser.declared);
    *out = parser.program;
    parser.program->manual = parser.program->frees && !parser.program->stable;
    if (!parser.failed)
        parser.program->joined = text_joined(arena, parser.program);
    return !parser.failed;
}

bool text_read_condition(Arena *arena, const IrProgram *program, const char *path,
                         const Words *words, size_t *at, const IrFormula **out, Error *error)
{
    IrProgram copy = *program; /* for its names: nothing is added */
    copy.path = path;
    TextParser parser = {
        .arena = arena, .error = error, .program = &copy, .tokens = *words, .at = *at};
    *out = text_formula(&parser);
    *at = parser.at;
    return !parser.failed;
}

bool text_read_refinement(Arena *arena, const IrProgram *spec, IrProgram *product, Error *error)
{
    TextParser parser = {.arena = arena, .error = error, .program = product};
    bool read = words_run(arena, product->path, spec->refinement, &parser.tokens, error);
    for (size_t i = 0; i < parser.tokens.count; i++) {
        Word *word = &parser.tokens.at[i];
        word->column += word->line == 1 ? spec->refinement_column - 1 : 0;
        word->line += spec->refinement_line - 1;
    }
    while (read && !parser.failed && text_peek(&parser, 0)->kind != WORD_END)
        text_fact(&parser);
    vec_free(&parser.tokens);
    return read && !parser.failed;
}

bool text_load(Arena *arena, const char *path, Str *out, Error *error)
{
    Buffer buffer = {0};
    if (!file_read_at_most(path, FILE_TEXT_BYTES, &buffer, error)) {
        vec_free(&buffer);
        return false;
    }
    file_protect(path);
    const char *copy = str_copy(arena, buffer_str(&buffer));
    *out = (Str){copy, buffer.count};
    vec_free(&buffer);
    return true;
}

bool text_read_file(Arena *arena, const char *path, IrProgram **out, Error *error)
{
    Str text;
    return text_load(arena, path, &text, error) && text_read(arena, path, text, out, error);
}
