#include "prove/ir.h"
#include <string.h>

Program *program_new(Arena *arena, const char *path)
{
    Program *program = arena_new_of(arena, Program);
    program->path = path;
    return program;
}

int program_find_operation(const Program *program, const char *name)
{
    for (size_t i = 0; i < program->operations.count; i++)
        if (strcmp(program->operations.at[i].name, name) == 0)
            return (int)i;
    return -1;
}

bool subop_writes(const SubOp *subop)
{
    for (size_t i = 0; i < subop->statements.count; i++) {
        const Statement *s = &subop->statements.at[i];
        if (s->kind != STATEMENT_SET || s->target->kind != EXPR_LOCAL)
            return true;
    }
    return false;
}

bool operation_reads_only(const Operation *operation, int point)
{
    for (int i = 0; i < point; i++)
        if (subop_writes(&operation->subops.at[i]))
            return false;
    return true;
}

bool operation_same_prefix(const Program *program, const Operation *a, const Operation *b,
                           int count)
{
    if ((size_t)count > a->subops.count || (size_t)count > b->subops.count)
        return false;
    bool same = true;
    for (int i = 0; i < count && same; i++) {
        Buffer x = {0}, y = {0};
        subop_print(&x, program, a, &a->subops.at[i]);
        subop_print(&y, program, b, &b->subops.at[i]);
        same = str_equal(buffer_str(&x), buffer_str(&y));
        vec_free(&x);
        vec_free(&y);
    }
    return same;
}

bool type_equal(Type a, Type b)
{
    return a.kind == b.kind && (a.kind != KIND_NODE || a.structure == b.structure);
}

static Expr *expr_make(Arena *arena, ExprKind kind, Type type)
{
    Expr *e = arena_new_of(arena, Expr);
    e->kind = kind;
    e->type = type;
    return e;
}

const Expr *expr_number(Arena *arena, int64_t number)
{
    Expr *e = expr_make(arena, EXPR_NUMBER, (Type){KIND_INT, -1});
    e->number = number;
    return e;
}

const Expr *expr_variable(Arena *arena, ExprKind kind, int index, Type type)
{
    Expr *e = expr_make(arena, kind, type);
    e->index = index;
    return e;
}

const Expr *expr_id(Arena *arena)
{
    return expr_make(arena, EXPR_ID, (Type){KIND_TID, -1});
}

const Expr *expr_field(Arena *arena, const Program *program, int field, const Expr *base)
{
    Expr *e = expr_make(arena, EXPR_FIELD, program->fields.at[field].type);
    e->index = field;
    e->a = base;
    return e;
}

const Expr *expr_cell(Arena *arena, const Program *program, int array, const Expr *position)
{
    Expr *e = expr_make(arena, EXPR_CELL, program->arrays.at[array].type);
    e->index = array;
    e->a = position;
    return e;
}

const Expr *expr_binary(Arena *arena, ExprKind kind, const Expr *a, const Expr *b)
{
    Expr *e = expr_make(arena, kind, a->type);
    e->a = a;
    e->b = b;
    return e;
}

const Formula *formula_compare(Arena *arena, FormulaKind kind, const Expr *l, const Expr *r)
{
    Formula *f = arena_new_of(arena, Formula);
    *f = (Formula){.kind = kind, .left = l, .right = r};
    return f;
}

const Formula *formula_live(Arena *arena, const Expr *node)
{
    return formula_compare(arena, FORMULA_LIVE, node, NULL);
}

const Formula *formula_join(Arena *arena, FormulaKind kind, const Formula *a, const Formula *b)
{
    Formula *f = arena_new_of(arena, Formula);
    *f = (Formula){.kind = kind, .a = a, .b = b};
    return f;
}

const Formula *formula_not(Arena *arena, const Formula *a)
{
    return formula_join(arena, FORMULA_NOT, a, NULL);
}

bool expr_equal(const Expr *a, const Expr *b)
{
    if (a == b)
        return true;
    if (!a || !b || a->kind != b->kind || a->index != b->index || a->number != b->number)
        return false;
    return expr_equal(a->a, b->a) && expr_equal(a->b, b->b);
}

