/* Calls of functions are inlined: a call becomes local variables for its parameters and result, and
 * the function's body checked anew in a scope where the parameters have the types (and, by
 * reference, the places) of the arguments. So the later stages know no calls. */
#include "model/check.h"
#include <string.h>

enum { MAX_INLINE_DEPTH = 30 };

/* Is the name assigned to, or passed on by reference, anywhere in the syntax? */
static bool assigns_name(const Syntax *syntax, const char *name)
{
    if (!syntax)
        return false;
    if (syntax->kind == SYN_ASSIGN) {
        const Syntax *root = syntax->a;
        while (root->kind == SYN_INDEX || root->kind == SYN_DOT)
            root = root->a;
        if (root->kind == SYN_NAME && !strcmp(root->name, name))
            return true;
    }
    if (syntax->kind == SYN_CALL) /* may take it by reference */
        for (int i = 0; i < syntax->count; i++)
            if (syntax->list[i]->kind == SYN_NAME && !strcmp(syntax->list[i]->name, name))
                return true;
    if (assigns_name(syntax->a, name) || assigns_name(syntax->b, name) ||
        assigns_name(syntax->c, name))
        return true;
    for (int i = 0; i < syntax->count; i++)
        if (assigns_name(syntax->list[i], name))
            return true;
    return false;
}

/* Binds one parameter in the scope of the body: by reference, as an alias of a constant or local
 * that cannot change meanwhile, or as a new local. */
static bool bind_parameter(Context *context, const Symbol *function, const Syntax *parameter,
                           const Syntax *argument, bool others_by_reference, Scope *body)
{
    ModelChecker *checker = context->checker;
    bool is_auto = !strcmp(parameter->a->name, "auto") && !parameter->a->flag;
    const Type *type = NULL;
    if (!is_auto) {
        Context declared = *context;
        declared.scope = function->scope;
        if (!(type = check_type(&declared, parameter->a)))
            return false;
    }
    Symbol symbol = {.kind = SYMBOL_ALIAS, .name = parameter->name, .place = parameter->place};
    if (parameter->flag) {
        if (!(symbol.expr = check_place(context, argument)))
            return false;
        const Type *given = symbol.expr->type;
        bool same = is_auto || given == type ||
                    (given->kind == type->kind && type_is_scalar(type) &&
                     type_accepts(type, given) && type->kind != TYPE_INT) ||
                    (given->kind == TYPE_INT && type->kind == TYPE_INT && !type->bounded);
        if (!same)
            return source_error(checker->error, argument->place, "%s refers to a %s, this is a %s",
                                parameter->name, type_text(checker->arena, type),
                                type_text(checker->arena, given));
        return scope_add(checker, body, symbol);
    }
    const Expr *value = check_value(context, argument);
    if (!value)
        return false;
    if (type && !check_assignable(context, type, value, argument->place))
        return false;
    if (is_auto && !type_is_scalar(value->type))
        return source_error(checker->error, argument->place,
                            "pass a value of type %s by reference (auto &%s)",
                            type_text(checker->arena, value->type), parameter->name);
    bool steady = value->kind == EXPR_CONST || value->kind == EXPR_SELF ||
                  (value->kind == EXPR_VARIABLE && value->variable->kind == VARIABLE_LOCAL &&
                   !others_by_reference);
    if (steady && !assigns_name(function->syntax->b, parameter->name)) {
        symbol.expr = value;
        return scope_add(checker, body, symbol);
    }
    if (is_auto && (value->type->kind == TYPE_NULL || value->type->kind == TYPE_NONE))
        return source_error(checker->error, argument->place, "%s has no type to declare '%s' with",
                            type_text(checker->arena, value->type), parameter->name);
    Variable *variable =
        context_add_local(context, parameter->name, type ? type : value->type, parameter->place);
    if (!variable)
        return false;
    vec_push(context->before,
             stmt_assign(context, expr_variable(checker->arena, variable, argument->place), value,
                         argument->place));
    symbol.kind = SYMBOL_VARIABLE;
    symbol.variable = variable;
    symbol.module = context->module;
    return scope_add(checker, body, symbol);
}

