#include "model/check.h"
#include <string.h>

enum { MAX_LOCALS = 200 };

Stmt *stmt_new(Context *context, StmtKind kind, Place place)
{
    Stmt *stmt = arena_new_of(context->checker->arena, Stmt);
    stmt->kind = kind;
    stmt->place = place;
    return stmt;
}

const Stmt *stmt_with(Context *context, StmtKind kind, Place place, const Stmt *first,
                      const Stmt *second)
{
    Stmt *stmt = stmt_new(context, kind, place);
    stmt->count = second ? 2 : 1;
    stmt->body = arena_array_of(context->checker->arena, const Stmt *, 2);
    stmt->body[0] = first;
    stmt->body[1] = second;
    return stmt;
}

const Stmt *stmt_block(Context *context, Place place, StmtList *list)
{
    if (list->count == 1) {
        const Stmt *only = list->at[0];
        vec_free(list);
        return only;
    }
    Stmt *stmt = stmt_new(context, STMT_BLOCK, place);
    stmt->count = (int)list->count;
    stmt->body = arena_array_of(context->checker->arena, const Stmt *, list->count + 1);
    if (list->count)
        memcpy(stmt->body, list->at, list->count * sizeof *list->at);
    vec_free(list);
    return stmt;
}

const Stmt *stmt_assign(Context *context, const Expr *target, const Expr *value, Place place)
{
    Stmt *stmt = stmt_new(context, STMT_ASSIGN, place);
    stmt->target = target;
    stmt->value = value;
    return stmt;
}

/* `first` then what was hoisted out of its expressions, in the right order. */
static const Stmt *with_before(Context *context, StmtList *before, const Stmt *stmt)
{
    if (!stmt) {
        vec_free(before);
        return NULL;
    }
    if (before->count == 0)
        return stmt;
    vec_push(before, stmt);
    return stmt_block(context, stmt->place, before);
}

Variable *context_add_local(Context *context, const char *name, const Type *type, Place place)
{
    ModelChecker *checker = context->checker;
    if (!context->locals) {
        source_error(checker->error, place, "no local variables here");
        return NULL;
    }
    if (context->locals->count >= MAX_LOCALS) {
        source_error(checker->error, place, "more than %d local variables", MAX_LOCALS);
        return NULL;
    }
    Variable *variable = arena_new_of(checker->arena, Variable);
    *variable = (Variable){.kind = VARIABLE_LOCAL,
                           .name = name,
                           .type = type,
                           .place = place,
                           .index = (int)context->locals->count};
    vec_push(context->locals, variable);
    return variable;
}

/* A value for a target of a type: the types must agree, a constant must be in range. */
bool check_assignable(Context *context, const Type *to, const Expr *value, Place place)
{
    ModelChecker *checker = context->checker;
    if (!type_is_scalar(to))
        return source_error(checker->error, place,
                            "values of type %s are not assigned as a whole: assign the parts",
                            type_text(checker->arena, to));
    if (!type_accepts(to, value->type))
        return source_error(checker->error, value->place, "%s can't hold a value of type %s",
                            type_text(checker->arena, to), type_text(checker->arena, value->type));
    if (value->kind == EXPR_CONST && (value->value < to->low || value->value > to->high))
        return source_error(checker->error, value->place, "%lld is outside %s",
                            (long long)value->value, type_text(checker->arena, to));
    return true;
}

/* ---- control ---- */
static bool has_break(const Stmt *stmt)
{
    if (stmt->kind == STMT_BREAK)
        return true;
    for (int i = 0; i < stmt->count; i++)
        if (stmt->body[i] && stmt->body[i]->kind != STMT_WHILE && has_break(stmt->body[i]))
            return true;
    return false;
}

bool stmt_falls_through(const Stmt *stmt)
{
    switch (stmt->kind) {
    case STMT_RETURN:
    case STMT_LEAVE:
    case STMT_BREAK:
    case STMT_CONTINUE:
        return false;
    case STMT_BLOCK:
        for (int i = 0; i < stmt->count; i++)
            if (!stmt_falls_through(stmt->body[i]))
                return false;
        return true;
    case STMT_IF:
        return stmt->count < 2 || stmt_falls_through(stmt->body[0]) ||
               stmt_falls_through(stmt->body[1]);
    case STMT_CHOOSE:
        for (int i = 0; i < stmt->count; i++)
            if (stmt_falls_through(stmt->body[i]))
                return true;
        return false;
    case STMT_ATOMIC:
        return stmt_falls_through(stmt->body[0]);
    case STMT_WHILE:
        return !expr_is_true(stmt->value) || has_break(stmt);
    default:
        return true;
    }
}

