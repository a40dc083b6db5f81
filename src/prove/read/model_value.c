#include "prove/read/model_path_private.h"
#include <string.h>

bool model_unsupported(Place place, Error *error, const char *what)
{
    return source_error(error, place, "the prover does not know %s", what);
}

bool model_kind(const ModelNames *names, const Type *type, IrType *out)
{
    *out = (IrType){KIND_INT, -1};
    switch (type->kind) {
    case TYPE_BOOL:
        out->kind = KIND_BOOL;
        return true;
    case TYPE_INT:
    case TYPE_ENUM:
    case TYPE_DATA:
    case TYPE_NONE:
        return true;
    case TYPE_THREAD:
        out->kind = KIND_TID;
        return true;
    case TYPE_NULL:
        return true;
    case TYPE_REF:
        for (int i = 0; i < names->module->pool_count; i++)
            if (names->module->pools[i] == type->structure) {
                *out = (IrType){KIND_NODE, names->structures[i]};
                return true;
            }
        return false;
    default:
        return false;
    }
}

/* ---- locals of the operation ---- */

const IrExpr *path_fail(PathBuilder *path, Place place, const char *what)
{
    if (!path->failed)
        model_unsupported(place, path->error, what);
    path->failed = true;
    return ir_number(path->arena, 0);
}

int path_new_local(PathBuilder *path, const char *name, const Type *type, Place place)
{
    IrType kind = {KIND_INT, -1};
    if (!model_kind(path->names, type, &kind))
        path_fail(path, place, "values of this type");
    /* Two locals of the program's, of a helper and of its caller, may have one name: for the reader
     * of a proof they get two. */
    const char *unique = name;
    for (size_t i = 0; i < path->operation.locals.count; i++)
        if (strcmp(path->operation.locals.at[i].name, unique) == 0)
            unique = arena_printf(path->arena, "%s'%zu", name, path->operation.locals.count);
    arena_push(path->arena, &path->operation.locals, (IrVariable){unique, kind});
    return (int)path->operation.locals.count - 1;
}

const IrExpr *path_local_expr(PathBuilder *path, int local)
{
    return ir_variable(path->arena, IR_LOCAL, local, path->operation.locals.at[local].type);
}

const IrExpr *path_fresh(PathBuilder *path, const Variable *variable)
{
    int version = path->versions[variable->index]++;
    const char *name =
        version == 0 ? variable->name : arena_printf(path->arena, "%s%d", variable->name, version);
    return path_local_expr(path, path_new_local(path, name, variable->type, variable->place));
}

/* ---- expressions ---- */

const IrExpr *path_field(PathBuilder *path, const Field *field, const Struct *structure,
                         const IrExpr *node)
{
    int number =
        path->names->first_fields[structure->pool_index] + (int)(field - structure->fields);
    return ir_field(path->arena, path->names->program, number, node);
}

static bool expr_is_number(const IrExpr *e, int64_t *number)
{
    *number = e->number;
    return e->kind == IR_NUMBER;
}

const IrExpr *path_place(PathBuilder *path, const Expr *e)
{
    const ModelNames *names = path->names;
    if (e->kind == EXPR_VARIABLE && e->variable->kind == VARIABLE_GLOBAL) {
        IrType kind = {KIND_INT, -1};
        if (!model_kind(names, e->type, &kind))
            return path_fail(path, e->place, "this variable as a whole");
        return ir_variable(path->arena, IR_GLOBAL, names->globals[e->variable->index], kind);
    }
    if (e->kind == EXPR_ARROW) {
        const IrExpr *base = path_value(path, e->a);
        if (path_private_node(path, base))
            path_publish(path); /* its own writes must be seen: rare, and always right */
        return path_field(path, e->field, e->a->type->structure, base);
    }
    if (e->kind == EXPR_FIELD && e->a->kind == EXPR_VARIABLE &&
        e->a->variable->kind == VARIABLE_GLOBAL) {
        int number =
            names->globals[e->a->variable->index] + (int)(e->field - e->a->type->structure->fields);
        return ir_variable(path->arena, IR_GLOBAL, number, names->program->globals.at[number].type);
    }
    const Expr *array = e->kind == EXPR_FIELD ? e->a : e;
    if (array->kind == EXPR_INDEX && array->a->kind == EXPR_VARIABLE &&
        array->a->variable->kind == VARIABLE_GLOBAL) {
        int number = names->globals[array->a->variable->index];
        if (e->kind == EXPR_FIELD)
            number += (int)(e->field - array->type->structure->fields);
        const IrExpr *position = path_value(path, array->b);
        int64_t constant;
        if (expr_is_number(position, &constant) &&
            (constant < 0 || constant >= array->a->type->count))
            path->infeasible = true; /* an error of the model, found by refine */
        return ir_cell(path->arena, names->program, number, position);
    }
    return path_fail(path, e->place, "this place");
}