bool check_call(Context *context, const Syntax *call, const Expr **result)
{
    ModelChecker *checker = context->checker;
    *result = NULL;
    const Symbol *found = scope_find(context->scope, call->name);
    if (!found)
        return source_error(checker->error, call->place, "there is no function '%s'", call->name);
    if (found->kind == SYMBOL_OPERATION)
        return source_error(checker->error, call->place,
                            "'%s' is an operation: clients call it, not the model", call->name);
    if (found->kind != SYMBOL_FUNCTION)
        return source_error(checker->error, call->place, "'%s' is not a function", call->name);
    if (!context->before || !context->locals)
        return source_error(checker->error, call->place, "calls are not allowed here");
    Symbol symbol = *found; /* scopes grow below */
    const Syntax *function = symbol.syntax;
    if (call->count != function->count)
        return source_error(checker->error, call->place, "%s() takes %d argument%s, not %d",
                            call->name, function->count, function->count == 1 ? "" : "s",
                            call->count);
    int depth = 0;
    for (const Inline *outer = context->inlined; outer; outer = outer->outer)
        if (outer->function == function || ++depth > MAX_INLINE_DEPTH)
            return source_error(checker->error, call->place,
                                "%s() calls itself: functions are inlined and can't be recursive",
                                call->name);
    /* a place that is a local of the caller may change while the body runs */
    bool by_reference = false;
    for (int i = 0; i < function->count; i++) {
        const Syntax *root = call->list[i];
        while (root->kind == SYN_INDEX || root->kind == SYN_DOT)
            root = root->a;
        const Symbol *name = root->kind == SYN_NAME ? scope_find(context->scope, root->name) : NULL;
        bool is_global =
            name && name->kind == SYMBOL_VARIABLE && name->variable->kind == VARIABLE_GLOBAL;
        by_reference |= function->list[i]->flag && root->kind != SYN_ARROW && !is_global;
    }

    Scope *scope = scope_new(checker, symbol.scope);
    for (int i = 0; i < call->count; i++)
        if (!bind_parameter(context, &symbol, function->list[i], call->list[i], by_reference,
                            scope))
            return false;

    Inline inlined = {.function = function, .outer = context->inlined};
    Context inner = *context;
    inner.scope = symbol.scope;
    bool is_void = !strcmp(function->a->name, "void");
    if (!is_void) {
        bool is_auto = !strcmp(function->a->name, "auto") && !function->a->flag;
        const Type *type = is_auto ? NULL : check_type(&inner, function->a);
        if (!is_auto && !type)
            return false;
        const char *name = arena_printf(checker->arena, "%s()", call->name);
        if (!(inlined.result = context_add_local(context, name, type, call->place)))
            return false;
    }
    inner.scope = scope;
    inner.inlined = &inlined;
    inner.before = NULL;
    inner.loop_depth = 0;
    inner.atomic_depth += function->flag;
    const Stmt *body = check_stmt(&inner, function->b);
    if (!body)
        return false;
    if (inlined.result && (stmt_falls_through(body) || !inlined.returns))
        return source_error(checker->error, function->place,
                            "%s() can end without returning a value", call->name);
    Stmt *stmt = stmt_new(context, STMT_INLINE, call->place);
    stmt->name = call->name;
    stmt->count = 1;
    stmt->body = arena_array_of(checker->arena, const Stmt *, 1);
    stmt->body[0] = body;
    const Stmt *done = stmt;
    if (function->flag)
        done = stmt_with(context, STMT_ATOMIC, call->place, stmt, NULL);
    vec_push(context->before, done);
    if (inlined.result)
        *result = expr_variable(checker->arena, inlined.result, call->place);
    return true;
}
