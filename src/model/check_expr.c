#include "model/check.h"
#include <string.h>

/* ---- making expressions ---- */
static Expr *expr_new(Arena *arena, ExprKind kind, const Type *type, Place place)
{
    Expr *expr = arena_new_of(arena, Expr);
    expr->kind = kind;
    expr->type = type;
    expr->place = place;
    return expr;
}

const Expr *expr_const(Arena *arena, const Type *type, int64_t value, Place place)
{
    Expr *expr = expr_new(arena, EXPR_CONST, type, place);
    expr->value = value;
    return expr;
}

const Expr *expr_variable(Arena *arena, const Variable *variable, Place place)
{
    Expr *expr = expr_new(arena, EXPR_VARIABLE, variable->type, place);
    expr->variable = variable;
    return expr;
}

const Expr *expr_not(Arena *arena, const Expr *operand)
{
    if (operand->kind == EXPR_CONST)
        return expr_const(arena, type_basic(TYPE_BOOL), !operand->value, operand->place);
    if (operand->kind == EXPR_UNARY && operand->operator== OP_NOT)
        return operand->a;
    Expr *expr = expr_new(arena, EXPR_UNARY, type_basic(TYPE_BOOL), operand->place);
    expr->operator= OP_NOT;
    expr->a = operand;
    return expr;
}

bool expr_is_true(const Expr *expr)
{
    return expr->kind == EXPR_CONST && expr->value != 0;
}

bool expr_is_false(const Expr *expr)
{
    return expr->kind == EXPR_CONST && expr->value == 0;
}

bool expr_is_local(const Expr *expr)
{
    if (!expr)
        return true;
    switch (expr->kind) {
    case EXPR_VARIABLE:
        return expr->variable->kind == VARIABLE_LOCAL;
    case EXPR_ARROW:
    case EXPR_AVAILABLE:
    case EXPR_NEW:
        return false;
    default:
        return expr_is_local(expr->a) && expr_is_local(expr->b) && expr_is_local(expr->c);
    }
}

/* ---- operators ---- */
bool operator_apply(Operator operator, int64_t a, int64_t b, int64_t *out)
{
    switch (operator) {
    case OP_OR:
        *out = a || b;
        return true;
    case OP_AND:
        *out = a && b;
        return true;
    case OP_BIT_OR:
        *out = a | b;
        return true;
    case OP_BIT_XOR:
        *out = a ^ b;
        return true;
    case OP_BIT_AND:
        *out = a & b;
        return true;
    case OP_EQ:
        *out = a == b;
        return true;
    case OP_NE:
        *out = a != b;
        return true;
    case OP_LT:
        *out = a < b;
        return true;
    case OP_LE:
        *out = a <= b;
        return true;
    case OP_GT:
        *out = a > b;
        return true;
    case OP_GE:
        *out = a >= b;
        return true;
    case OP_ADD:
        *out = a + b;
        return true;
    case OP_SUB:
        *out = a - b;
        return true;
    case OP_MUL:
        return !__builtin_mul_overflow(a, b, out);
    case OP_NOT:
        *out = !a;
        return true;
    case OP_NEG:
        *out = -a;
        return true;
    case OP_BIT_NOT:
        *out = ~a;
        return true;
    case OP_SHIFT_LEFT:
        if (b < 0 || b > 30 || a < 0)
            return false;
        *out = a << b;
        return true;
    case OP_SHIFT_RIGHT:
        if (b < 0 || b > 30 || a < 0)
            return false;
        *out = a >> b;
        return true;
    case OP_DIV:
        if (b == 0)
            return false;
        *out = a / b;
        return true;
    case OP_MOD:
        if (b == 0)
            return false;
        *out = a % b;
        return true;
    case OP_COUNT:
        break;
    }
    return false;
}

static bool is_number(const Type *type)
{
    return type->kind == TYPE_INT || type->kind == TYPE_BOOL;
}

static bool is_literal(const Type *type)
{
    return type->kind == TYPE_NULL || type->kind == TYPE_NONE;
}