bool formula_equal(const Formula *a, const Formula *b)
{
    if (a == b)
        return true;
    if (!a || !b || a->kind != b->kind)
        return false;
    return expr_equal(a->left, b->left) && expr_equal(a->right, b->right) &&
           formula_equal(a->a, b->a) && formula_equal(a->b, b->b);
}

void expr_print(Buffer *out, const Program *program, const Operation *operation, const Expr *e)
{
    static const char *const bound_names[] = {"n", "m"};
    switch (e->kind) {
    case EXPR_NUMBER:
        buffer_printf(out, "%lld", (long long)e->number);
        break;
    case EXPR_ID:
        buffer_printf(out, "ID");
        break;
    case EXPR_LOCAL:
        buffer_printf(out, "%s", operation ? operation->locals.at[e->index].name : "?");
        break;
    case EXPR_GLOBAL:
        buffer_printf(out, "%s", program->globals.at[e->index].name);
        break;
    case EXPR_BOUND:
        buffer_printf(out, "%s", bound_names[e->index]);
        break;
    case EXPR_FIELD:
        expr_print(out, program, operation, e->a);
        buffer_printf(out, ".%s", program->fields.at[e->index].name);
        break;
    case EXPR_CELL:
        buffer_printf(out, "%s[", program->arrays.at[e->index].name);
        expr_print(out, program, operation, e->a);
        buffer_printf(out, "]");
        break;
    case EXPR_ADD:
    case EXPR_SUB:
        expr_print(out, program, operation, e->a);
        buffer_printf(out, e->kind == EXPR_ADD ? " + " : " - ");
        expr_print(out, program, operation, e->b);
        break;
    }
}

static void formula_print_operand(Buffer *out, const Program *program, const Operation *operation,
                                  const Formula *formula)
{
    bool compound = formula->kind >= FORMULA_AND;
    if (compound)
        buffer_printf(out, "(");
    formula_print(out, program, operation, formula);
    if (compound)
        buffer_printf(out, ")");
}

void formula_print(Buffer *out, const Program *program, const Operation *operation,
                   const Formula *f)
{
    static const char *const words[] = {"", " == ", " != ", " < ", " <= ", "", "", " && ",
                                        " || ", " => "};
    bool null = f->right && f->right->kind == EXPR_NUMBER && f->right->number == 0 && f->left &&
                type_is_node(f->left->type);
    switch (f->kind) {
    case FORMULA_TRUE:
        buffer_printf(out, "true");
        break;
    case FORMULA_EQ:
    case FORMULA_NE:
    case FORMULA_LT:
    case FORMULA_LE:
        expr_print(out, program, operation, f->left);
        buffer_printf(out, "%s", words[f->kind]);
        if (null)
            buffer_printf(out, "NULL");
        else
            expr_print(out, program, operation, f->right);
        break;
    case FORMULA_LIVE:
        buffer_printf(out, "live ");
        expr_print(out, program, operation, f->left);
        break;
    case FORMULA_NOT:
        buffer_printf(out, "!(");
        formula_print(out, program, operation, f->a);
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

void subop_print(Buffer *out, const Program *program, const Operation *operation,
                 const SubOp *subop)
{
    buffer_printf(out, "%s", subop->anyone ? "*" : "1");
    if (subop->guards.count > 0) {
        buffer_printf(out, " <");
        for (size_t i = 0; i < subop->guards.count; i++) {
            const Formula *guard = subop->guards.at[i];
            if (i > 0)
                buffer_printf(out, "; ");
            formula_print_operand(out, program, operation, guard);
        }
        buffer_printf(out, ">");
    }
    for (size_t i = 0; i < subop->statements.count; i++) {
        const Statement *s = &subop->statements.at[i];
        if (s->kind != STATEMENT_SET) {
            buffer_printf(out, " %s %s;", s->kind == STATEMENT_NEW ? "new" : "free",
                          operation->locals.at[s->local].name);
            continue;
        }
        buffer_printf(out, " ");
        expr_print(out, program, operation, s->target);
        buffer_printf(out, " = ");
        expr_print(out, program, operation, s->value);
        buffer_printf(out, ";");
    }
}
