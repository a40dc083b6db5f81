#include "prove/model_path.h"
#include "prove/hoist.h"
#include <string.h>

typedef struct PrivateNode {
    int local;                   /* of the operation */
    Vec(IrStatement) statements; /* new and the writes so far */
    bool published;
} PrivateNode;

struct PathBuilder {
    Arena *arena;
    const ModelNames *names;
    const Operation *model;
    bool one_step, internal, infeasible, wrote;
    IrOperation operation;
    const IrExpr **values; /* of each local of the model: its current value; NULL: none yet */
    uint64_t revealed;     /* see path_revealed */
    bool *ignored;         /* of each local of the model */
    int *versions;
    Vec(PrivateNode) nodes;
    Vec(int) forgotten; /* locals of the operation that stand for an unknown value */
    SubOp step;         /* being filled */
    bool has_step;      /* it is a step of its own, not just conditions on locals */
    Error *error;
    bool failed;
};

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

static const IrExpr *path_fail(PathBuilder *path, Place place, const char *what)
{
    if (!path->failed)
        model_unsupported(place, path->error, what);
    path->failed = true;
    return ir_number(path->arena, 0);
}

static int path_new_local(PathBuilder *path, const char *name, const Type *type, Place place)
{
    IrType kind = {KIND_INT, -1};
    if (!model_kind(path->names, type, &kind))
        path_fail(path, place, "values of this type");
    vec_push(&path->operation.locals, (IrVariable){name, kind});
    return (int)path->operation.locals.count - 1;
}

static const IrExpr *path_local_expr(PathBuilder *path, int local)
{
    return ir_variable(path->arena, IR_LOCAL, local, path->operation.locals.at[local].type);
}

static const IrExpr *path_fresh(PathBuilder *path, const Variable *variable)
{
    int version = path->versions[variable->index]++;
    const char *name =
        version == 0 ? variable->name : arena_printf(path->arena, "%s%d", variable->name, version);
    return path_local_expr(path, path_new_local(path, name, variable->type, variable->place));
}

/* A call of the operation may bring any argument of the parameter's type. */
static void path_parameter(PathBuilder *path, const Variable *variable)
{
    const IrExpr *value = path->values[variable->index] = path_fresh(path, variable);
    const Type *type = variable->type;
    if (type->kind == TYPE_DATA)
        vec_push(&path->step.guards,
                 ir_formula_compare(path->arena, FORMULA_NE, value, ir_number(path->arena, 0)));
    if ((type->kind == TYPE_INT && type->bounded) || type->kind == TYPE_ENUM) {
        vec_push(&path->step.guards, ir_formula_compare(path->arena, FORMULA_LE,
                                                        ir_number(path->arena, type->low), value));
        vec_push(&path->step.guards, ir_formula_compare(path->arena, FORMULA_LE, value,
                                                        ir_number(path->arena, type->high)));
    }
}

PathBuilder *path_new(Arena *arena, const ModelNames *names, const Operation *operation,
                      bool one_step, bool internal)
{
    PathBuilder *path = arena_new_of(arena, PathBuilder);
    size_t count = (size_t)operation->local_count + 1;
    *path = (PathBuilder){.arena = arena,
                          .names = names,
                          .model = operation,
                          .one_step = one_step,
                          .internal = internal};
    path->operation.internal = internal;
    path->operation.method = operation->name;
    path->operation.line = operation->place.line;
    path->values = arena_array_of(arena, const IrExpr *, count);
    path->ignored = arena_array_of(arena, bool, count);
    path->versions = arena_array_of(arena, int, count);
    for (int i = 0; i < operation->parameter_count; i++)
        path_parameter(path, operation->locals[i]);
    return path;
}

#define PATH_COPY_VEC(path, field)                                                                 \
    do {                                                                                           \
        __typeof__((path)->field) old_ = (path)->field;                                            \
        (path)->field.at = NULL;                                                                   \
        (path)->field.count = (path)->field.capacity = 0;                                          \
        for (size_t i_ = 0; i_ < old_.count; i_++)                                                 \
            vec_push(&(path)->field, old_.at[i_]);                                                 \
    } while (0)