static const Stmt *check_block(Context *context, const Syntax *syntax)
{
    Scope *outer = context->scope;
    if (!syntax->flag)
        context->scope = scope_new(context->checker, outer);
    StmtList list = {0};
    for (int i = 0; i < syntax->count; i++) {
        const Stmt *stmt = check_stmt(context, syntax->list[i]);
        if (!stmt) {
            vec_free(&list);
            return NULL;
        }
        if (stmt->kind == STMT_BLOCK && stmt->count == 0)
            continue;
        vec_push(&list, stmt);
    }
    context->scope = outer;
    return stmt_block(context, syntax->place, &list);
}

static const Stmt *check_if(Context *context, const Syntax *syntax)
{
    StmtList before = {0}, *saved = context->before;
    context->before = &before;
    const Expr *condition = check_condition(context, syntax->a);
    context->before = saved;
    const Stmt *then = condition ? check_stmt(context, syntax->b) : NULL;
    const Stmt *other = then && syntax->c ? check_stmt(context, syntax->c) : NULL;
    if (!then || (syntax->c && !other)) {
        vec_free(&before);
        return NULL;
    }
    const Stmt *stmt;
    if (condition->kind == EXPR_CONST) { /* a variant chosen on the command line costs no step */
        StmtList none = {0};
        stmt = condition->value ? then : other ? other : stmt_block(context, syntax->place, &none);
    } else {
        Stmt *branch = arena_new_of(context->checker->arena, Stmt);
        *branch = *stmt_with(context, STMT_IF, syntax->place, then, other);
        branch->value = condition;
        stmt = branch;
    }
    return with_before(context, &before, stmt);
}

/* A condition with calls inside: while (f(x)) body, step  =>
 * while (true) { calls; if (!condition) break; body } step. For do: the test moves to the step. */
static const Stmt *check_while(Context *context, const Syntax *syntax)
{
    ModelChecker *checker = context->checker;
    StmtList before = {0}, *saved = context->before;
    context->before = &before;
    const Expr *condition = check_condition(context, syntax->a);
    context->before = saved;
    context->loop_depth++;
    const Stmt *body = condition ? check_stmt(context, syntax->b) : NULL;
    const Stmt *step = body && syntax->c ? check_stmt(context, syntax->c) : NULL;
    context->loop_depth--;
    if (!body || (syntax->c && !step)) {
        vec_free(&before);
        return NULL;
    }
    bool do_first = syntax->flag;
    if (before.count) {
        Stmt *test = arena_new_of(checker->arena, Stmt);
        *test = *stmt_with(context, STMT_IF, syntax->a->place,
                           stmt_new(context, STMT_BREAK, syntax->a->place), NULL);
        test->value = expr_not(checker->arena, condition);
        vec_push(&before, test);
        if (!do_first)
            vec_push(&before, body);
        const Stmt *all = stmt_block(context, syntax->place, &before);
        if (do_first)
            step = all;
        else
            body = all;
        condition = expr_const(checker->arena, type_basic(TYPE_BOOL), 1, syntax->a->place);
        do_first = false;
    }
    if (expr_is_false(condition) && !do_first) {
        StmtList none = {0};
        return stmt_block(context, syntax->place, &none);
    }
    Stmt *loop = arena_new_of(checker->arena, Stmt);
    *loop = *stmt_with(context, STMT_WHILE, syntax->place, body, step);
    loop->value = condition;
    loop->do_first = do_first;
    return loop;
}

static const Stmt *check_choose(Context *context, const Syntax *syntax)
{
    Stmt *stmt = stmt_new(context, STMT_CHOOSE, syntax->place);
    stmt->count = syntax->count;
    stmt->body = arena_array_of(context->checker->arena, const Stmt *, (size_t)syntax->count);
    for (int i = 0; i < syntax->count; i++)
        if (!(stmt->body[i] = check_stmt(context, syntax->list[i])))
            return NULL;
    return stmt;
}

static const Stmt *check_atomic(Context *context, const Syntax *syntax)
{
    int loops = context->loop_depth;
    context->loop_depth = 0; /* break and continue do not cross the boundary of a step */
    context->atomic_depth++;
    const Stmt *body = check_stmt(context, syntax->a);
    context->atomic_depth--;
    context->loop_depth = loops;
    return body ? stmt_with(context, STMT_ATOMIC, syntax->place, body, NULL) : NULL;
}

