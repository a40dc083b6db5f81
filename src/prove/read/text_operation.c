/* Expressions, conditions, statements and operations of both notations. */
#include "prove/read/text_private.h"
#include <string.h>

#define MOST_DEPTH 500
static const IrExpr *text_expr(TextParser *parser);

static int text_find_field(const IrProgram *program, int structure, const char *name)
{
    for (size_t i = 0; i < program->fields.count; i++)
        if (program->fields.at[i].structure == structure &&
            strcmp(program->fields.at[i].name, name) == 0)
            return (int)i;
    return -1;
}

static bool text_is_global(const IrProgram *program, const char *name)
{
    return text_find_variable(program->arrays.at, program->arrays.count, name) >= 0 ||
           text_find_variable(program->globals.at, program->globals.count, name) >= 0;
}

/* The longest name of a global that begins here: records and what belongs to a specification have
 * names with dots. */
static const char *text_dotted(TextParser *parser, const char *name)
{
    const char *longest = name;
    size_t ahead = 0, used = 0;
    while (strcmp(text_peek(parser, ahead)->text, ".") == 0 &&
           text_peek(parser, ahead + 1)->kind == WORD_NAME) {
        name = arena_printf(parser->arena, "%s.%s", name, text_peek(parser, ahead + 1)->text);
        ahead += 2;
        if (!text_is_global(parser->program, name))
            continue;
        longest = name;
        used = ahead;
    }
    parser->at += used;
    return longest;
}

static const IrExpr *text_named(TextParser *parser, const Word *token)
{
    IrProgram *program = parser->program;
    const char *name = token->text;
    for (int i = 0; i < parser->bound_count; i++)
        if (strcmp(parser->bound[i].name, name) == 0)
            return ir_variable(parser->arena, IR_BOUND, i, parser->bound[i].type);
    if (parser->operation) {
        int local =
            text_find_variable(parser->operation->locals.at, parser->operation->locals.count, name);
        if (local >= 0)
            return ir_variable(parser->arena, IR_LOCAL, local,
                               parser->operation->locals.at[local].type);
    }
    name = text_dotted(parser, name);
    int array = text_find_variable(program->arrays.at, program->arrays.count, name);
    if (array >= 0) {
        text_expect(parser, "[");
        const IrExpr *position = text_expr(parser);
        text_expect(parser, "]");
        return ir_cell(parser->arena, program, array, position);
    }
    int global = text_find_variable(program->globals.at, program->globals.count, name);
    if (global < 0 && text_is(parser, "[")) {
        /* A record: Q.head, or Q[head], is one global. */
        const char *member = text_peek(parser, 1)->text;
        global = text_find_variable(program->globals.at, program->globals.count,
                                    arena_printf(parser->arena, "%s.%s", name, member));
        if (global >= 0)
            parser->at += 3;
    }
    if (global >= 0)
        return ir_variable(parser->arena, IR_GLOBAL, global, program->globals.at[global].type);
    bool member = text_is(parser, ".");
    text_fail(parser, token, "'%s%s%s' is not declared", name, member ? "." : "",
              member ? text_peek(parser, 1)->text : "");
    return ir_number(parser->arena, 0);
}

/* At `(': do the parentheses hold a formula, or else an expression? */
static bool text_holds_formula(const TextParser *parser)
{
    static const char *const words[] = {"==", "!=", "<", "<=", ">", ">=", "&&", "||", "live", "!"};
    size_t ahead = 1;
    for (int depth = 1; depth > 0 && text_peek(parser, ahead)->kind != WORD_END; ahead++) {
        const char *word = text_peek(parser, ahead)->text;
        depth += strcmp(word, "(") == 0;
        depth -= strcmp(word, ")") == 0;
        for (size_t i = 0; i < COUNT_OF(words); i++)
            if (strcmp(word, words[i]) == 0)
                return true;
    }
    return false;
}