PathBuilder *path_copy(const PathBuilder *path)
{
    PathBuilder *copy = arena_new_of(path->arena, PathBuilder);
    size_t count = (size_t)path->model->local_count + 1;
    *copy = *path;
    copy->values = arena_array_of(path->arena, const IrExpr *, count);
    copy->ignored = arena_array_of(path->arena, bool, count);
    copy->versions = arena_array_of(path->arena, int, count);
    memcpy(copy->values, path->values, sizeof *path->values * count);
    memcpy(copy->ignored, path->ignored, sizeof *path->ignored * count);
    memcpy(copy->versions, path->versions, sizeof *path->versions * count);
    PATH_COPY_VEC(copy, operation.locals);
    PATH_COPY_VEC(copy, operation.subops);
    PATH_COPY_VEC(copy, step.guards);
    PATH_COPY_VEC(copy, step.statements);
    PATH_COPY_VEC(copy, nodes);
    PATH_COPY_VEC(copy, forgotten);
    for (size_t i = 0; i < copy->nodes.count; i++)
        PATH_COPY_VEC(copy, nodes.at[i].statements);
    return copy;
}

/* ---- expressions ---- */

static PrivateNode *path_private_node(PathBuilder *path, const IrExpr *e)
{
    for (size_t i = 0; e && e->kind == IR_LOCAL && i < path->nodes.count; i++)
        if (path->nodes.at[i].local == e->index && !path->nodes.at[i].published)
            return &path->nodes.at[i];
    return NULL;
}

static void path_publish(PathBuilder *path)
{
    for (size_t i = 0; i < path->nodes.count; i++) {
        PrivateNode *node = &path->nodes.at[i];
        for (size_t k = 0; k < node->statements.count && !node->published; k++)
            vec_push(&path->step.statements, node->statements.at[k]);
        path->has_step = path->wrote = true;
        node->published = true;
    }
}

static const IrExpr *path_value(PathBuilder *path, const Expr *e);
static const IrFormula *path_formula(PathBuilder *path, const Expr *e);

static bool expr_is_number(const IrExpr *e, int64_t *number)
{
    *number = e->number;
    return e->kind == IR_NUMBER;
}

static const IrExpr *path_place(PathBuilder *path, const Expr *e)
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
        int pool = e->a->type->structure->pool_index;
        if (path_private_node(path, base))
            path_publish(path); /* its own writes must be seen: rare, and always right */
        return ir_field(path->arena, names->program,
                        names->first_fields[pool] + (int)(e->field - e->a->type->structure->fields),
                        base);
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
    vec_push(
        &path->step.statements,
        (IrStatement){.kind = IR_ASSUME, .condition = ir_formula_join(arena, FORMULA_OR, yes, no)});
    path->has_step = true;
    return truth;
}

static const IrExpr *path_value(PathBuilder *path, const Expr *e)
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
        if (e->type->kind == TYPE_BOOL)
            return path_truth(path, e);
        return path_fail(path, e->place, "this operator (only + and - of integers)");
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

static const IrFormula *path_constant(PathBuilder *path, bool truth)
{
    const IrFormula *yes = ir_formula_compare(path->arena, FORMULA_TRUE, NULL, NULL);
    return truth ? yes : ir_formula_not(path->arena, yes);
}

static bool formula_is_constant(const IrFormula *f, bool *truth)
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