static const char *text_of(Context *context, const Type *type)
{
    return type_text(context->checker->arena, type);
}

static bool check_comparable(Context *context, const Syntax *syntax, const Expr *a, const Expr *b)
{
    Error *error = context->checker->error;
    if (!type_accepts(a->type, b->type) && !type_accepts(b->type, a->type))
        return source_error(error, syntax->place, "can't compare %s with %s",
                            text_of(context, a->type), text_of(context, b->type));
    if (a->type->kind == TYPE_DATA && b->type->kind == TYPE_DATA)
        return source_error(
            error, syntax->place,
            "values of the data type %s can't be compared with each other, only with "
            "none (use int or enum for values that are compared)",
            a->type->name);
    return true;
}

/* Returns an operand that may not be evaluated, and in CALLS the calls in it; NULL: error. */
static const Expr *check_maybe(Context *context, const Syntax *syntax, bool is_condition,
                               StmtList *calls)
{
    StmtList *saved = context->before;
    context->before = saved ? calls : NULL;
    const Expr *expr =
        is_condition ? check_condition(context, syntax) : check_expr(context, syntax);
    context->before = saved;
    return expr;
}

typedef struct Choice { /* one of two operands: the calls in it, and its value after them */
    StmtList calls;
    const Expr *value;
} Choice;

/* Returns the value of the operand that is evaluated: a local that an if before the statement has
 * set, its calls made. Takes the lists. */
static const Expr *check_choose(Context *context, const Syntax *syntax, const Type *type,
                                const Expr *condition, Choice choices[2])
{
    const Stmt *branches[2];
    Variable *chosen = context_add_local(
        context, syntax->kind == SYN_BINARY ? operator_text(syntax->operator) : "?:", type,
        syntax->place);
    if (!chosen) {
        vec_free(&choices[0].calls);
        vec_free(&choices[1].calls);
        return NULL;
    }
    const Expr *target = expr_variable(context->checker->arena, chosen, syntax->place);
    for (int i = 0; i < 2; i++) {
        vec_push(&choices[i].calls, stmt_assign(context, target, choices[i].value, syntax->place));
        branches[i] = stmt_block(context, syntax->place, &choices[i].calls);
    }
    Stmt *branch = arena_new_of(context->checker->arena, Stmt);
    *branch = *stmt_with(context, STMT_IF, syntax->place, branches[0], branches[1]);
    branch->value = condition;
    vec_push(context->before, branch);
    return target;
}

static void append_calls(Context *context, StmtList *calls)
{
    for (size_t i = 0; i < calls->count; i++)
        vec_push(context->before, calls->at[i]);
    vec_free(calls);
}

