#include "prove/ir.h"
#include <stdlib.h>
#include <string.h>

IrProgram *ir_program_new(Arena *arena, const char *path)
{
    IrProgram *program = arena_new_of(arena, IrProgram);
    program->path = path;
    program->size = program->ghost_owner = -1;
    return program;
}

int ir_program_find_operation(const IrProgram *program, const char *name)
{
    for (size_t i = 0; i < program->operations.count; i++)
        if (strcmp(program->operations.at[i].name, name) == 0)
            return (int)i;
    return -1;
}

static bool ir_expr_has_id(const IrExpr *e, bool in_position)
{
    if (!e)
        return false;
    if (e->kind == IR_ID)
        return !in_position;
    if (e->kind == IR_CELL && ir_expr_has_id(e->a, false))
        return true;
    return ir_expr_has_id(e->a, in_position) || ir_expr_has_id(e->b, in_position);
}

static bool ir_formula_has_id(const IrFormula *f, bool in_position)
{
    return f && (ir_expr_has_id(f->left, in_position) || ir_expr_has_id(f->right, in_position) ||
                 ir_formula_has_id(f->a, in_position) || ir_formula_has_id(f->b, in_position));
}

static bool ir_program_has_id(const IrProgram *program, bool in_position)
{
    for (size_t i = 0; program && i < program->operations.count; i++) {
        const IrOperation *op = &program->operations.at[i];
        for (size_t k = 0; k < op->subops.count; k++) {
            const SubOp *subop = &op->subops.at[k];
            for (size_t g = 0; g < subop->guards.count; g++)
                if (ir_formula_has_id(subop->guards.at[g], in_position))
                    return true;
            for (size_t s = 0; s < subop->statements.count; s++) {
                const IrStatement *statement = &subop->statements.at[s];
                if (ir_expr_has_id(statement->target, in_position) ||
                    ir_expr_has_id(statement->value, in_position) ||
                    ir_formula_has_id(statement->condition, in_position))
                    return true;
            }
        }
    }
    return program && program->specification &&
           ir_program_has_id(program->specification, in_position);
}

bool ir_program_checks_nodes(const IrProgram *program)
{
    return program->id_is_thread || program->manual;
}

bool ir_program_uses_id(const IrProgram *program)
{
    return ir_program_has_id(program, false);
}

bool ir_program_indexes_by_id(const IrProgram *program)
{
    return ir_program_has_id(program, true);
}

bool ir_subop_writes(const SubOp *subop)
{
    for (size_t i = 0; i < subop->statements.count; i++) {
        const IrStatement *s = &subop->statements.at[i];
        if (s->kind == IR_ASSUME)
            continue;
        if (s->kind != IR_SET || s->target->kind != IR_LOCAL)
            return true;
    }
    return false;
}

bool ir_operation_reads_only(const IrOperation *operation, int point)
{
    for (int i = 0; i < point; i++)
        if (ir_subop_writes(&operation->subops.at[i]))
            return false;
    return true;
}

int ir_operation_port(const IrOperation *operation, size_t port)
{
    return port < operation->ports.count ? operation->ports.at[port] : -1;
}

bool ir_operation_shows_local(const IrProgram *program, const IrOperation *operation, int local)
{
    const IrProgram *spec = program->specification;
    for (size_t i = 0; !operation->internal && i < spec->operations.count; i++)
        for (size_t k = 0; k < operation->ports.count; k++)
            if (strcmp(spec->operations.at[i].method, operation->method) == 0 &&
                operation->ports.at[k] == local &&
                ir_operation_port(&spec->operations.at[i], k) >= 0)
                return true;
    return false;
}

/* ---- comparison of steps, but for the numbers of their locals ---- */

typedef struct Pairing { /* which local of B stands for which of A; -1: not yet known */
    const IrOperation *a, *b;
    int *to_b, *to_a;
} Pairing;

static bool pairing_locals(Pairing *pairing, int a, int b)
{
    if (pairing->to_b[a] < 0 && pairing->to_a[b] < 0 &&
        ir_type_equal(pairing->a->locals.at[a].type, pairing->b->locals.at[b].type)) {
        pairing->to_b[a] = b;
        pairing->to_a[b] = a;
    }
    return pairing->to_b[a] == b && pairing->to_a[b] == a;
}