static const IrExpr *text_primary(TextParser *parser)
{
    if (text_accept(parser, "(")) {
        const IrExpr *inner = text_expr(parser);
        text_expect(parser, ")");
        return inner;
    }
    const Word *token = text_take(parser);
    if (token->kind == WORD_NUMBER)
        return ir_number(parser->arena, token->number);
    if (token->kind == WORD_SIGN && strcmp(token->text, "-") == 0 &&
        text_peek(parser, 0)->kind == WORD_NUMBER)
        return ir_number(parser->arena, -text_take(parser)->number);
    if (token->kind != WORD_NAME) {
        text_fail(parser, token, "expected an expression before '%s'", token->text);
        return ir_number(parser->arena, 0);
    }
    if (strcmp(token->text, "NULL") == 0)
        return ir_number(parser->arena, 0);
    if (strcmp(token->text, "ID") == 0)
        return ir_id(parser->arena);
    const IrExpr *e = text_named(parser, token);
    /* The paper also writes P[next] for P.next. */
    while (!parser->failed &&
           (text_is(parser, ".") || (text_is(parser, "[") && ir_type_is_node(e->type)))) {
        bool bracket = strcmp(text_take(parser)->text, "[") == 0;
        const Word *place = text_peek(parser, 0);
        const char *name = text_name(parser, "a field");
        if (bracket)
            text_expect(parser, "]");
        int field = ir_type_is_node(e->type)
                        ? text_find_field(parser->program, e->type.structure, name)
                        : -1;
        if (field < 0) {
            text_fail(parser, place, "there is no field '%s' here", name);
            return e;
        }
        e = ir_field(parser->arena, parser->program, field, e);
    }
    return e;
}

/* Whoever reads what the parser makes goes down into it: a file from anybody must not use up the
 * stack. A row of operators is a tree as deep as the row is long. */
static bool text_descend(TextParser *parser)
{
    if (++parser->depth > MOST_DEPTH && !parser->failed)
        text_fail(parser, text_peek(parser, 0), "nested more than %d deep", MOST_DEPTH);
    return !parser->failed;
}

/* E times BY, or what is left of it after division by BY. */
static const IrExpr *text_scaled(TextParser *parser, const Word *sign, const IrExpr *e,
                                 const IrExpr *by)
{
    bool times = strcmp(sign->text, "*") == 0;
    if (by->kind == IR_GLOBAL && by->index == parser->program->size && !times)
        return ir_binary(parser->arena, IR_WRAP, e, by);
    if (times && e->kind == IR_NUMBER) {
        const IrExpr *number = e;
        e = by;
        by = number;
    }
    if (by->kind != IR_NUMBER || by->number < (times ? -IR_MOST_FACTOR : 1) ||
        by->number > IR_MOST_FACTOR)
        text_fail(parser, sign,
                  times ? "one side of `*' must be a number, at most %d"
                        : "`%%' is followed by the name in `size N;', or a number from 1 to %d",
                  IR_MOST_FACTOR);
    else if (e->type.kind != KIND_INT)
        text_fail(parser, sign, "only an int can be multiplied or divided");
    return ir_binary(parser->arena, times ? IR_TIMES : IR_REST, e, by);
}

/* Primaries with `*' and `%' between them. */
static const IrExpr *text_factor(TextParser *parser)
{
    const IrExpr *e = text_primary(parser);
    while ((text_is(parser, "%") || text_is(parser, "*")) && text_descend(parser)) {
        const Word *sign = text_take(parser);
        e = text_scaled(parser, sign, e, text_primary(parser));
    }
    return e;
}

static const IrExpr *text_expr(TextParser *parser)
{
    int depth = parser->depth;
    if (!text_descend(parser))
        return ir_number(parser->arena, 0);
    const IrExpr *e = text_factor(parser);
    while ((text_is(parser, "+") || text_is(parser, "-")) && text_descend(parser)) {
        IrExprKind kind = strcmp(text_take(parser)->text, "+") == 0 ? IR_ADD : IR_SUB;
        e = ir_binary(parser->arena, kind, e, text_factor(parser));
    }
    parser->depth = depth;
    return e;
}

static void text_check_comparable(TextParser *parser, const Word *place, const IrExpr *l,
                                  const IrExpr *r)
{
    bool number = l->kind == IR_NUMBER || r->kind == IR_NUMBER;
    bool node = ir_type_is_node(l->type) || ir_type_is_node(r->type);
    if (number) {
        int64_t value = l->kind == IR_NUMBER ? l->number : r->number;
        if (node && value != 0)
            text_fail(parser, place, "a node can be compared with NULL or a node only");
    } else if (node && !ir_type_equal(l->type, r->type)) {
        text_fail(parser, place, "a node of one structure is compared with something else");
    }
}

