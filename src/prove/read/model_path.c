#include "prove/read/model_path_private.h"
#include <string.h>
#include "prove/read/hoist.h"

/* A call of the operation may bring any argument of the parameter's type. */
static void path_parameter(PathBuilder *path, const Variable *variable)
{
    const IrExpr *value = path->values[variable->index] = path_fresh(path, variable);
    const Type *type = variable->type;
    arena_push(path->arena, &path->operation.ports, value->index);
    if (type->kind == TYPE_DATA)
        arena_push(path->arena, &path->step.guards,
                   ir_formula_compare(path->arena, FORMULA_NE, value, ir_number(path->arena, 0)));
    if ((type->kind == TYPE_INT && type->bounded) || type->kind == TYPE_ENUM) {
        arena_push(
            path->arena, &path->step.guards,
            ir_formula_compare(path->arena, FORMULA_LE, ir_number(path->arena, type->low), value));
        arena_push(
            path->arena, &path->step.guards,
            ir_formula_compare(path->arena, FORMULA_LE, value, ir_number(path->arena, type->high)));
    }
}

PathBuilder *path_new(Arena *arena, const ModelNames *names, const ModelOperation *operation,
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
    arena_push(arena, &path->operation.ports, -1); /* the result, if it returns one */
    for (int i = 0; i < operation->parameter_count; i++)
        path_parameter(path, operation->locals[i]);
    return path;
}

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
    arena_own(path->arena, &copy->operation.locals);
    arena_own(path->arena, &copy->operation.ports);
    arena_own(path->arena, &copy->operation.subops);
    arena_own(path->arena, &copy->step.guards);
    arena_own(path->arena, &copy->step.statements);
    arena_own(path->arena, &copy->nodes);
    arena_own(path->arena, &copy->forgotten);
    for (size_t i = 0; i < copy->nodes.count; i++)
        arena_own(path->arena, &copy->nodes.at[i].statements);
    return copy;
}

/* ---- nodes that nobody else can reach ---- */

PrivateNode *path_private_node(const PathBuilder *path, const IrExpr *e)
{
    for (size_t i = 0; e && e->kind == IR_LOCAL && i < path->nodes.count; i++)
        if (path->nodes.at[i].local == e->index && !path->nodes.at[i].published)
            return &path->nodes.at[i];
    return NULL;
}

void path_publish(PathBuilder *path)
{
    for (size_t i = 0; i < path->nodes.count; i++) {
        PrivateNode *node = &path->nodes.at[i];
        for (size_t k = 0; k < node->statements.count && !node->published; k++)
            arena_push(path->arena, &path->step.statements, node->statements.at[k]);
        path->has_step = path->wrote = true;
        node->published = true;
    }
}

/* ---- steps ---- */

