/* Clauses that say what an operation does as a whole, and the specifications `stack' and `queue'.
 *     clause := inserts VAR as VAR [rank VAR] at LABEL ;
 *             | removes VAR as VAR at LABEL ;
 *             | meets NAME ( VAR = VAR , VAR = VAR ) at LABEL ;   */
#include "prove/read/text_private.h"
#include <string.h>

static int clause_local_of(TextParser *parser, const Word *place, const IrOperation *operation,
                           const char *name)
{
    int local = text_find_variable(operation->locals.at, operation->locals.count, name);
    if (local < 0)
        text_fail(parser, place, "'%s' is no local of '%s'", name, operation->name);
    return MAX(local, 0);
}

static int clause_local(TextParser *parser)
{
    const Word *place = text_peek(parser, 0);
    return clause_local_of(parser, place, parser->operation, text_name(parser, "a local"));
}

/* `at LABEL ;`, of a step that was already read. */
static int clause_step(TextParser *parser)
{
    text_expect(parser, "at");
    const Word *place = text_take(parser);
    text_expect(parser, ";");
    for (size_t i = 0; i < parser->operation->subops.count; i++)
        if (strcmp(parser->operation->subops.at[i].label, place->text) == 0)
            return (int)i;
    text_fail(parser, place, "'%s' is no step of '%s' above this line", place->text,
              parser->operation->name);
    return 0;
}

static void clause_role(TextParser *parser, IrRoleKind kind, const Word *place)
{
    IrRole role = {.kind = kind, .rank = -1, .line = place->line};
    if (parser->operation->role.kind != ROLE_NONE)
        text_fail(parser, place, "'%s' inserts or removes twice", parser->operation->name);
    role.element = clause_local(parser);
    text_expect(parser, "as");
    role.value = clause_local(parser);
    if (kind == ROLE_INSERTS && text_accept(parser, "rank"))
        role.rank = clause_local(parser);
    role.step = clause_step(parser);
    parser->operation->role = role;
}

static void clause_meets(TextParser *parser, const Word *place)
{
    Meeting *meeting = arena_new_of(parser->arena, Meeting);
    if (parser->operation->meets)
        text_fail(parser, place, "'%s' meets two operations", parser->operation->name);
    meeting->line = place->line;
    meeting->name = text_name(parser, "the name of an operation");
    text_expect(parser, "(");
    meeting->token_name = text_name(parser, "a local of the other operation");
    text_expect(parser, "=");
    meeting->own_token = clause_local(parser);
    text_expect(parser, ",");
    meeting->given_name = text_name(parser, "a local of the other operation");
    text_expect(parser, "=");
    meeting->own_given = clause_local(parser);
    text_expect(parser, ")");
    meeting->step = clause_step(parser);
    parser->operation->meets = meeting;
}

bool text_clause(TextParser *parser)
{
    const Word *place = text_peek(parser, 0);
    if (text_accept(parser, "inserts"))
        clause_role(parser, ROLE_INSERTS, place);
    else if (text_accept(parser, "removes"))
        clause_role(parser, ROLE_REMOVES, place);
    else if (text_accept(parser, "meets"))
        clause_meets(parser, place);
    else
        return false;
    return true;
}

/* ---- when all is read ---- */

static bool clause_step_looks(const SubOp *subop)
{
    for (size_t k = 0; k < subop->guards.count; k++)
        if (subop->guards.at[k]->each)
            return true;
    return false;
}

static bool clause_has_each(const IrOperation *operation)
{
    for (size_t i = 0; i < operation->subops.count; i++)
        if (clause_step_looks(&operation->subops.at[i]))
            return true;
    return false;
}

static bool clause_each_inside(const IrFormula *f)
{
    return f && (f->each || clause_each_inside(f->a) || clause_each_inside(f->b));
}

/* `each' is a condition of its own, and its moments lie between the steps before and after: so it
 * can't be part of another condition, nothing can be done at the same time, and when an operation
 * begins, or takes effect, must be said by another step. */
static void clause_check_looks(TextParser *parser, const IrOperation *operation)
{
    for (size_t i = 0; i < operation->subops.count; i++) {
        const SubOp *subop = &operation->subops.at[i];
        Word place = {.line = subop->line, .column = 1};
        if (clause_step_looks(subop) && subop->statements.count > 0)
            text_fail(parser, &place, "a step that looks at `each' does nothing else");
        if (clause_step_looks(subop) &&
            (i == 0 || (operation->role.kind != ROLE_NONE && operation->role.step == (int)i)))
            text_fail(
                parser, &place,
                "a step that looks at `each' has no moment of its own: it can't be the first, "
                "nor the one that inserts or removes");
        for (size_t k = 0; k < subop->guards.count; k++)
            if (!subop->guards.at[k]->each && clause_each_inside(subop->guards.at[k]))
                text_fail(parser, &place, "`each' can't be part of another condition");
    }
}

static void clause_check_meeting(TextParser *parser, IrOperation *operation)
{
    const IrProgram *program = parser->program;
    Meeting meeting = *operation->meets, *copy = arena_new_of(parser->arena, Meeting);
    Word place = {.line = meeting.line, .column = 1};
    meeting.other = ir_program_find_operation(program, meeting.name);
    if (meeting.other < 0) {
        text_fail(parser, &place, "there is no operation '%s' to meet", meeting.name);
        return;
    }
    const IrOperation *other = &program->operations.at[meeting.other];
    if (other->meets || other->internal || operation->internal)
        text_fail(parser, &place, "'%s' can't be met: one of the two waits, the other meets it",
                  meeting.name);
    meeting.token = clause_local_of(parser, &place, other, meeting.token_name);
    meeting.given = clause_local_of(parser, &place, other, meeting.given_name);
    if (!ir_type_equal(other->locals.at[meeting.token].type,
                       operation->locals.at[meeting.own_token].type))
        text_fail(parser, &place, "'%s' and '%s' are of different kinds", meeting.token_name,
                  operation->locals.at[meeting.own_token].name);
    *copy = meeting;
    operation->meets = copy;
}