static const IrFormula *path_formula(PathBuilder *path, const Expr *e)
{
    if (e->kind == EXPR_UNARY && e->operator== OP_NOT) {
        const IrFormula *f = path_formula(path, e->a);
        bool truth;
        if (formula_is_constant(f, &truth))
            return path_constant(path, !truth);
        if (f->kind == FORMULA_EQ || f->kind == FORMULA_NE)
            return ir_formula_compare(path->arena, f->kind == FORMULA_EQ ? FORMULA_NE : FORMULA_EQ,
                                      f->left, f->right);
        return ir_formula_not(path->arena, f);
    }
    if (e->kind == EXPR_BINARY && (e->operator== OP_AND || e->operator== OP_OR)) {
        const IrFormula *a = path_formula(path, e->a), *b = path_formula(path, e->b);
        bool truth, is_and = e->operator== OP_AND;
        if (formula_is_constant(a, &truth))
            return truth == is_and ? b : a;
        if (formula_is_constant(b, &truth))
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

/* ---- steps ---- */

static void path_assume(PathBuilder *path, const IrFormula *f)
{
    bool truth;
    if (formula_is_constant(f, &truth)) {
        path->infeasible |= !truth;
        return;
    }
    if (!ir_formula_is_pure(f))
        path->has_step = true;
    bool wrote = false;
    for (size_t i = 0; i < path->step.statements.count; i++) {
        const IrStatement *s = &path->step.statements.at[i];
        wrote |= s->kind == IR_NEW || s->kind == IR_FREE ||
                 (s->kind == IR_SET && s->target->kind != IR_LOCAL);
    }
    if (wrote)
        vec_push(&path->step.statements, (IrStatement){.kind = IR_ASSUME, .condition = f});
    else
        vec_push(&path->step.guards, f);
}

static bool expr_names_private(PathBuilder *path, const IrExpr *e)
{
    return e && (path_private_node(path, e) || expr_names_private(path, e->a) ||
                 expr_names_private(path, e->b));
}

static void path_bind(PathBuilder *path, const Variable *variable, const IrExpr *value)
{
    if (ir_expr_is_pure(value)) {
        path->values[variable->index] = value;
        return;
    }
    const IrExpr *local = path_fresh(path, variable);
    vec_push(&path->step.statements,
             (IrStatement){.kind = IR_SET, .target = local, .value = value});
    path->values[variable->index] = local;
    path->has_step = true;
}

static void path_assign_local(PathBuilder *path, const Variable *variable, const Micro *micro)
{
    if (micro->value->kind == EXPR_NEW) {
        const IrExpr *node = path_fresh(path, variable);
        PrivateNode private_node = {.local = node->index};
        vec_push(&private_node.statements, (IrStatement){.kind = IR_NEW, .local = node->index});
        const Struct *structure = variable->type->structure;
        for (int i = 0; structure && structure->manual && i < structure->field_count; i++)
            vec_push(&private_node.statements,
                     (IrStatement){.kind = IR_SET,
                                   .target = ir_field(
                                       path->arena, path->names->program,
                                       path->names->first_fields[structure->pool_index] + i, node),
                                   .value = ir_number(path->arena, 0)});
        vec_push(&path->nodes, private_node);
        path->values[variable->index] = node;
        return;
    }
    if (micro->value->kind == EXPR_CHOOSE) {
        const IrExpr *low = path_value(path, micro->value->a);
        const IrExpr *high = path_value(path, micro->value->b);
        const IrExpr *any = path_fresh(path, variable);
        path_assume(path, ir_formula_compare(path->arena, FORMULA_LE, low, any));
        path_assume(path, ir_formula_compare(path->arena, FORMULA_LE, any, high));
        path->values[variable->index] = any;
        return;
    }
    path_bind(path, variable, path_value(path, micro->value));
}

/* A write to a node that nobody else can reach waits until the node is published. */
static bool path_assign_private(PathBuilder *path, const Micro *micro)
{
    const Expr *target = micro->target;
    if (target->kind != EXPR_ARROW || target->a->kind != EXPR_VARIABLE ||
        target->a->variable->kind != VARIABLE_LOCAL)
        return false;
    if (path->ignored[target->a->variable->index])
        return true;
    PrivateNode *node = path_private_node(path, path->values[target->a->variable->index]);
    if (!node)
        return false;
    const IrExpr *value = path_value(path, micro->value);
    if (!ir_expr_is_pure(value)) {
        const IrExpr *local = path_local_expr(
            path,
            path_new_local(path, arena_printf(path->arena, "read%zu", path->operation.locals.count),
                           micro->value->type, micro->place));
        vec_push(&path->step.statements,
                 (IrStatement){.kind = IR_SET, .target = local, .value = value});
        path->has_step = true;
        value = local;
    }
    node = path_private_node(path, path->values[target->a->variable->index]);
    if (!node)
        return false; /* the value read the node itself, which published it */
    vec_push(&node->statements,
             (IrStatement){.kind = IR_SET,
                           .target = ir_field(
                               path->arena, path->names->program,
                               path->names->first_fields[target->a->type->structure->pool_index] +
                                   (int)(target->field - target->a->type->structure->fields),
                               path->values[target->a->variable->index]),
                           .value = value});
    return true;
}

static void path_assign(PathBuilder *path, const Micro *micro)
{
    const Expr *target = micro->target;
    if (target->kind == EXPR_VARIABLE && target->variable->kind == VARIABLE_LOCAL) {
        path_assign_local(path, target->variable, micro);
        return;
    }
    if (path_assign_private(path, micro))
        return;
    if (micro->value->kind == EXPR_NEW || micro->value->kind == EXPR_CHOOSE) {
        int local =
            path_new_local(path, arena_printf(path->arena, "new%zu", path->operation.locals.count),
                           target->type, micro->place);
        const IrExpr *value = path_local_expr(path, local);
        if (micro->value->kind == EXPR_CHOOSE) {
            path_fail(path, micro->place, "choose into shared memory");
            return;
        }
        const IrExpr *place = path_place(path, target);
        vec_push(&path->step.statements, (IrStatement){.kind = IR_NEW, .local = local});
        vec_push(&path->step.statements,
                 (IrStatement){.kind = IR_SET, .target = place, .value = value});
        path->has_step = path->wrote = true;
        return;
    }
    const IrExpr *place = path_place(path, target), *value = path_value(path, micro->value);
    for (int i = 0; i < path->model->local_count; i++)
        if (path->ignored[i] && path->values[i] && path->values[i]->kind == IR_LOCAL &&
            (i >= 64 || ir_expr_uses_local(value, path->values[i]->index)))
            path->revealed |= (uint64_t)1 << MIN(i, 63);
    if (expr_names_private(path, value) || expr_names_private(path, place))
        path_publish(path);
    vec_push(&path->step.statements,
             (IrStatement){.kind = IR_SET, .target = place, .value = value});
    path->has_step = path->wrote = true;
}

static void path_micro(PathBuilder *path, const Micro *micro)
{
    switch (micro->kind) {
    case MICRO_ASSUME:
        path_assume(path, path_formula(path, micro->value));
        break;
    case MICRO_ASSIGN:
        path_assign(path, micro);
        break;
    case MICRO_FREE: {
        const IrExpr *node = path_value(path, micro->value);
        if (node->kind != IR_LOCAL) {
            path_fail(path, micro->place, "free of something that is not a local");
            break;
        }
        if (path_private_node(path, node))
            path_publish(path);
        vec_push(&path->step.statements, (IrStatement){.kind = IR_FREE, .local = node->index});
        path->names->program->frees = true;
        path->has_step = path->wrote = true;
        break;
    }
    case MICRO_ASSERT: {
        const IrFormula *f = path_formula(path, micro->value);
        bool truth;
        if (formula_is_constant(f, &truth) && truth)
            break;
        vec_push(&path->step.statements,
                 (IrStatement){.kind = IR_ASSUME, .condition = f, .claimed = true});
        path->has_step = true;
        break;
    }
    case MICRO_RETURN:
        if (micro->value && !path->internal) {
            const IrExpr *value = path_value(path, micro->value);
            int local = path_new_local(path, "result", path->model->result, micro->place);
            if (!ir_expr_is_pure(value))
                path->has_step = true;
            vec_push(&path->step.statements, (IrStatement){.kind = IR_SET,
                                                           .target = path_local_expr(path, local),
                                                           .value = value});
        }
        break;
    }
}

/* What was collected becomes a sub-operation, or joins the one before if it only concerns locals.
 */
static void path_flush(PathBuilder *path)
{
    SubOp *last = path->operation.subops.count > 0 ? &vec_last(&path->operation.subops) : NULL;
    if (path->step.guards.count == 0 && path->step.statements.count == 0)
        return;
    if (last && (!path->has_step || path->one_step)) {
        SubOp joined = *last;
        PATH_COPY_VEC(&joined, guards);
        PATH_COPY_VEC(&joined, statements);
        for (size_t i = 0; i < path->step.guards.count; i++)
            vec_push(&joined.statements,
                     (IrStatement){.kind = IR_ASSUME, .condition = path->step.guards.at[i]});
        for (size_t i = 0; i < path->step.statements.count; i++)
            vec_push(&joined.statements, path->step.statements.at[i]);
        *last = joined;
    } else if (!last && !path->has_step && !path->one_step) {
        return; /* conditions on arguments wait for the first step */
    } else {
        path->step.label = "";
        vec_push(&path->operation.subops, path->step);
    }
    path->step = (SubOp){0};
    path->has_step = false;
}

bool path_step(PathBuilder *path, const Edge *edge, const MicroPath *micros, bool *feasible,
               Error *error)
{
    path->error = error;
    path->step.line = edge->place.line;
    for (int i = 0; i < micros->count && !path->failed; i++)
        path_micro(path, &micros->at[i]);
    path_flush(path);
    *feasible = !path->infeasible;
    return !path->failed;
}

void path_forget_local(PathBuilder *path, int local)
{
    if (!path->values[local])
        return;
    path->values[local] = path_fresh(path, path->model->locals[local]);
    vec_push(&path->forgotten, path->values[local]->index);
}

void path_forget_field(PathBuilder *path, int local, const Field *field)
{
    PrivateNode *node = path_private_node(path, path->values[local]);
    const Struct *structure = path->model->locals[local]->type->structure;
    if (!node)
        return;
    int any =
        path_new_local(path, arena_printf(path->arena, "any%zu", path->operation.locals.count),
                       field->type, field->place);
    vec_push(&path->forgotten, any);
    vec_push(&node->statements,
             (IrStatement){.kind = IR_SET,
                           .target = ir_field(path->arena, path->names->program,
                                              path->names->first_fields[structure->pool_index] +
                                                  (int)(field - structure->fields),
                                              path->values[local]),
                           .value = path_local_expr(path, any)});
}

bool path_is_private(const PathBuilder *path, int local)
{
    const IrExpr *value = path->values[local];
    for (size_t i = 0; value && value->kind == IR_LOCAL && i < path->nodes.count; i++)
        if (path->nodes.at[i].local == value->index && !path->nodes.at[i].published)
            return true;
    return false;
}

void path_ignore_writes(PathBuilder *path, int local)
{
    path->ignored[local] = true;
}

uint64_t path_revealed(const PathBuilder *path)
{
    return path->revealed;
}

void path_reveal(PathBuilder *path, int local)
{
    if (!path_is_private(path, local))
        return;
    path_publish(path);
    path_flush(path);
}

bool path_has_effect(const PathBuilder *path)
{
    return path->wrote;
}

size_t path_forgotten(const PathBuilder *path, const int **locals)
{
    *locals = path->forgotten.at;
    return path->forgotten.count;
}

bool path_finish(PathBuilder *path, const char *name, IrOperation *out)
{
    if (path->operation.subops.count == 0) {
        if (path->step.guards.count == 0 && path->step.statements.count == 0 && path->internal)
            return false;
        path->has_step = true; /* an operation that touches nothing shared is still one step */
        if (path->step.guards.count == 0 && path->step.statements.count == 0)
            vec_push(&path->step.guards, path_constant(path, true));
        path_flush(path);
    }
    path->operation.name = name;
    hoist_conditions(&path->operation);
    for (size_t i = 0; i < path->operation.subops.count; i++)
        path->operation.subops.at[i].label = arena_printf(path->arena, "%s.%zu", name, i + 1);
    *out = path->operation;
    return true;
}