static bool pairing_expr(Pairing *pairing, const IrExpr *a, const IrExpr *b)
{
    if (!a || !b)
        return a == b;
    if (a->kind != b->kind || a->number != b->number)
        return false;
    if (a->kind == IR_LOCAL)
        return pairing_locals(pairing, a->index, b->index);
    return a->index == b->index && pairing_expr(pairing, a->a, b->a) &&
           pairing_expr(pairing, a->b, b->b);
}

static bool pairing_formula(Pairing *pairing, const IrFormula *a, const IrFormula *b)
{
    if (!a || !b)
        return a == b;
    if (a->kind != b->kind || a->each != b->each ||
        (a->kind == FORMULA_NONE && !ir_type_equal(a->bound, b->bound)))
        return false;
    return pairing_expr(pairing, a->left, b->left) && pairing_expr(pairing, a->right, b->right) &&
           pairing_formula(pairing, a->a, b->a) && pairing_formula(pairing, a->b, b->b);
}

static bool pairing_statement(Pairing *pairing, const IrStatement *a, const IrStatement *b)
{
    if (a->kind != b->kind || a->claimed != b->claimed)
        return false;
    if (a->kind == IR_NEW || a->kind == IR_FREE)
        return pairing_locals(pairing, a->local, b->local);
    return pairing_expr(pairing, a->target, b->target) &&
           pairing_expr(pairing, a->value, b->value) &&
           pairing_formula(pairing, a->condition, b->condition);
}

static bool pairing_subop(Pairing *pairing, const SubOp *a, const SubOp *b)
{
    if (a->anyone != b->anyone || a->guards.count != b->guards.count ||
        a->statements.count != b->statements.count)
        return false;
    for (size_t i = 0; i < a->guards.count; i++)
        if (!pairing_formula(pairing, a->guards.at[i], b->guards.at[i]))
            return false;
    for (size_t i = 0; i < a->statements.count; i++)
        if (!pairing_statement(pairing, &a->statements.at[i], &b->statements.at[i]))
            return false;
    return true;
}

static int *pairing_new(size_t count)
{
    int *to = malloc(sizeof *to * (count + 1));
    if (!to)
        die("out of memory");
    for (size_t i = 0; i < count; i++)
        to[i] = -1;
    return to;
}

int ir_operation_common_prefix(const IrOperation *a, const IrOperation *b, int *to_a)
{
    Pairing pairing = {a, b, pairing_new(a->locals.count), pairing_new(b->locals.count)};
    size_t count = 0, ports = MAX(a->ports.count, b->ports.count);
    bool same = true;
    for (size_t k = 0; k < ports && strcmp(a->method, b->method) == 0; k++) {
        int x = ir_operation_port(a, k), y = ir_operation_port(b, k);
        if (x >= 0 && y >= 0)
            same &= pairing_locals(&pairing, x, y);
    }
    while (same && count < a->subops.count && count < b->subops.count &&
           pairing_subop(&pairing, &a->subops.at[count], &b->subops.at[count]))
        count++;
    for (size_t i = 0; to_a && i < b->locals.count; i++)
        to_a[i] = pairing.to_a[i];
    free(pairing.to_b);
    free(pairing.to_a);
    return (int)count;
}

bool ir_type_equal(IrType a, IrType b)
{
    return a.kind == b.kind && (a.kind != KIND_NODE || a.structure == b.structure);
}

static IrExpr *ir_make(Arena *arena, IrExprKind kind, IrType type)
{
    IrExpr *e = arena_new_of(arena, IrExpr);
    e->kind = kind;
    e->type = type;
    return e;
}

const IrExpr *ir_number(Arena *arena, int64_t number)
{
    IrExpr *e = ir_make(arena, IR_NUMBER, (IrType){KIND_INT, -1});
    e->number = number;
    return e;
}

const IrExpr *ir_variable(Arena *arena, IrExprKind kind, int index, IrType type)
{
    IrExpr *e = ir_make(arena, kind, type);
    e->index = index;
    return e;
}