static void path_assume(PathBuilder *path, const IrFormula *f)
{
    bool truth;
    if (path_is_constant(f, &truth)) {
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
        arena_push(path->arena, &path->step.statements,
                   (IrStatement){.kind = IR_ASSUME, .condition = f});
    else
        arena_push(path->arena, &path->step.guards, f);
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
    arena_push(path->arena, &path->step.statements,
               (IrStatement){.kind = IR_SET, .target = local, .value = value});
    path->values[variable->index] = local;
    path->has_step = true;
}

static void path_assign_local(PathBuilder *path, const Variable *variable, const Micro *micro)
{
    if (micro->value->kind == EXPR_NEW) {
        const IrExpr *node = path_fresh(path, variable);
        bool in_sight = path->names->in_sight;
        PrivateNode private_node = {.local = node->index};
        arena_push(path->arena, &private_node.statements,
                   (IrStatement){.kind = IR_NEW, .local = node->index});
        const Struct *structure = variable->type->structure;
        for (int i = 0; structure && structure->manual && i < structure->field_count; i++)
            arena_push(
                path->arena, &private_node.statements,
                (IrStatement){.kind = IR_SET,
                              .target = path_field(path, &structure->fields[i], structure, node),
                              .value = ir_number(path->arena, 0)});
        for (size_t i = 0; in_sight && i < private_node.statements.count; i++)
            arena_push(path->arena, &path->step.statements, private_node.statements.at[i]);
        private_node.published = in_sight;
        path->has_step |= in_sight;
        path->wrote |= in_sight;
        arena_push(path->arena, &path->nodes, private_node);
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
        arena_push(path->arena, &path->step.statements,
                   (IrStatement){.kind = IR_SET, .target = local, .value = value});
        path->has_step = true;
        value = local;
    }
    node = path_private_node(path, path->values[target->a->variable->index]);
    if (!node)
        return false; /* the value read the node itself, which published it */
    arena_push(path->arena, &node->statements,
               (IrStatement){.kind = IR_SET,
                             .target = path_field(path, target->field, target->a->type->structure,
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
        arena_push(path->arena, &path->step.statements,
                   (IrStatement){.kind = IR_NEW, .local = local});
        arena_push(path->arena, &path->step.statements,
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
    arena_push(path->arena, &path->step.statements,
               (IrStatement){.kind = IR_SET, .target = place, .value = value});
    path->has_step = path->wrote = true;
}

/* Is it a local of the operation, and no argument? */
static bool path_is_own_local(const PathBuilder *path, const IrExpr *e)
{
    bool own = e->kind == IR_LOCAL;
    for (size_t i = 0; i < path->operation.ports.count && own; i++)
        own = path->operation.ports.at[i] != e->index;
    return own;
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
        arena_push(path->arena, &path->step.statements,
                   (IrStatement){.kind = IR_FREE, .local = node->index});
        path->names->program->frees = true;
        path->has_step = path->wrote = true;
        break;
    }
    case MICRO_ASSERT: {
        const IrFormula *f = path_formula(path, micro->value);
        bool truth;
        if (path_is_constant(f, &truth) && truth)
            break;
        arena_push(path->arena, &path->step.statements,
                   (IrStatement){.kind = IR_ASSUME, .condition = f, .claimed = true});
        path->has_step = true;
        break;
    }
    case MICRO_RETURN:
        if (micro->value && !path->internal) {
            const IrExpr *value = path_value(path, micro->value);
            /* A specification returns the local itself: one value less for it to find. */
            if (path->one_step && path_is_own_local(path, value)) {
                path->operation.ports.at[0] = value->index;
                break;
            }
            int local = path_new_local(path, "result", path->model->result, micro->place);
            path->operation.ports.at[0] = local;
            if (!ir_expr_is_pure(value))
                path->has_step = true;
            arena_push(path->arena, &path->step.statements,
                       (IrStatement){
                           .kind = IR_SET, .target = path_local_expr(path, local), .value = value});
        }
        break;
    }
}

/* The collected actions become a sub-operation, or joins the one before if it only concerns
 * locals. */
static void path_flush(PathBuilder *path)
{
    SubOp *last = path->operation.subops.count > 0 ? &vec_last(&path->operation.subops) : NULL;
    if (path->step.guards.count == 0 && path->step.statements.count == 0)
        return;
    if (last && (!path->has_step || path->one_step)) {
        SubOp joined = *last;
        arena_own(path->arena, &joined.guards);
        arena_own(path->arena, &joined.statements);
        for (size_t i = 0; i < path->step.guards.count; i++)
            arena_push(path->arena, &joined.statements,
                       (IrStatement){.kind = IR_ASSUME, .condition = path->step.guards.at[i]});
        for (size_t i = 0; i < path->step.statements.count; i++)
            arena_push(path->arena, &joined.statements, path->step.statements.at[i]);
        *last = joined;
    } else if (!last && !path->has_step && !path->one_step) {
        return; /* conditions on arguments wait for the first step */
    } else {
        path->step.label = "";
        arena_push(path->arena, &path->operation.subops, path->step);
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
    arena_push(path->arena, &path->forgotten, path->values[local]->index);
}

void path_forget_field(PathBuilder *path, int local, const Field *field)
{
    PrivateNode *node = path_private_node(path, path->values[local]);
    if (!node)
        return;
    int any =
        path_new_local(path, arena_printf(path->arena, "any%zu", path->operation.locals.count),
                       field->type, field->place);
    arena_push(path->arena, &path->forgotten, any);
    arena_push(
        path->arena, &node->statements,
        (IrStatement){.kind = IR_SET,
                      .target = path_field(path, field, path->model->locals[local]->type->structure,
                                           path->values[local]),
                      .value = path_local_expr(path, any)});
}

bool path_is_private(const PathBuilder *path, int local)
{
    return path_private_node(path, path->values[local]) != NULL;
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
            arena_push(path->arena, &path->step.guards, path_constant(path, true));
        path_flush(path);
    }
    path->operation.name = name;
    hoist_conditions(path->arena, &path->operation);
    for (size_t i = 0; i < path->operation.subops.count; i++)
        path->operation.subops.at[i].label = arena_printf(path->arena, "%s.%zu", name, i + 1);
    *out = path->operation;
    return true;
}