/* A comparison, `live e`, or a formula in parentheses. */
static const IrFormula *text_condition(TextParser *parser)
{
    const Word *place = text_peek(parser, 0);
    if (text_accept(parser, "live")) {
        const IrExpr *node = text_expr(parser);
        if (!ir_type_is_node(node->type))
            text_fail(parser, place, "live is asked of something that is no node");
        return ir_formula_live(parser->arena, node);
    }
    if (text_accept(parser, "!")) {
        text_expect(parser, "(");
        const IrFormula *inner = text_formula(parser);
        text_expect(parser, ")");
        return ir_formula_not(parser->arena, inner);
    }
    if (text_is(parser, "none") || text_is(parser, "each")) {
        const char *word = text_take(parser)->text;
        if (parser->bound_count > 0)
            text_fail(parser, place, "`%s' inside another quantifier", word);
        IrType type = text_kind(parser);
        const Word *named = text_peek(parser, 0);
        const char *name = text_name(parser, "the name of a variable");
        text_check_bound(parser, named, name);
        parser->bound[0] = (IrVariable){name, type};
        parser->bound_count = 1;
        text_expect(parser, ":");
        text_expect(parser, "(");
        const IrFormula *inner = text_formula(parser);
        text_expect(parser, ")");
        parser->bound_count = 0;
        return strcmp(word, "each") == 0 ? ir_formula_each(parser->arena, type, inner)
                                         : ir_formula_none(parser->arena, type, inner);
    }
    if (text_is(parser, "(") && text_holds_formula(parser)) {
        text_take(parser);
        const IrFormula *inner = text_formula(parser);
        text_expect(parser, ")");
        return inner;
    }
    const IrExpr *l = text_expr(parser);
    const Word *sign = text_take(parser);
    const IrExpr *r = text_expr(parser);
    text_check_comparable(parser, place, l, r);
    static const struct {
        const char *word;
        IrFormulaKind kind;
        bool swap;
    } table[] = {{"==", FORMULA_EQ, false}, {"!=", FORMULA_NE, false}, {"<", FORMULA_LT, false},
                 {"<=", FORMULA_LE, false}, {">", FORMULA_LT, true},   {">=", FORMULA_LE, true}};
    for (size_t i = 0; i < COUNT_OF(table); i++)
        if (strcmp(table[i].word, sign->text) == 0)
            return ir_formula_compare(parser->arena, table[i].kind, table[i].swap ? r : l,
                                      table[i].swap ? l : r);
    text_fail(parser, sign, "expected a comparison (== != < <= > >=) before '%s'", sign->text);
    return ir_formula_compare(parser->arena, FORMULA_TRUE, NULL, NULL);
}

static const IrFormula *text_and(TextParser *parser)
{
    const IrFormula *f = text_condition(parser);
    while (text_accept(parser, "&&") && text_descend(parser))
        f = ir_formula_join(parser->arena, FORMULA_AND, f, text_condition(parser));
    return f;
}

static const IrFormula *text_or(TextParser *parser)
{
    const IrFormula *f = text_and(parser);
    while (text_accept(parser, "||") && text_descend(parser))
        f = ir_formula_join(parser->arena, FORMULA_OR, f, text_and(parser));
    return f;
}

const IrFormula *text_formula(TextParser *parser)
{
    int depth = parser->depth;
    if (!text_descend(parser))
        return ir_formula_compare(parser->arena, FORMULA_TRUE, NULL, NULL);
    const IrFormula *f = text_or(parser);
    if (text_accept(parser, "=>"))
        f = ir_formula_join(parser->arena, FORMULA_IMPLIES, f, text_formula(parser));
    parser->depth = depth;
    return f;
}

typedef Vec(const IrFormula *) IrFormulas;

/* `< cond; cond; >`, appended to OUT. */
#define TEXT_CONDITIONS(parser, out)                                                               \
    do {                                                                                           \
        text_expect(parser, "<");                                                                  \
        while (!(parser)->failed && !text_is(parser, ">")) {                                       \
            arena_push((parser)->arena, out, text_condition(parser));                              \
            if (!text_accept(parser, ";") && !text_is(parser, ">"))                                \
                text_expect(parser, ";");                                                          \
        }                                                                                          \
        text_expect(parser, ">");                                                                  \
    } while (0)