static const Stmt *check_return(Context *context, const Syntax *syntax)
{
    ModelChecker *checker = context->checker;
    StmtList before = {0}, *saved = context->before;
    Inline *inlined = context->inlined;
    if (!inlined && !context->result) {
        source_error(checker->error, syntax->place, "nothing to return from here");
        return NULL;
    }
    bool is_void = inlined ? !inlined->result : context->result->kind == TYPE_VOID;
    if (is_void != !syntax->a) {
        source_error(checker->error, syntax->place,
                     is_void ? "this returns no value" : "a value must be returned here");
        return NULL;
    }
    const Expr *value = NULL;
    if (syntax->a) {
        context->before = &before;
        value = check_expr(context, syntax->a);
        context->before = saved;
        if (!value) {
            vec_free(&before);
            return NULL;
        }
    }
    if (inlined)
        inlined->returns = true;
    if (inlined && inlined->result && !inlined->result->type) { /* auto */
        bool untyped = value->type->kind == TYPE_NULL || value->type->kind == TYPE_NONE;
        if (untyped) {
            source_error(checker->error, syntax->place,
                         "the first return of an auto function needs a value with a type");
            return NULL;
        }
        inlined->result->type = value->type;
    }
    const Type *type = inlined ? (inlined->result ? inlined->result->type : NULL) : context->result;
    if (value && !check_assignable(context, type, value, syntax->place)) {
        vec_free(&before);
        return NULL;
    }
    if (!inlined) {
        Stmt *stmt = stmt_new(context, STMT_RETURN, syntax->place);
        stmt->value = value;
        return with_before(context, &before, stmt);
    }
    if (value)
        vec_push(&before,
                 stmt_assign(context, expr_variable(checker->arena, inlined->result, syntax->place),
                             value, syntax->place));
    return with_before(context, &before, stmt_new(context, STMT_LEAVE, syntax->place));
}

/* ---- simple statements ---- */
static const Stmt *check_assign(Context *context, const Syntax *left, const Syntax *right,
                                Place place)
{
    StmtList before = {0}, *saved = context->before;
    context->before = &before;
    const Expr *target = check_place(context, left);
    const Expr *value = target ? check_value(context, right) : NULL;
    context->before = saved;
    if (!value || !check_assignable(context, target->type, value, place)) {
        vec_free(&before);
        return NULL;
    }
    return with_before(context, &before, stmt_assign(context, target, value, place));
}

/* Sets every scalar of a place to the first value of its type. */
static void assign_first(Context *context, const Expr *place, StmtList *list)
{
    Arena *arena = context->checker->arena;
    const Type *type = place->type;
    if (type_is_scalar(type)) {
        const Expr *value = expr_const(arena, type, type_first_value(type), place->place);
        vec_push(list, stmt_assign(context, place, value, place->place));
        return;
    }
    int64_t count = type->kind == TYPE_ARRAY ? type->count : type->structure->field_count;
    for (int64_t i = 0; i < count; i++) {
        Expr *part = arena_new_of(arena, Expr);
        *part = (Expr){.place = place->place, .a = place};
        if (type->kind == TYPE_ARRAY) {
            part->kind = EXPR_INDEX;
            part->type = type->element;
            part->b = expr_const(arena, type_basic(type->by_thread ? TYPE_THREAD : TYPE_INT),
                                 i + type->by_thread, place->place);
        } else {
            part->kind = EXPR_FIELD;
            part->type = type->structure->fields[i].type;
            part->field = &type->structure->fields[i];
        }
        assign_first(context, part, list);
    }
}