const IrExpr *ir_id(Arena *arena)
{
    return ir_make(arena, IR_ID, (IrType){KIND_TID, -1});
}

const IrExpr *ir_field(Arena *arena, const IrProgram *program, int field, const IrExpr *base)
{
    IrExpr *e = ir_make(arena, IR_FIELD, program->fields.at[field].type);
    e->index = field;
    e->a = base;
    return e;
}

const IrExpr *ir_cell(Arena *arena, const IrProgram *program, int array, const IrExpr *position)
{
    IrExpr *e = ir_make(arena, IR_CELL, program->arrays.at[array].type);
    e->index = array;
    e->a = position;
    return e;
}

const IrExpr *ir_binary(Arena *arena, IrExprKind kind, const IrExpr *a, const IrExpr *b)
{
    IrExpr *e = ir_make(arena, kind, a->type);
    e->a = a;
    e->b = b;
    return e;
}

const IrFormula *ir_formula_compare(Arena *arena, IrFormulaKind kind, const IrExpr *l,
                                    const IrExpr *r)
{
    IrFormula *f = arena_new_of(arena, IrFormula);
    *f = (IrFormula){.kind = kind, .left = l, .right = r};
    return f;
}

const IrFormula *ir_formula_live(Arena *arena, const IrExpr *node)
{
    return ir_formula_compare(arena, FORMULA_LIVE, node, NULL);
}

const IrFormula *ir_formula_mine(Arena *arena, const IrExpr *node)
{
    return ir_formula_compare(arena, FORMULA_MINE, node, NULL);
}

const IrFormula *ir_formula_none(Arena *arena, IrType bound, const IrFormula *a)
{
    IrFormula *f = arena_new_of(arena, IrFormula);
    *f = (IrFormula){.kind = FORMULA_NONE, .a = a, .bound = bound};
    return f;
}

/* "Each n has a" is "no n has not a", and looked at in one moment it is just that. */
const IrFormula *ir_formula_each(Arena *arena, IrType bound, const IrFormula *a)
{
    IrFormula *f = arena_new_of(arena, IrFormula);
    *f = (IrFormula){
        .kind = FORMULA_NONE, .a = ir_formula_not(arena, a), .bound = bound, .each = true};
    return f;
}

static const IrExpr *ir_expr_instantiate(Arena *arena, const IrExpr *e, const IrExpr *by)
{
    if (!e || e->kind == IR_BOUND)
        return e ? by : NULL;
    IrExpr *copy = arena_new_of(arena, IrExpr);
    *copy = *e;
    copy->a = ir_expr_instantiate(arena, e->a, by);
    copy->b = ir_expr_instantiate(arena, e->b, by);
    return copy;
}

const IrFormula *ir_formula_instantiate(Arena *arena, const IrFormula *f, const IrExpr *by)
{
    if (!f)
        return NULL;
    IrFormula *copy = arena_new_of(arena, IrFormula);
    *copy = *f;
    copy->left = ir_expr_instantiate(arena, f->left, by);
    copy->right = ir_expr_instantiate(arena, f->right, by);
    copy->a = ir_formula_instantiate(arena, f->a, by);
    copy->b = ir_formula_instantiate(arena, f->b, by);
    return copy;
}

bool ir_formula_has_none(const IrFormula *f)
{
    return f && (f->kind == FORMULA_NONE || ir_formula_has_none(f->a) || ir_formula_has_none(f->b));
}

const IrFormula *ir_formula_join(Arena *arena, IrFormulaKind kind, const IrFormula *a,
                                 const IrFormula *b)
{
    IrFormula *f = arena_new_of(arena, IrFormula);
    *f = (IrFormula){.kind = kind, .a = a, .b = b};
    return f;
}

const IrFormula *ir_formula_not(Arena *arena, const IrFormula *a)
{
    return ir_formula_join(arena, FORMULA_NOT, a, NULL);
}