static const Expr *check_binary(Context *context, const Syntax *syntax)
{
    ModelChecker *checker = context->checker;
    Operator operator= syntax->operator;
    bool is_logical = operator== OP_AND || operator== OP_OR;
    const Expr *a, *b;
    if (is_logical) {
        StmtList calls = {0};
        if (!(a = check_condition(context, syntax->a)))
            return NULL;
        bool decided = a->kind == EXPR_CONST && expr_is_true(a) == (operator== OP_OR);
        b = check_maybe(context, syntax->b, true, &calls);
        if (!b || decided)
            vec_free(&calls); /* `DEBUG && ...` costs nothing */
        else if (a->kind == EXPR_CONST)
            append_calls(context, &calls);
        else if (calls.count > 0) {
            bool is_or = operator== OP_OR;
            Choice choices[2] = {{.calls = {0}}, {.calls = {0}}};
            choices[is_or] = (Choice){calls, b};
            choices[!is_or].value =
                expr_const(checker->arena, type_basic(TYPE_BOOL), is_or, syntax->place);
            return check_choose(context, syntax, type_basic(TYPE_BOOL), a, choices);
        }
    } else {
        if (!(a = check_expr(context, syntax->a)))
            return NULL;
        b = check_expr(context, syntax->b);
    }
    if (!b)
        return NULL;
    bool equality = operator== OP_EQ || operator== OP_NE;
    bool ordering = operator>= OP_LT && operator<= OP_GE;
    if (equality) {
        if (!check_comparable(context, syntax, a, b))
            return NULL;
    } else if (!is_logical && (!is_number(a->type) || !is_number(b->type)) &&
               !(ordering && a->type->kind == TYPE_ENUM && a->type == b->type)) {
        const Type *wrong = is_number(a->type) ? b->type : a->type;
        source_error(checker->error, syntax->place, "'%s' needs numbers, this is %s",
                     operator_text(operator), text_of(context, wrong));
        return NULL;
    }
    bool is_bool = is_logical || equality || ordering;
    const Type *type = is_bool ? type_basic(TYPE_BOOL) : type_basic(TYPE_INT);
    if (a->kind == EXPR_CONST && b->kind == EXPR_CONST) {
        int64_t value;
        if (!operator_apply(operator, a->value, b->value, &value)) {
            source_error(checker->error,
                         syntax->place,
                         operator== OP_DIV || operator== OP_MOD ? "division by zero"
                                                                : "this has no value");
            return NULL;
        }
        if (value < INT32_MIN || value > INT32_MAX) {
            source_error(checker->error, syntax->place, "%lld is too large", (long long)value);
            return NULL;
        }
        return expr_const(checker->arena, type, value, syntax->place);
    }
    if ((operator== OP_DIV || operator== OP_MOD) && b->kind == EXPR_CONST && b->value == 0) {
        source_error(checker->error, syntax->place, "division by zero");
        return NULL;
    }
    if (is_logical && a->kind == EXPR_CONST)
        return expr_is_true(a) == (operator== OP_AND)
                   ? b
                   : expr_const(checker->arena, type, operator== OP_OR, syntax->place);
    Expr *expr = expr_new(checker->arena, EXPR_BINARY, type, syntax->place);
    expr->operator= operator;
    expr->a = a;
    expr->b = b;
    return expr;
}

static const Expr *check_unary(Context *context, const Syntax *syntax)
{
    ModelChecker *checker = context->checker;
    if (syntax->operator== OP_NOT) {
        const Expr *a = check_condition(context, syntax->a);
        return a ? expr_not(checker->arena, a) : NULL;
    }
    const Expr *a = check_expr(context, syntax->a);
    if (!a)
        return NULL;
    if (!is_number(a->type)) {
        source_error(checker->error, syntax->place, "'%s' needs a number, this is %s",
                     operator_text(syntax->operator), text_of(context, a->type));
        return NULL;
    }
    if (a->kind == EXPR_CONST) {
        int64_t value;
        if (!operator_apply(syntax->operator, a->value, 0, &value))
            return NULL;
        return expr_const(checker->arena, type_basic(TYPE_INT), value, syntax->place);
    }
    Expr *expr = expr_new(checker->arena, EXPR_UNARY, type_basic(TYPE_INT), syntax->place);
    expr->operator= syntax->operator;
    expr->a = a;
    return expr;
}

/* Returns the type that both B and C have; NULL: error. */
static const Type *common_type(Context *context, const Syntax *syntax, const Expr *b, const Expr *c)
{
    const Type *type = type_accepts(b->type, c->type)   ? b->type
                       : type_accepts(c->type, b->type) ? c->type
                                                        : NULL;
    if (!type)
        source_error(context->checker->error, syntax->place, "the two values have types %s and %s",
                     text_of(context, b->type), text_of(context, c->type));
    return type && is_number(type) ? type_basic(TYPE_INT) : type;
}