static const IrExpr *path_arithmetic(PathBuilder *path, const Expr *e)
{
    const IrExpr *a = path_value(path, e->a), *b = path_value(path, e->b);
    bool add = e->operator== OP_ADD;
    int64_t x, y;
    if (expr_is_number(a, &x) && expr_is_number(b, &y))
        return ir_number(path->arena, add ? x + y : x - y);
    return ir_binary(path->arena, add ? IR_ADD : IR_SUB, a, b);
}

/* Times a number, or divided by one. */
static const IrExpr *path_scaled(PathBuilder *path, const Expr *e)
{
    const IrExpr *a = path_value(path, e->a), *b = path_value(path, e->b);
    bool times = e->operator== OP_MUL;
    int64_t x, y;
    if (times && expr_is_number(a, &x)) {
        const IrExpr *t = a;
        a = b;
        b = t;
    }
    if (!expr_is_number(b, &y) || y < (times ? -IR_MOST_FACTOR : 1) || y > IR_MOST_FACTOR)
        return path_fail(path, e->place,
                         "this product, quotient or remainder (one side must be a small constant)");
    IrExprKind kind = times ? IR_TIMES : e->operator== OP_DIV ? IR_QUOTIENT : IR_REST;
    if (expr_is_number(a, &x))
        return ir_number(path->arena, times ? x * y : e->operator== OP_DIV ? x / y : x % y);
    return ir_binary(path->arena, kind, a, b);
}

/* A truth value as a number: a local that is 1 or 0 as the formula is true or false. */
static const IrExpr *path_truth(PathBuilder *path, const Expr *e)
{
    const IrFormula *f = path_formula(path, e);
    if (f->kind == FORMULA_TRUE)
        return ir_number(path->arena, 1);
    if (f->kind == FORMULA_NOT && f->a->kind == FORMULA_TRUE)
        return ir_number(path->arena, 0);
    Arena *arena = path->arena;
    const IrExpr *truth = path_local_expr(
        path, path_new_local(path, arena_printf(arena, "truth%zu", path->operation.locals.count),
                             e->type, e->place));
    const IrFormula *yes = ir_formula_join(
        arena, FORMULA_AND, ir_formula_compare(arena, FORMULA_EQ, truth, ir_number(arena, 1)), f);
    const IrFormula *no = ir_formula_join(
        arena, FORMULA_AND, ir_formula_compare(arena, FORMULA_EQ, truth, ir_number(arena, 0)),
        ir_formula_not(arena, f));
    arena_push(
        path->arena, &path->step.statements,
        (IrStatement){.kind = IR_ASSUME, .condition = ir_formula_join(arena, FORMULA_OR, yes, no)});
    path->has_step = true;
    return truth;
}