bool ir_expr_uses_local(const IrExpr *e, int local)
{
    return e && ((e->kind == IR_LOCAL && e->index == local) || ir_expr_uses_local(e->a, local) ||
                 ir_expr_uses_local(e->b, local));
}

bool ir_formula_uses_local(const IrFormula *f, int local)
{
    return f && (ir_expr_uses_local(f->left, local) || ir_expr_uses_local(f->right, local) ||
                 ir_formula_uses_local(f->a, local) || ir_formula_uses_local(f->b, local));
}

bool ir_statement_uses_local(const IrStatement *s, int local)
{
    if (s->kind == IR_ASSUME)
        return ir_formula_uses_local(s->condition, local);
    if (s->kind != IR_SET)
        return s->local == local;
    return ir_expr_uses_local(s->target, local) || ir_expr_uses_local(s->value, local);
}

bool ir_subop_uses_local(const SubOp *subop, int local)
{
    for (size_t i = 0; i < subop->guards.count; i++)
        if (ir_formula_uses_local(subop->guards.at[i], local))
            return true;
    for (size_t i = 0; i < subop->statements.count; i++)
        if (ir_statement_uses_local(&subop->statements.at[i], local))
            return true;
    return false;
}

bool ir_expr_is_pure(const IrExpr *e)
{
    return !e || ((e->kind == IR_NUMBER || e->kind == IR_LOCAL || e->kind == IR_ID ||
                   e->kind >= IR_ADD) &&
                  ir_expr_is_pure(e->a) && ir_expr_is_pure(e->b));
}

bool ir_formula_is_pure(const IrFormula *f)
{
    return !f || (f->kind != FORMULA_LIVE && f->kind != FORMULA_MINE && f->kind != FORMULA_NONE &&
                  ir_expr_is_pure(f->left) && ir_expr_is_pure(f->right) &&
                  ir_formula_is_pure(f->a) && ir_formula_is_pure(f->b));
}

bool ir_expr_equal(const IrExpr *a, const IrExpr *b)
{
    if (a == b)
        return true;
    if (!a || !b || a->kind != b->kind || a->index != b->index || a->number != b->number)
        return false;
    return ir_expr_equal(a->a, b->a) && ir_expr_equal(a->b, b->b);
}

bool ir_formula_equal(const IrFormula *a, const IrFormula *b)
{
    if (a == b)
        return true;
    if (!a || !b || a->kind != b->kind)
        return false;
    return ir_expr_equal(a->left, b->left) && ir_expr_equal(a->right, b->right) &&
           ir_formula_equal(a->a, b->a) && ir_formula_equal(a->b, b->b);
}

void ir_expr_print(Buffer *out, const IrProgram *program, const IrOperation *operation,
                   const IrExpr *e)
{
    static const char *const bound_names[] = {"n", "m"};
    switch (e->kind) {
    case IR_NUMBER:
        buffer_printf(out, "%lld", (long long)e->number);
        break;
    case IR_ID:
        buffer_printf(out, "ID");
        break;
    case IR_LOCAL:
        buffer_printf(out, "%s", operation ? operation->locals.at[e->index].name : "?");
        break;
    case IR_GLOBAL:
        buffer_printf(out, "%s", program->globals.at[e->index].name);
        break;
    case IR_BOUND:
        buffer_printf(out, "%s", bound_names[e->index]);
        break;
    case IR_FIELD:
        ir_expr_print(out, program, operation, e->a);
        buffer_printf(out, ".%s", program->fields.at[e->index].name);
        break;
    case IR_CELL:
        buffer_printf(out, "%s[", program->arrays.at[e->index].name);
        ir_expr_print(out, program, operation, e->a);
        buffer_printf(out, "]");
        break;
    case IR_ADD:
    case IR_SUB:
        ir_expr_print(out, program, operation, e->a);
        buffer_printf(out, e->kind == IR_ADD ? " + " : " - ");
        ir_expr_print(out, program, operation, e->b);
        break;
    case IR_WRAP:
    case IR_TIMES:
    case IR_QUOTIENT:
    case IR_REST: {
        bool sum = e->a->kind == IR_ADD || e->a->kind == IR_SUB;
        buffer_printf(out, sum ? "(" : "");
        ir_expr_print(out, program, operation, e->a);
        buffer_printf(out, "%s %s ", sum ? ")" : "",
                      e->kind == IR_TIMES      ? "*"
                      : e->kind == IR_QUOTIENT ? "/"
                                               : "%");
        ir_expr_print(out, program, operation, e->b);
        break;
    }
    }
}