static const Expr *check_conditional(Context *context, const Syntax *syntax)
{
    ModelChecker *checker = context->checker;
    const Expr *a = check_condition(context, syntax->a);
    if (!a)
        return NULL;
    Choice choices[2] = {{.calls = {0}}, {.calls = {0}}};
    const Expr *b = choices[0].value = check_maybe(context, syntax->b, false, &choices[0].calls);
    const Expr *c = b ? check_maybe(context, syntax->c, false, &choices[1].calls) : NULL;
    choices[1].value = c;
    const Type *type = c ? common_type(context, syntax, b, c) : NULL;
    bool calls = choices[0].calls.count > 0 || choices[1].calls.count > 0;
    if (type && calls && a->kind != EXPR_CONST)
        return check_choose(context, syntax, type, a, choices);
    if (type && a->kind == EXPR_CONST)
        append_calls(context, &choices[a->value ? 0 : 1].calls);
    vec_free(&choices[0].calls);
    vec_free(&choices[1].calls);
    if (!type)
        return NULL;
    if (a->kind == EXPR_CONST)
        return a->value ? b : c;
    Expr *expr = expr_new(checker->arena, EXPR_CONDITIONAL, type, syntax->place);
    expr->a = a;
    expr->b = b;
    expr->c = c;
    return expr;
}

/* ---- names and places ---- */
static const Expr *check_name(Context *context, const Syntax *syntax)
{
    ModelChecker *checker = context->checker;
    Arena *arena = checker->arena;
    const char *name = syntax->name;
    if (!strcmp(name, "true") || !strcmp(name, "false"))
        return expr_const(arena, type_basic(TYPE_BOOL), name[0] == 't', syntax->place);
    if (!strcmp(name, "NULL"))
        return expr_const(arena, type_basic(TYPE_NULL), 0, syntax->place);
    if (!strcmp(name, "none"))
        return expr_const(arena, type_basic(TYPE_NONE), 0, syntax->place);
    if (!strcmp(name, "self")) {
        if (context->no_self) {
            source_error(checker->error, syntax->place,
                         "no thread executes this: self has no value");
            return NULL;
        }
        return expr_new(arena, EXPR_SELF, type_basic(TYPE_THREAD), syntax->place);
    }
    const Symbol *symbol = scope_find(context->scope, name);
    if (!symbol) {
        for (size_t i = 0; i < checker->defines->count; i++)
            if (!strcmp(checker->defines->at[i].name, name)) {
                checker->defines->at[i].used = true;
                return expr_const(arena, type_basic(TYPE_INT), checker->defines->at[i].value,
                                  syntax->place);
            }
        source_error(checker->error, syntax->place, "'%s' is not declared", name);
        return NULL;
    }
    switch (symbol->kind) {
    case SYMBOL_CONST:
        return expr_const(arena, symbol->type, symbol->value, syntax->place);
    case SYMBOL_VARIABLE:
        if (symbol->variable->kind == VARIABLE_GLOBAL && symbol->module != context->module) {
            source_error(
                checker->error, syntax->place,
                "'%s' belongs to the implementation: a specification has its own variables", name);
            return NULL;
        }
        return expr_variable(arena, symbol->variable, syntax->place);
    case SYMBOL_ALIAS: {
        Expr *copy = arena_new_of(arena, Expr);
        *copy = *symbol->expr;
        copy->place = syntax->place;
        return copy;
    }
    case SYMBOL_TYPE:
        source_error(checker->error, syntax->place, "'%s' is a type, not a value", name);
        return NULL;
    case SYMBOL_FUNCTION:
    case SYMBOL_OPERATION:
        source_error(checker->error, syntax->place, "'%s' is a function: call it as %s(...)", name,
                     name);
        return NULL;
    }
    return NULL;
}

static const Expr *check_field(Context *context, const Syntax *syntax)
{
    ModelChecker *checker = context->checker;
    const Expr *a = check_expr(context, syntax->a);
    if (!a)
        return NULL;
    bool arrow = syntax->kind == SYN_ARROW;
    if (arrow && a->type->kind == TYPE_STRUCT) {
        source_error(checker->error, syntax->place,
                     "this is a struct, not a reference: write '.%s'", syntax->name);
        return NULL;
    }
    if (!arrow && a->type->kind == TYPE_REF) {
        source_error(checker->error, syntax->place, "this is a reference: write '->%s'",
                     syntax->name);
        return NULL;
    }
    if (a->type->kind != (arrow ? TYPE_REF : TYPE_STRUCT)) {
        source_error(checker->error, syntax->place, "%s has no fields", text_of(context, a->type));
        return NULL;
    }
    const Struct *structure = a->type->structure;
    for (int i = 0; i < structure->field_count; i++)
        if (!strcmp(structure->fields[i].name, syntax->name)) {
            Expr *expr = expr_new(checker->arena, arrow ? EXPR_ARROW : EXPR_FIELD,
                                  structure->fields[i].type, syntax->place);
            expr->a = a;
            expr->field = &structure->fields[i];
            return expr;
        }
    source_error(checker->error, syntax->place, "struct %s has no field '%s'", structure->name,
                 syntax->name);
    return NULL;
}