static const IrFormula *text_conjunction(TextParser *parser)
{
    IrFormulas list = {0};
    TEXT_CONDITIONS(parser, &list);
    const IrFormula *all = NULL;
    for (size_t i = 0; i < list.count; i++)
        all = all ? ir_formula_join(parser->arena, FORMULA_AND, all, list.at[i]) : list.at[i];
    return all ? all : ir_formula_compare(parser->arena, FORMULA_TRUE, NULL, NULL);
}

static void text_declarations(TextParser *parser)
{
    IrType type;
    while (!parser->failed && text_is_kind(parser, text_peek(parser, 0), &type)) {
        text_take(parser);
        do {
            const Word *place = text_peek(parser, 0);
            const char *name = text_name(parser, "the name of a local");
            if (text_find_variable(parser->operation->locals.at, parser->operation->locals.count,
                                   name) >= 0)
                text_fail(parser, place, "local '%s' is declared twice", name);
            text_declare(parser, place, name, true);
            arena_push(parser->arena, &parser->operation->locals, (IrVariable){name, type});
        } while (text_accept(parser, ","));
        text_expect(parser, ";");
    }
}

static int text_local_node(TextParser *parser)
{
    const Word *place = text_peek(parser, 0);
    const char *name = text_name(parser, "a local");
    int local =
        text_find_variable(parser->operation->locals.at, parser->operation->locals.count, name);
    if (local < 0 || !ir_type_is_node(parser->operation->locals.at[local].type)) {
        text_fail(parser, place, "'%s' is no local that points to a structure", name);
        return 0;
    }
    return local;
}

static void text_statement(TextParser *parser, SubOp *subop)
{
    const Word *place = text_peek(parser, 0);
    IrStatement s = {.kind = IR_SET};
    if (text_is(parser, "new") || text_is(parser, "free")) {
        s.kind = text_is(parser, "new") ? IR_NEW : IR_FREE;
        text_take(parser);
        s.local = text_local_node(parser);
        if (s.kind == IR_FREE && parser->program->collected)
            text_fail(parser, place,
                      "free in a text that says `collected;`: leave one of them out");
        if (s.kind == IR_FREE)
            parser->program->frees = true;
    } else if (text_accept(parser, "READ")) {
        const IrExpr *e = text_expr(parser);
        const IrExpr *node = e->kind == IR_FIELD ? e->a : e;
        text_expect(parser, ";");
        if (ir_type_is_node(node->type) && node->kind == IR_LOCAL)
            arena_push(parser->arena, &subop->guards, ir_formula_live(parser->arena, node));
        return;
    } else {
        s.target = text_expr(parser);
        if (s.target->kind < IR_LOCAL || s.target->kind > IR_CELL || s.target->kind == IR_BOUND)
            text_fail(parser, place, "only a local, a global, a field or a cell can be set");
        if (s.target->kind == IR_GLOBAL && s.target->index == parser->program->size)
            text_fail(parser, place, "the size can't be set");
        text_expect(parser, "=");
        if (text_accept(parser, "malloc")) {
            IrType type = text_kind(parser);
            if (s.target->kind != IR_LOCAL || !ir_type_equal(s.target->type, type))
                text_fail(parser, place, "malloc gives a node to a local of that structure");
            s = (IrStatement){.kind = IR_NEW, .local = s.target->index};
        } else {
            s.value = text_expr(parser);
            text_check_comparable(parser, place, s.target, s.value);
        }
    }
    text_expect(parser, ";");
    arena_push(parser->arena, &subop->statements, s);
}

static bool text_at_statement(const TextParser *parser)
{
    const Word *token = text_peek(parser, 0);
    if (token->kind != WORD_NAME)
        return false;
    static const char *const others[] = {"ensure",    "assert", "op",   "internal",
                                         "invariant", "assume", "spec", "struct",
                                         "init",      "global", "walk", "collected"};
    for (size_t i = 0; i < COUNT_OF(others); i++)
        if (strcmp(token->text, others[i]) == 0)
            return false;
    if (text_is(parser, "new") || text_is(parser, "free") || text_is(parser, "READ"))
        return true;
    /* In the paper's notation the next word may be the next operation's name. */
    const char *after = text_peek(parser, 1)->text;
    return strcmp(after, "=") == 0 || strcmp(after, ".") == 0 || strcmp(after, "[") == 0;
}