static const Stmt *check_declaration(Context *context, const Syntax *syntax)
{
    ModelChecker *checker = context->checker;
    const Type *type = check_declared_type(context, syntax);
    if (!type)
        return NULL;
    Variable *variable = context_add_local(context, syntax->name, type, syntax->place);
    if (!variable)
        return NULL;
    StmtList before = {0}, *saved = context->before;
    const Expr *value = NULL;
    if (syntax->b) {
        if (syntax->b->kind == SYN_LIST) {
            source_error(checker->error, syntax->b->place,
                         "a local array has no initial list: assign its elements");
            return NULL;
        }
        context->before = &before;
        value = check_value(context, syntax->b); /* before the name is visible, unlike C */
        context->before = saved;
        if (!value || !check_assignable(context, type, value, syntax->place)) {
            vec_free(&before);
            return NULL;
        }
    }
    Symbol symbol = {.kind = SYMBOL_VARIABLE,
                     .name = syntax->name,
                     .place = syntax->place,
                     .module = context->module,
                     .variable = variable};
    if (!scope_add(checker, context->scope, symbol)) {
        vec_free(&before);
        return NULL;
    }
    if (!value) { /* in a loop each round starts anew, so that no old value stays visible */
        if (type_scalar_count(type) > 200) {
            source_error(checker->error, syntax->place, "this local variable is too large");
            return NULL;
        }
        assign_first(context, expr_variable(checker->arena, variable, syntax->place), &before);
        return stmt_block(context, syntax->place, &before);
    }
    return with_before(context, &before,
                       stmt_assign(context, expr_variable(checker->arena, variable, syntax->place),
                                   value, syntax->place));
}

static const Stmt *check_operand(Context *context, const Syntax *syntax, StmtKind kind)
{
    ModelChecker *checker = context->checker;
    StmtList before = {0}, *saved = context->before;
    context->before = &before;
    const Expr *value =
        kind == STMT_FREE ? check_expr(context, syntax->a) : check_condition(context, syntax->a);
    context->before = saved;
    if (value && kind == STMT_AWAIT && before.count && context->atomic_depth == 0) {
        source_error(checker->error, syntax->place,
                     "await tests and goes on in one step: it can't contain a call");
        value = NULL;
    }
    if (value && kind == STMT_FREE && value->type->kind != TYPE_REF) {
        source_error(checker->error, syntax->place, "free needs a reference, this is %s",
                     type_text(checker->arena, value->type));
        value = NULL;
    }
    if (value && kind == STMT_FREE && !value->type->structure->manual) {
        source_error(checker->error, syntax->place,
                     "nodes of %s live while they are reachable; for explicit free declare it with "
                     "'pool N manual'",
                     value->type->structure->name);
        value = NULL;
    }
    if (!value) {
        vec_free(&before);
        return NULL;
    }
    Stmt *stmt = stmt_new(context, kind, syntax->place);
    stmt->value = value;
    return with_before(context, &before, stmt);
}

static const Stmt *check_stmt_inner(Context *context, const Syntax *syntax)
{
    switch (syntax->kind) {
    case SYN_BLOCK:
        return check_block(context, syntax);
    case SYN_IF:
        return check_if(context, syntax);
    case SYN_WHILE:
        return check_while(context, syntax);
    case SYN_CHOOSE:
        return check_choose(context, syntax);
    case SYN_ATOMIC:
        return check_atomic(context, syntax);
    case SYN_AWAIT:
        return check_operand(context, syntax, STMT_AWAIT);
    case SYN_ASSERT:
        return check_operand(context, syntax, STMT_ASSERT);
    case SYN_FREE:
        return check_operand(context, syntax, STMT_FREE);
    case SYN_RETURN:
        return check_return(context, syntax);
    case SYN_BREAK:
    case SYN_CONTINUE:
        if (context->loop_depth == 0) {
            source_error(context->checker->error, syntax->place, "no loop to %s here%s",
                         syntax->kind == SYN_BREAK ? "break" : "continue",
                         context->atomic_depth ? " (atomic steps are not left by it)" : "");
            return NULL;
        }
        return stmt_new(context, syntax->kind == SYN_BREAK ? STMT_BREAK : STMT_CONTINUE,
                        syntax->place);
    case SYN_ASSIGN:
        return check_assign(context, syntax->a, syntax->b, syntax->place);
    case SYN_DECLARE:
        return check_declaration(context, syntax);
    case SYN_EXPRESSION: {
        StmtList before = {0}, *saved = context->before;
        const Expr *ignored;
        context->before = &before;
        bool ok = check_call(context, syntax->a, &ignored);
        context->before = saved;
        if (!ok) {
            vec_free(&before);
            return NULL;
        }
        return stmt_block(context, syntax->place, &before);
    }
    default:
        ASSERT(false && "a statement");
        return NULL;
    }
}

const Stmt *check_stmt(Context *context, const Syntax *syntax)
{
    const Stmt *stmt = check_stmt_inner(context, syntax);
    if (stmt && syntax->label && !stmt->name) {
        Stmt *named = arena_new_of(context->checker->arena, Stmt);
        *named = *stmt;
        named->name = syntax->label;
        return named;
    }
    return stmt;
}