static const Expr *check_index(Context *context, const Syntax *syntax)
{
    ModelChecker *checker = context->checker;
    const Expr *a = check_expr(context, syntax->a);
    const Expr *b = a ? check_expr(context, syntax->b) : NULL;
    if (!b)
        return NULL;
    if (a->type->kind != TYPE_ARRAY) {
        source_error(checker->error, syntax->place, "%s is not an array",
                     text_of(context, a->type));
        return NULL;
    }
    bool by_thread = a->type->by_thread;
    if (by_thread ? b->type->kind != TYPE_THREAD
                  : !is_number(b->type) && b->type->kind != TYPE_ENUM) {
        source_error(checker->error, syntax->place, "the index must be %s, this is %s",
                     by_thread ? "a thread" : "a number", text_of(context, b->type));
        return NULL;
    }
    if (b->kind == EXPR_CONST && (b->value < 0 || b->value >= a->type->count)) {
        source_error(checker->error, syntax->place, "index %lld is outside the array of %lld",
                     (long long)b->value, (long long)a->type->count);
        return NULL;
    }
    Expr *expr = expr_new(checker->arena, EXPR_INDEX, a->type->element, syntax->place);
    expr->a = a;
    expr->b = b;
    return expr;
}

const Expr *check_place(Context *context, const Syntax *syntax)
{
    const Expr *expr = check_expr(context, syntax);
    if (!expr)
        return NULL;
    const Expr *root = expr;
    while (root->kind == EXPR_FIELD || root->kind == EXPR_INDEX)
        root = root->a;
    if (root->kind != EXPR_VARIABLE && root->kind != EXPR_ARROW) {
        source_error(context->checker->error, syntax->place,
                     "this is not a place to store a value");
        return NULL;
    }
    return expr;
}

/* ---- the rest ---- */
static const Struct *check_pool(Context *context, const Syntax *syntax, const char *name)
{
    ModelChecker *checker = context->checker;
    const Symbol *symbol = scope_find(context->scope, name);
    if (!symbol || symbol->kind != SYMBOL_TYPE || symbol->type->kind != TYPE_STRUCT ||
        symbol->type->structure->pool == 0) {
        source_error(checker->error, syntax->place, "'%s' is not a struct with a pool", name);
        return NULL;
    }
    if (symbol->type->structure->module != context->module) {
        source_error(checker->error, syntax->place,
                     "the nodes of %s belong to the implementation: a specification has its own",
                     name);
        return NULL;
    }
    return symbol->type->structure;
}

static const Expr *check_new(Context *context, const Syntax *syntax)
{
    const Struct *structure = check_pool(context, syntax, syntax->name);
    if (!structure)
        return NULL;
    Syntax type = {.kind = SYN_TYPE, .name = syntax->name, .flag = true, .place = syntax->place};
    const Type *ref = check_type(context, &type);
    if (!ref)
        return NULL;
    Expr *expr = expr_new(context->checker->arena, EXPR_NEW, ref, syntax->place);
    expr->structure = structure;
    return expr;
}

static const Expr *check_choice(Context *context, const Syntax *syntax)
{
    ModelChecker *checker = context->checker;
    const Expr *a = check_expr(context, syntax->a);
    const Expr *b = a ? check_expr(context, syntax->b) : NULL;
    if (!b)
        return NULL;
    if (!is_number(a->type) || !is_number(b->type)) {
        source_error(checker->error, syntax->place, "choose(low..high) needs numbers");
        return NULL;
    }
    Expr *expr = expr_new(checker->arena, EXPR_CHOOSE, type_basic(TYPE_INT), syntax->place);
    expr->a = a;
    expr->b = b;
    return expr;
}