const IrExpr *path_value(PathBuilder *path, const Expr *e)
{
    switch (e->kind) {
    case EXPR_CONST:
        return ir_number(path->arena, e->value);
    case EXPR_SELF:
        return ir_id(path->arena);
    case EXPR_VARIABLE:
        if (e->variable->kind == VARIABLE_LOCAL) {
            if (!path->values[e->variable->index])
                path->values[e->variable->index] = path_fresh(path, e->variable);
            return path->values[e->variable->index];
        }
        return path_place(path, e);
    case EXPR_ARROW:
    case EXPR_FIELD:
    case EXPR_INDEX:
        return path_place(path, e);
    case EXPR_BINARY:
        if (e->operator== OP_ADD || e->operator== OP_SUB)
            return path_arithmetic(path, e);
        if (e->operator== OP_MUL || e->operator== OP_DIV || e->operator== OP_MOD)
            return path_scaled(path, e);
        if (e->type->kind == TYPE_BOOL)
            return path_truth(path, e);
        return path_fail(path, e->place, "this operator (only + - * / %% of integers)");
    case EXPR_UNARY:
        if (e->operator== OP_NOT)
            return path_truth(path, e);
        if (e->operator== OP_NEG)
            return ir_binary(path->arena, IR_SUB, ir_number(path->arena, 0),
                             path_value(path, e->a));
        return path_fail(path, e->place, "this operator");
    default:
        return path_fail(path, e->place, "this expression");
    }
}

const IrFormula *path_constant(PathBuilder *path, bool truth)
{
    const IrFormula *yes = ir_formula_compare(path->arena, FORMULA_TRUE, NULL, NULL);
    return truth ? yes : ir_formula_not(path->arena, yes);
}

bool path_is_constant(const IrFormula *f, bool *truth)
{
    *truth = f->kind == FORMULA_TRUE;
    return *truth || (f->kind == FORMULA_NOT && f->a->kind == FORMULA_TRUE);
}

static const IrFormula *path_compare(PathBuilder *path, const Expr *e)
{
    const IrExpr *a = path_value(path, e->a), *b = path_value(path, e->b);
    int64_t x, y;
    bool swap = e->operator== OP_GT || e->operator== OP_GE;
    IrFormulaKind kind = e->operator== OP_EQ                          ? FORMULA_EQ
                         : e->operator== OP_NE                        ? FORMULA_NE
                         : e->operator== OP_LT || e->operator== OP_GT ? FORMULA_LT
                                                                      : FORMULA_LE;
    if (swap) {
        const IrExpr *t = a;
        a = b;
        b = t;
    }
    if (expr_is_number(a, &x) && expr_is_number(b, &y))
        return path_constant(path, kind == FORMULA_EQ   ? x == y
                                   : kind == FORMULA_NE ? x != y
                                   : kind == FORMULA_LT ? x < y
                                                        : x <= y);
    if (ir_expr_equal(a, b) && (kind == FORMULA_EQ || kind == FORMULA_LE))
        return path_constant(path, true);
    /* NULL stands on the right. */
    if (a->kind == IR_NUMBER && (kind == FORMULA_EQ || kind == FORMULA_NE))
        return ir_formula_compare(path->arena, kind, b, a);
    return ir_formula_compare(path->arena, kind, a, b);
}

const IrFormula *path_formula(PathBuilder *path, const Expr *e)
{
    if (e->kind == EXPR_UNARY && e->operator== OP_NOT) {
        const IrFormula *f = path_formula(path, e->a);
        bool truth;
        if (path_is_constant(f, &truth))
            return path_constant(path, !truth);
        if (f->kind == FORMULA_EQ || f->kind == FORMULA_NE)
            return ir_formula_compare(path->arena, f->kind == FORMULA_EQ ? FORMULA_NE : FORMULA_EQ,
                                      f->left, f->right);
        return ir_formula_not(path->arena, f);
    }
    if (e->kind == EXPR_BINARY && (e->operator== OP_AND || e->operator== OP_OR)) {
        const IrFormula *a = path_formula(path, e->a), *b = path_formula(path, e->b);
        bool truth, is_and = e->operator== OP_AND;
        if (path_is_constant(a, &truth))
            return truth == is_and ? b : a;
        if (path_is_constant(b, &truth))
            return truth == is_and ? a : b;
        return ir_formula_join(path->arena, is_and ? FORMULA_AND : FORMULA_OR, a, b);
    }
    if (e->kind == EXPR_BINARY && e->operator>= OP_EQ && e->operator<= OP_GE)
        return path_compare(path, e);
    const IrExpr *value = path_value(path, e);
    int64_t number;
    if (expr_is_number(value, &number))
        return path_constant(path, number != 0);
    return ir_formula_compare(path->arena, FORMULA_NE, value, ir_number(path->arena, 0));
}
