#include "prove/certificate_private.h"
#include <string.h>

static bool cert_is_size(const Certificate *c, int component)
{
    return component == c->whole->size;
}

static int cert_first_field(const Certificate *c)
{
    return (int)c->whole->globals.count;
}

static int cert_first_array(const Certificate *c)
{
    return cert_first_field(c) + (int)c->whole->fields.count;
}

int cert_component(const Certificate *c, const CertView *view, IrExprKind kind, int index)
{
    const Simulation *simulation = c->simulation;
    if (kind == IR_GLOBAL) {
        if (!view->abstract)
            return index;
        return index == simulation->specification->size ? c->whole->size
                                                        : simulation->first_global + index;
    }
    if (kind == IR_FIELD)
        return cert_first_field(c) + index;
    return cert_first_array(c) + index + (view->abstract ? simulation->first_array : 0);
}

const char *cert_component_name(Certificate *c, int component)
{
    const IrProgram *whole = c->whole;
    int fields = cert_first_field(c), arrays = cert_first_array(c);
    int after = arrays + (int)whole->arrays.count;
    if (component < fields)
        return whole->globals.at[component].name;
    if (component < arrays) {
        const IrField *field = &whole->fields.at[component - fields];
        return arena_printf(c->arena, "%s.%s", whole->structures.at[field->structure], field->name);
    }
    if (component < after)
        return arena_printf(c->arena, "%s[]", whole->arrays.at[component - arrays].name);
    return component == after ? "maker" : "allocated";
}

const char *cert_sort(const Certificate *c, int component)
{
    return component < cert_first_field(c) ? "Int" : "(Array Int Int)";
}

CertState cert_parameters(Certificate *c)
{
    CertState state = {arena_array_of(c->arena, const char *, (size_t)c->components)};
    for (int i = 0; i < c->components; i++)
        state.at[i] = arena_printf(c->arena, "|%s|", cert_component_name(c, i));
    return state;
}

CertState cert_base(Certificate *c)
{
    CertState state = {arena_array_of(c->arena, const char *, (size_t)c->components)};
    for (int i = 0; i < c->components; i++)
        state.at[i] = arena_printf(c->arena, cert_is_size(c, i) ? "|%s|" : "|%s@0|",
                                   cert_component_name(c, i));
    return state;
}

CertState cert_copy(Certificate *c, CertState state)
{
    CertState copy = {arena_array_of(c->arena, const char *, (size_t)c->components)};
    memcpy(copy.at, state.at, sizeof *copy.at * (size_t)c->components);
    return copy;
}

const char *cert_local(Certificate *c, CertView view, int local)
{
    const char *dot = view.who ? "." : "", *who = view.who ? view.who : "";
    if (view.names)
        return view.names[local];
    if (local < 0)
        return arena_printf(c->arena, "|ID%s%s|", dot, who);
    return arena_printf(c->arena, "|%d.%s%s%s|", local, view.op->locals.at[local].name, dot, who);
}

const char *cert_expr(Certificate *c, const CertState *state, CertView view, const IrExpr *e)
{
    Arena *arena = c->arena;
    switch (e->kind) {
    case IR_NUMBER:
        return e->number < 0 ? arena_printf(arena, "(- %lld)", -(long long)e->number)
                             : arena_printf(arena, "%lld", (long long)e->number);
    case IR_ID:
        return cert_local(c, view, -1);
    case IR_LOCAL:
        return cert_local(c, view, e->index);
    case IR_GLOBAL:
        return state->at[cert_component(c, &view, IR_GLOBAL, e->index)];
    case IR_BOUND:
        return e->index == 0 ? "|any|" : "|any1|";
    case IR_FIELD:
    case IR_CELL:
        return arena_printf(arena, "(select %s %s)",
                            state->at[cert_component(c, &view, e->kind, e->index)],
                            cert_expr(c, state, view, e->a));
    case IR_WRAP:
        return arena_printf(arena, "(remainder %s)", cert_expr(c, state, view, e->a));
    case IR_QUOTIENT:
    case IR_REST: { /* of SMT-LIB's, the remainder is never negative */
        const char *sign = e->kind == IR_REST ? "mod" : "div", *a = cert_expr(c, state, view, e->a);
        long long n = (long long)e->b->number;
        return arena_printf(arena, "(ite (<= 0 %s) (%s %s %lld) (- (%s (- %s) %lld)))", a, sign, a,
                            n, sign, a, n);
    }
    case IR_TIMES:
        return arena_printf(arena, "(* %s %s)", cert_expr(c, state, view, e->a),
                            cert_expr(c, state, view, e->b));
    case IR_ADD:
    case IR_SUB:
        return arena_printf(arena, "(%s %s %s)", e->kind == IR_ADD ? "+" : "-",
                            cert_expr(c, state, view, e->a), cert_expr(c, state, view, e->b));
    }
    ASSERT(false);
    return NULL;
}