static void formula_print_operand(Buffer *out, const IrProgram *program,
                                  const IrOperation *operation, const IrFormula *formula)
{
    bool compound = formula->kind >= FORMULA_AND;
    if (compound)
        buffer_printf(out, "(");
    ir_formula_print(out, program, operation, formula);
    if (compound)
        buffer_printf(out, ")");
}

/* Prints a value that is compared with LEFT, or stored there: 0 is NULL where nodes are. */
static void expr_print_beside(Buffer *out, const IrProgram *program, const IrOperation *operation,
                              const IrExpr *left, const IrExpr *e)
{
    if (e->kind == IR_NUMBER && e->number == 0 && ir_type_is_node(left->type))
        buffer_printf(out, "NULL");
    else
        ir_expr_print(out, program, operation, e);
}

void ir_formula_print(Buffer *out, const IrProgram *program, const IrOperation *operation,
                      const IrFormula *f)
{
    static const char *const words[] = {"", " == ", " != ", " < ",  " <= ", "",
                                        "", "",     "",     " && ", " || ", " => "};
    switch (f->kind) {
    case FORMULA_TRUE:
        buffer_printf(out, "true");
        break;
    case FORMULA_EQ:
    case FORMULA_NE:
    case FORMULA_LT:
    case FORMULA_LE:
        ir_expr_print(out, program, operation, f->left);
        buffer_printf(out, "%s", words[f->kind]);
        expr_print_beside(out, program, operation, f->left, f->right);
        break;
    case FORMULA_LIVE:
        buffer_printf(out, "live ");
        ir_expr_print(out, program, operation, f->left);
        break;
    case FORMULA_MINE:
        ir_expr_print(out, program, operation, f->left);
        buffer_printf(out, " is its own");
        break;
    case FORMULA_NONE:
        buffer_printf(out, f->each ? "each n: (" : "none n: (");
        ir_formula_print(out, program, operation, f->each ? f->a->a : f->a);
        buffer_printf(out, ")");
        break;
    case FORMULA_NOT:
        buffer_printf(out, "!(");
        ir_formula_print(out, program, operation, f->a);
        buffer_printf(out, ")");
        break;
    case FORMULA_AND:
    case FORMULA_OR:
    case FORMULA_IMPLIES:
        formula_print_operand(out, program, operation, f->a);
        buffer_printf(out, "%s", words[f->kind]);
        formula_print_operand(out, program, operation, f->b);
        break;
    }
}

void ir_subop_print(Buffer *out, const IrProgram *program, const IrOperation *operation,
                    const SubOp *subop)
{
    buffer_printf(out, "%s", subop->anyone ? "*" : "1");
    if (subop->guards.count > 0) {
        buffer_printf(out, " <");
        for (size_t i = 0; i < subop->guards.count; i++) {
            const IrFormula *guard = subop->guards.at[i];
            if (i > 0)
                buffer_printf(out, "; ");
            formula_print_operand(out, program, operation, guard);
        }
        buffer_printf(out, ">");
    }
    for (size_t i = 0; i < subop->statements.count; i++) {
        const IrStatement *s = &subop->statements.at[i];
        if (s->kind == IR_ASSUME) {
            buffer_printf(out, " assume ");
            ir_formula_print(out, program, operation, s->condition);
            buffer_printf(out, ";");
            continue;
        }
        if (s->kind != IR_SET) {
            buffer_printf(out, " %s %s;", s->kind == IR_NEW ? "new" : "free",
                          operation->locals.at[s->local].name);
            continue;
        }
        buffer_printf(out, " ");
        ir_expr_print(out, program, operation, s->target);
        buffer_printf(out, " = ");
        expr_print_beside(out, program, operation, s->target, s->value);
        buffer_printf(out, ";");
    }
}