static const char *text_auto_label(TextParser *parser)
{
    size_t count = 0;
    for (size_t i = 0; i < parser->program->operations.count; i++)
        count += parser->program->operations.at[i].subops.count;
    count += parser->operation->subops.count;
    return count < 26 ? arena_printf(parser->arena, "%c", (char)('a' + count))
                      : arena_printf(parser->arena, "s%zu", count);
}

static void text_subop(TextParser *parser)
{
    SubOp subop = {.line = text_peek(parser, 0)->line};
    subop.anyone = strcmp(text_take(parser)->text, "*") == 0;
    if (text_peek(parser, 0)->kind == WORD_NAME && strcmp(text_peek(parser, 1)->text, ":") == 0) {
        subop.label = text_take(parser)->text;
        text_expect(parser, ":");
    }
    if (text_is(parser, "<"))
        TEXT_CONDITIONS(parser, &subop.guards);
    while (!parser->failed && (text_at_statement(parser) || text_is(parser, ";")))
        if (!text_accept(parser, ";"))
            text_statement(parser, &subop);
    if (text_accept(parser, "..."))
        subop.label = text_take(parser)->text;
    if (!subop.label)
        subop.label = text_auto_label(parser);
    arena_push(parser->arena, &parser->operation->subops, subop);
}

static void text_assert(TextParser *parser)
{
    IrProgram *program = parser->program;
    UserFact fact = {.operation = (int)program->operations.count,
                     .point = (int)parser->operation->subops.count,
                     .line = text_peek(parser, 0)->line};
    if (fact.point == 0)
        text_fail(parser, text_peek(parser, 0), "no fact of its own holds before an operation");
    fact.formula = text_conjunction(parser);
    arena_push(parser->arena, &program->facts, fact);
}

static void text_ensure(TextParser *parser)
{
    Ensure ensure = {.line = text_peek(parser, 0)->line};
    if (text_accept(parser, "none")) {
        if (text_is_kind(parser, text_peek(parser, 0), &ensure.bound_type))
            text_take(parser);
        else
            ensure.bound_type = (IrType){KIND_NODE, 0};
        if (ir_type_is_node(ensure.bound_type) && parser->program->structures.count == 0)
            text_fail(parser, text_peek(parser, 0), "there is no structure to range over");
        const Word *named = text_peek(parser, 0);
        const char *name = text_name(parser, "the name of a variable");
        text_check_bound(parser, named, name);
        parser->bound[0] = (IrVariable){name, ensure.bound_type};
        ensure.bound_count = parser->bound_count = 1;
        text_expect(parser, ":");
    }
    ensure.formula = text_conjunction(parser);
    parser->bound_count = 0;
    arena_push(parser->arena, &parser->operation->ensures, ensure);
}

static void text_walk(TextParser *parser)
{
    IrProgram *program = parser->program;
    Walk walk = {.line = text_peek(parser, 0)->line};
    walk.local = text_local_node(parser);
    text_expect(parser, "from");
    const Word *place = text_peek(parser, 0);
    const char *global = text_name(parser, "a global");
    walk.global = text_find_variable(program->globals.at, program->globals.count, global);
    if (parser->failed)
        return;
    IrType type = parser->operation->locals.at[walk.local].type;
    if (walk.global < 0 || !ir_type_equal(program->globals.at[walk.global].type, type)) {
        text_fail(parser, place, "'%s' is no global that points to the same structure", global);
        return;
    }
    text_expect(parser, "via");
    place = text_peek(parser, 0);
    const char *field = text_name(parser, "a field");
    walk.field = text_find_field(program, type.structure, field);
    if (walk.field < 0 || !ir_type_equal(program->fields.at[walk.field].type, type)) {
        text_fail(parser, place, "'%s' is no field that leads to the same structure", field);
        return;
    }
    walk.to = -1;
    if (text_accept(parser, "to"))
        walk.to = text_local_node(parser);
    text_expect(parser, "keeping");
    TEXT_CONDITIONS(parser, &walk.keep);
    if (text_accept(parser, "until"))
        TEXT_CONDITIONS(parser, &walk.until);
    text_accept(parser, ";");
    arena_push(parser->arena, &parser->operation->walks, walk);
}