const char *cert_formula(Certificate *c, const CertState *state, CertView view, const IrFormula *f)
{
    Arena *arena = c->arena;
    const char *l = f->left ? cert_expr(c, state, view, f->left) : NULL;
    const char *r = f->right ? cert_expr(c, state, view, f->right) : NULL;
    const char *a = f->a ? cert_formula(c, state, view, f->a) : NULL;
    const char *b = f->b ? cert_formula(c, state, view, f->b) : NULL;
    switch (f->kind) {
    case FORMULA_TRUE:
        return "true";
    case FORMULA_EQ:
        return arena_printf(arena, "(= %s %s)", l, r);
    case FORMULA_NE:
        return arena_printf(arena, "(not (= %s %s))", l, r);
    case FORMULA_LT:
        return arena_printf(arena, "(< %s %s)", l, r);
    case FORMULA_LE:
        return arena_printf(arena, "(<= %s %s)", l, r);
    case FORMULA_LIVE:
        return arena_printf(arena, "(and (not (= %s 0)) (= (select %s %s) 1))", l,
                            state->at[c->components - 1], l);
    case FORMULA_MINE:
        return arena_printf(arena, "(= (select %s %s) %s)", state->at[c->components - 2], l,
                            cert_local(c, view, -1));
    case FORMULA_NONE:
        return arena_printf(arena, "(forall ((|any| Int)) (not %s))", a);
    case FORMULA_NOT:
        return arena_printf(arena, "(not %s)", a);
    case FORMULA_AND:
        return arena_printf(arena, "(and %s %s)", a, b);
    case FORMULA_OR:
        return arena_printf(arena, "(or %s %s)", a, b);
    case FORMULA_IMPLIES:
        return arena_printf(arena, "(=> %s %s)", a, b);
    }
    ASSERT(false);
    return NULL;
}

void cert_condition(Certificate *c, const char *term)
{
    if (c->goal)
        buffer_printf(c->goal, " %s", term);
    else
        buffer_printf(&c->out, "(assert %s)\n", term);
}

/* Fields of NULL can't be read: inner expressions first. */
static void cert_defined(Certificate *c, const CertState *state, CertView view, const IrExpr *e)
{
    if (!e)
        return;
    cert_defined(c, state, view, e->a);
    cert_defined(c, state, view, e->b);
    if (e->kind == IR_FIELD)
        cert_condition(c,
                       arena_printf(c->arena, "(not (= %s 0))", cert_expr(c, state, view, e->a)));
}

static void cert_defined_formula(Certificate *c, const CertState *state, CertView view,
                                 const IrFormula *f)
{
    if (!f || f->kind == FORMULA_NONE)
        return;
    cert_defined(c, state, view, f->left);
    cert_defined(c, state, view, f->right);
    cert_defined_formula(c, state, view, f->a);
    cert_defined_formula(c, state, view, f->b);
}

void cert_guard(Certificate *c, const CertState *state, CertView view, const IrFormula *f)
{
    cert_defined_formula(c, state, view, f);
    cert_condition(c, cert_formula(c, state, view, f));
}

void cert_set(Certificate *c, CertState *state, int component, const char *term)
{
    if (c->inlined) {
        state->at[component] = term;
        return;
    }
    const char *name =
        arena_printf(c->arena, "|%s@%d|", cert_component_name(c, component), ++c->last[component]);
    buffer_printf(&c->out, "(define-fun %s () %s %s)\n", name, cert_sort(c, component), term);
    state->at[component] = name;
}

static void cert_store(Certificate *c, CertState *state, int component, const char *index,
                       const char *value)
{
    cert_set(c, state, component,
             arena_printf(c->arena, "(store %s %s %s)", state->at[component], index, value));
}

void cert_statement(Certificate *c, CertState *state, CertView view, const IrStatement *s)
{
    int allocated = c->components - 1;
    if (s->kind == IR_NEW || s->kind == IR_FREE) {
        const char *node = cert_local(c, view, s->local);
        if (s->kind == IR_NEW) {
            cert_condition(c, arena_printf(c->arena, "(< 0 %s)", node));
            cert_condition(c, arena_printf(c->arena, "(not (= (select %s %s) 1))",
                                           state->at[allocated], node));
        }
        cert_store(c, state, allocated, node, s->kind == IR_NEW ? "1" : "0");
        if (s->kind == IR_NEW)
            cert_store(c, state, allocated - 1, node, cert_local(c, view, -1));
        return;
    }
    if (s->kind == IR_ASSUME) {
        cert_guard(c, state, view, s->condition);
        return;
    }
    cert_defined(c, state, view, s->target);
    cert_defined(c, state, view, s->value);
    const char *value = cert_expr(c, state, view, s->value);
    if (s->target->kind == IR_LOCAL)
        cert_condition(
            c, arena_printf(c->arena, "(= %s %s)", cert_local(c, view, s->target->index), value));
    else if (s->target->kind == IR_GLOBAL)
        cert_set(c, state, cert_component(c, &view, IR_GLOBAL, s->target->index), value);
    else
        cert_store(c, state, cert_component(c, &view, s->target->kind, s->target->index),
                   cert_expr(c, state, view, s->target->a), value);
}

void cert_step(Certificate *c, CertState *state, CertView view, const SubOp *subop)
{
    for (size_t i = 0; i < subop->guards.count; i++)
        cert_guard(c, state, view, subop->guards.at[i]);
    for (size_t i = 0; i < subop->statements.count; i++)
        cert_statement(c, state, view, &subop->statements.at[i]);
}