static const Expr *check_call_value(Context *context, const Syntax *syntax)
{
    ModelChecker *checker = context->checker;
    if (!strcmp(syntax->name, "available")) {
        if (syntax->count != 1 || syntax->list[0]->kind != SYN_NAME) {
            source_error(checker->error, syntax->place, "available(STRUCT) needs a struct's name");
            return NULL;
        }
        const Struct *structure = check_pool(context, syntax->list[0], syntax->list[0]->name);
        if (!structure)
            return NULL;
        Expr *expr = expr_new(checker->arena, EXPR_AVAILABLE, type_basic(TYPE_INT), syntax->place);
        expr->structure = structure;
        return expr;
    }
    const Expr *result = NULL;
    if (!check_call(context, syntax, &result))
        return NULL;
    if (!result)
        source_error(checker->error, syntax->place, "%s() returns no value", syntax->name);
    return result;
}

const Expr *check_expr(Context *context, const Syntax *syntax)
{
    switch (syntax->kind) {
    case SYN_NUMBER:
        return expr_const(context->checker->arena, type_basic(TYPE_INT), syntax->value,
                          syntax->place);
    case SYN_NAME:
        return check_name(context, syntax);
    case SYN_ARROW:
    case SYN_DOT:
        return check_field(context, syntax);
    case SYN_INDEX:
        return check_index(context, syntax);
    case SYN_UNARY:
        return check_unary(context, syntax);
    case SYN_BINARY:
        return check_binary(context, syntax);
    case SYN_CONDITIONAL:
        return check_conditional(context, syntax);
    case SYN_CALL:
        return check_call_value(context, syntax);
    case SYN_NEW:
    case SYN_CHOICE:
        source_error(context->checker->error, syntax->place, "'%s' stands alone: x = %s;",
                     syntax->kind == SYN_NEW ? "new" : "choose",
                     syntax->kind == SYN_NEW ? "new NODE" : "choose(low..high)");
        return NULL;
    case SYN_LIST:
        source_error(context->checker->error, syntax->place, "a list is only an initial value");
        return NULL;
    default:
        ASSERT(false && "an expression");
        return NULL;
    }
}

const Expr *check_value(Context *context, const Syntax *syntax)
{
    if (syntax->kind == SYN_NEW)
        return check_new(context, syntax);
    if (syntax->kind == SYN_CHOICE)
        return check_choice(context, syntax);
    return check_expr(context, syntax);
}

/* A truth value; a number, reference, thread or data is true when it is not 0, NULL or none. */
const Expr *check_condition(Context *context, const Syntax *syntax)
{
    ModelChecker *checker = context->checker;
    const Expr *expr = check_expr(context, syntax);
    if (!expr || expr->type->kind == TYPE_BOOL)
        return expr;
    if (!type_is_scalar(expr->type) || expr->type->kind == TYPE_ENUM || is_literal(expr->type)) {
        source_error(checker->error, syntax->place, "a condition can't be of type %s",
                     text_of(context, expr->type));
        return NULL;
    }
    if (expr->kind == EXPR_CONST)
        return expr_const(checker->arena, type_basic(TYPE_BOOL), expr->value != 0, syntax->place);
    Expr *test = expr_new(checker->arena, EXPR_BINARY, type_basic(TYPE_BOOL), syntax->place);
    test->operator= OP_NE;
    test->a = expr;
    TypeKind zero = expr->type->kind == TYPE_REF                                       ? TYPE_NULL
                    : expr->type->kind == TYPE_DATA || expr->type->kind == TYPE_THREAD ? TYPE_NONE
                                                                                       : TYPE_INT;
    test->b = expr_const(checker->arena, type_basic(zero), 0, syntax->place);
    return test;
}