static void clause_check_role(TextParser *parser, const IrOperation *operation, IrType *element)
{
    const IrRole *role = &operation->role;
    Word place = {.line = operation->line, .column = 1};
    if (operation->meets)
        text_fail(parser, &place, "a meeting needs a specification of its own, not `%s'",
                  parser->program->discipline == DISCIPLINE_STACK ? "stack" : "queue");
    if (role->kind == ROLE_NONE) {
        if (!operation->internal)
            text_fail(parser, &place, "'%s' neither inserts nor removes, and is not internal",
                      operation->name);
        return;
    }
    IrType type = operation->locals.at[role->element].type;
    place.line = role->line;
    if (operation->internal)
        text_fail(parser, &place, "'%s' is internal and can't insert or remove", operation->name);
    else if (type.kind != KIND_NODE && type.kind != KIND_INT)
        text_fail(parser, &place, "an element is a node or the position of an array (int)");
    else if (element->kind != KIND_BOOL && !ir_type_equal(*element, type))
        text_fail(parser, &place, "elements of different kinds in one structure");
    else if (role->rank >= 0 && operation->locals.at[role->rank].type.kind != KIND_INT)
        text_fail(parser, &place, "a rank is an int");
    *element = type;
}

/* One operation of the specification: a sequence s[0..n), or s[from..n) for a queue. */
static IrOperation clause_abstract(TextParser *parser, const IrProgram *spec,
                                   IrOperation *operation)
{
    static const IrType int_type = {KIND_INT, -1};
    Arena *arena = parser->arena;
    IrOperation abstract = {
        .name = operation->name, .method = operation->method, .line = operation->line};
    SubOp step = {.label = "s", .line = operation->line};
    arena_push(arena, &abstract.locals, operation->locals.at[operation->role.value]);
    arena_push(arena, &abstract.ports, 0);
    arena_push(arena, &operation->ports, operation->role.value);
    const IrExpr *value = ir_variable(arena, IR_LOCAL, 0, abstract.locals.at[0].type);
    const IrExpr *n = ir_variable(arena, IR_GLOBAL, 0, int_type), *one = ir_number(arena, 1);
    const IrExpr *from = ir_variable(arena, IR_GLOBAL, 1, int_type);
    bool queue = parser->program->discipline == DISCIPLINE_QUEUE;
    if (operation->role.kind == ROLE_INSERTS) {
        arena_push(
            arena, &step.statements,
            (IrStatement){.kind = IR_SET, .target = ir_cell(arena, spec, 0, n), .value = value});
        arena_push(
            arena, &step.statements,
            (IrStatement){.kind = IR_SET, .target = n, .value = ir_binary(arena, IR_ADD, n, one)});
    } else {
        const IrExpr *place = queue ? from : ir_binary(arena, IR_SUB, n, one);
        arena_push(arena, &step.guards, ir_formula_compare(arena, FORMULA_LT, from, n));
        arena_push(arena, &step.guards,
                   ir_formula_compare(arena, FORMULA_EQ, value, ir_cell(arena, spec, 0, place)));
        arena_push(arena, &step.statements,
                   (IrStatement){.kind = IR_SET,
                                 .target = queue ? from : n,
                                 .value = queue ? ir_binary(arena, IR_ADD, from, one) : place});
    }
    arena_push(arena, &abstract.subops, step);
    return abstract;
}

static void clause_make_specification(TextParser *parser)
{
    static const IrType int_type = {KIND_INT, -1};
    IrProgram *program = parser->program;
    IrProgram *spec = ir_program_new(parser->arena, program->path);
    arena_push(parser->arena, &spec->arrays, (IrVariable){"s", int_type});
    arena_push(parser->arena, &spec->globals, (IrVariable){"n", int_type});
    arena_push(parser->arena, &spec->globals, (IrVariable){"from", int_type});
    for (size_t i = 0; i < program->operations.count; i++)
        if (program->operations.at[i].role.kind != ROLE_NONE)
            arena_push(parser->arena, &spec->operations,
                       clause_abstract(parser, spec, &program->operations.at[i]));
    program->specification = spec;
}

void text_check_clauses(TextParser *parser)
{
    IrProgram *program = parser->program;
    IrType element = {KIND_BOOL, -1}; /* not yet known */
    for (size_t i = 0; i < program->operations.count && !parser->failed; i++) {
        IrOperation *operation = &program->operations.at[i];
        Word place = {.line = operation->line, .column = 1};
        clause_check_looks(parser, operation);
        if (program->discipline != DISCIPLINE_NONE) {
            clause_check_role(parser, operation, &element);
            continue;
        }
        if (operation->role.kind != ROLE_NONE)
            text_fail(parser, &place, "'%s' inserts or removes: say `spec stack;' or `spec queue;'",
                      operation->name);
        else if (clause_has_each(operation))
            text_fail(parser, &place,
                      "`each' needs `spec stack;' or `spec queue;'; `none' looks "
                      "at all in one moment");
        else if (operation->meets)
            clause_check_meeting(parser, operation);
    }
    if (program->discipline != DISCIPLINE_NONE && !parser->failed)
        clause_make_specification(parser);
}