/* Locals are bound once, and facts name points by count: both are checked when all is read. */
static void text_finish_operation(TextParser *parser, const Word *place)
{
    IrOperation *operation = parser->operation;
    bool *set = arena_array_of(parser->arena, bool, operation->locals.count + 1);
    for (size_t i = 0; i < operation->subops.count && !parser->failed; i++)
        for (size_t k = 0; k < operation->subops.at[i].statements.count; k++) {
            const IrStatement *s = &operation->subops.at[i].statements.at[k];
            int local = s->kind == IR_NEW                                  ? s->local
                        : s->kind == IR_SET && s->target->kind == IR_LOCAL ? s->target->index
                                                                           : -1;
            if (local < 0)
                continue;
            if (set[local]) {
                Word at = {.line = operation->subops.at[i].line, .column = 1};
                text_fail(parser, &at,
                          "local '%s' is set twice: a local has one value, use another",
                          operation->locals.at[local].name);
            }
            set[local] = true;
        }
    if (!parser->failed && operation->subops.count == 0)
        text_fail(parser, place, "operation '%s' has no sub-operation", operation->name);
    if (!parser->failed && ir_program_find_operation(parser->program, operation->name) >= 0)
        text_fail(parser, place, "operation '%s' is defined twice", operation->name);
    if (!parser->failed)
        arena_push(parser->arena, &parser->program->operations, *operation);
    parser->operation = NULL;
}

void text_initial(TextParser *parser)
{
    SubOp all = {.label = "init", .line = text_peek(parser, 0)->line};
    parser->operation = &parser->program->initial;
    parser->scopes++;
    if (parser->operation->name)
        text_fail(parser, text_peek(parser, 0), "a second init");
    *parser->operation = (IrOperation){.name = "init", .internal = true};
    text_expect(parser, "{");
    text_declarations(parser);
    while (!parser->failed && !text_accept(parser, "}"))
        text_statement(parser, &all);
    arena_push(parser->arena, &parser->program->initial.subops, all);
    parser->operation = NULL;
}

void text_operation(TextParser *parser)
{
    IrOperation operation = {.line = text_peek(parser, 0)->line};
    const Word *place = text_peek(parser, 0);
    operation.internal = text_accept(parser, "internal");
    text_expect(parser, "op");
    operation.name = operation.method = text_name(parser, "the name of an operation");
    parser->operation = &operation;
    parser->scopes++;
    text_expect(parser, "{");
    text_declarations(parser);
    while (!parser->failed && !text_accept(parser, "}")) {
        const Word *token = text_peek(parser, 0);
        if (text_accept(parser, "walk"))
            text_walk(parser);
        else if (text_accept(parser, "ensure"))
            text_ensure(parser);
        else if (text_accept(parser, "assert"))
            text_assert(parser);
        else if (text_clause(parser))
            continue;
        else if (text_is(parser, "1") || text_is(parser, "*"))
            text_subop(parser);
        else
            text_fail(parser, token,
                      "expected a sub-operation (it starts with 1 or *) or '}' before '%s'",
                      token->text);
    }
    text_finish_operation(parser, place);
}

void text_paper_operation(TextParser *parser)
{
    IrOperation operation = {.line = text_peek(parser, 0)->line};
    const Word *place = text_peek(parser, 0);
    operation.name = operation.method = text_name(parser, "the name of an operation");
    parser->operation = &operation;
    parser->scopes++;
    if (text_accept(parser, "(")) {
        while (!parser->failed && !text_accept(parser, ")")) {
            IrType type = text_kind(parser);
            const Word *named = text_peek(parser, 0);
            const char *name = text_name(parser, "an argument");
            if (text_find_variable(operation.locals.at, operation.locals.count, name) >= 0)
                text_fail(parser, named, "local '%s' is declared twice", name);
            text_declare(parser, named, name, true);
            arena_push(parser->arena, &operation.locals, (IrVariable){name, type});
            if (!text_accept(parser, ",") && !text_accept(parser, ";") && !text_is(parser, ")"))
                text_expect(parser, ")");
        }
    }
    bool braces = text_accept(parser, "{");
    text_declarations(parser);
    if (!text_is(parser, "1") && !text_is(parser, "*"))
        text_fail(parser, text_peek(parser, 0),
                  "expected the first sub-operation of '%s' (it starts with 1 or *) before '%s'",
                  operation.name, text_peek(parser, 0)->text);
    while (!parser->failed && (text_is(parser, "1") || text_is(parser, "*")))
        text_subop(parser);
    operation.private_steps = true;
    if (braces)
        text_expect(parser, "}");
    text_finish_operation(parser, place);
}
