#include "model/check.h"
#include <string.h>

/* ---- scopes ---- */
Scope *scope_new(ModelChecker *checker, Scope *parent)
{
    Scope *scope = arena_new_of(checker->arena, Scope);
    scope->parent = parent;
    vec_push(&checker->scopes, scope);
    return scope;
}

Symbol *scope_find(Scope *scope, const char *name)
{
    for (; scope; scope = scope->parent)
        for (size_t i = scope->symbols.count; i-- > 0;)
            if (!strcmp(scope->symbols.at[i].name, name))
                return &scope->symbols.at[i];
    return NULL;
}

bool scope_add(ModelChecker *checker, Scope *scope, Symbol symbol)
{
    for (size_t i = 0; i < scope->symbols.count; i++)
        if (!strcmp(scope->symbols.at[i].name, symbol.name)) {
            Place before = scope->symbols.at[i].place;
            return source_error(
                checker->error, symbol.place, "'%s' is declared twice (first at %s)", symbol.name,
                before.file ? source_place_text(checker->arena, before) : "the command line");
        }
    vec_push(&scope->symbols, symbol);
    return true;
}

/* ---- types ---- */
static int bytes_for(int64_t low, int64_t high)
{
    int64_t span = high - low;
    return span <= 0xFF ? 1 : span <= 0xFFFF ? 2 : 4;
}

const Type *type_basic(TypeKind kind)
{
    static const Type types[] = {
        [TYPE_VOID] = {.kind = TYPE_VOID, .name = "void"},
        [TYPE_BOOL] = {.kind = TYPE_BOOL, .name = "bool", .high = 1, .bounded = true, .bytes = 1},
        [TYPE_INT] = {.kind = TYPE_INT,
                      .name = "int",
                      .low = MODEL_INT_LOW,
                      .high = MODEL_INT_HIGH,
                      .bytes = 2},
        [TYPE_THREAD] = {.kind = TYPE_THREAD,
                         .name = "thread",
                         .high = MODEL_MAX_THREADS,
                         .bounded = true,
                         .bytes = 1},
        [TYPE_NULL] = {.kind = TYPE_NULL, .name = "NULL", .bytes = 1},
        [TYPE_NONE] = {.kind = TYPE_NONE, .name = "none", .bytes = 1},
    };
    ASSERT((size_t)kind < COUNT_OF(types) && types[kind].kind == kind);
    return &types[kind];
}

static const Type *type_int(Arena *arena, int64_t low, int64_t high, bool bounded)
{
    Type *type = arena_new_of(arena, Type);
    *type = (Type){.kind = TYPE_INT,
                   .name = "int",
                   .low = low,
                   .high = high,
                   .bounded = bounded,
                   .bytes = bytes_for(low, high)};
    return type;
}

bool type_is_scalar(const Type *type)
{
    return type->kind != TYPE_VOID && type->kind != TYPE_STRUCT && type->kind != TYPE_ARRAY;
}

static bool is_number(const Type *type)
{
    return type->kind == TYPE_INT || type->kind == TYPE_BOOL;
}

bool type_accepts(const Type *to, const Type *from)
{
    if (is_number(to))
        return is_number(from);
    if (to->kind == TYPE_ENUM)
        return from == to;
    if (to->kind == TYPE_DATA)
        return from == to || from->kind == TYPE_NONE;
    if (to->kind == TYPE_THREAD)
        return from->kind == TYPE_THREAD || from->kind == TYPE_NONE;
    if (to->kind == TYPE_REF)
        return (from->kind == TYPE_REF && from->structure == to->structure) ||
               from->kind == TYPE_NULL;
    return to->kind == from->kind && (to->kind == TYPE_NULL || to->kind == TYPE_NONE);
}

const char *type_text(Arena *arena, const Type *type)
{
    switch (type->kind) {
    case TYPE_INT:
        return type->bounded ? arena_printf(arena, "int(%lld..%lld)", (long long)type->low,
                                            (long long)type->high)
                             : "int";
    case TYPE_REF:
        return arena_printf(arena, "%s *", type->structure->name);
    case TYPE_ARRAY:
        return type->by_thread ? arena_printf(arena, "%s[thread]", type_text(arena, type->element))
                               : arena_printf(arena, "%s[%lld]", type_text(arena, type->element),
                                              (long long)type->count);
    case TYPE_STRUCT:
        return arena_printf(arena, "struct %s", type->structure->name);
    default:
        return type->name;
    }
}

const Type *check_type(Context *context, const Syntax *syntax)
{
    ModelChecker *checker = context->checker;
    const char *name = syntax->name;
    const Type *type = NULL;
    if (!strcmp(name, "bool"))
        type = type_basic(TYPE_BOOL);
    else if (!strcmp(name, "void"))
        type = type_basic(TYPE_VOID);
    else if (!strcmp(name, "thread"))
        type = type_basic(TYPE_THREAD);
    else if (!strcmp(name, "int") && !syntax->a)
        type = type_basic(TYPE_INT);
    if (!strcmp(name, "auto")) {
        source_error(checker->error, syntax->place,
                     "'auto' is for the parameters and result of functions");
        return NULL;
    }
    if (!strcmp(name, "int") && syntax->a) {
        int64_t low, high;
        if (!check_constant(context, syntax->a, &low) || !check_constant(context, syntax->b, &high))
            return NULL;
        if (low > high) {
            source_error(checker->error, syntax->place, "int(%lld..%lld) has no values",
                         (long long)low, (long long)high);
            return NULL;
        }
        type = type_int(checker->arena, low, high, true);
    }
    if (!type) {
        const Symbol *symbol = scope_find(context->scope, name);
        if (!symbol) {
            source_error(checker->error, syntax->place, "there is no type '%s'", name);
            return NULL;
        }
        if (symbol->kind != SYMBOL_TYPE) {
            source_error(checker->error, syntax->place, "'%s' is not a type", name);
            return NULL;
        }
        type = symbol->type;
    }
    if (!syntax->flag)
        return type;
    if (type->kind != TYPE_STRUCT) {
        source_error(checker->error, syntax->place,
                     "references are to nodes of a struct, '%s' is not one", name);
        return NULL;
    }
    if (type->structure->pool == 0) {
        source_error(
            checker->error, syntax->place,
            "struct %s has no nodes to refer to: declare it as 'struct %s { ... } pool N;'", name,
            name);
        return NULL;
    }
    Type *ref = arena_new_of(checker->arena, Type);
    *ref = (Type){.kind = TYPE_REF,
                  .bounded = true,
                  .high = type->structure->pool,
                  .structure = type->structure,
                  .bytes = bytes_for(0, type->structure->pool)};
    return ref;
}

/* The type of a declared name, with its array dimensions. */
const Type *check_declared_type(Context *context, const Syntax *declaration)
{
    ModelChecker *checker = context->checker;
    const Type *type = check_type(context, declaration->a);
    if (!type)
        return NULL;
    if (type->kind == TYPE_VOID) {
        source_error(checker->error, declaration->a->place, "'%s' can't be void",
                     declaration->name);
        return NULL;
    }
    for (int i = declaration->count - 1; i >= 0; i--) {
        const Syntax *dimension = declaration->list[i];
        Type *array = arena_new_of(checker->arena, Type);
        array->kind = TYPE_ARRAY;
        array->element = type;
        array->by_thread = dimension->kind == SYN_TYPE;
        if (array->by_thread)
            array->count = checker->model->thread_count;
        else if (!check_constant(context, dimension, &array->count))
            return NULL;
        if (array->count < 1 || array->count > 10000) {
            source_error(checker->error, dimension->place, "an array of %lld elements",
                         (long long)array->count);
            return NULL;
        }
        array->bytes = (int)array->count * type->bytes;
        if (array->bytes > 60000) {
            source_error(checker->error, declaration->place, "this array is too large for a state");
            return NULL;
        }
        type = array;
    }
    return type;
}

bool check_struct(Context *context, const Syntax *syntax, Struct *structure)
{
    ModelChecker *checker = context->checker;
    structure->fields = arena_array_of(checker->arena, Field, (size_t)syntax->count + 1);
    for (int i = 0; i < syntax->count; i++) {
        const Syntax *item = syntax->list[i];
        for (int j = 0; j < i; j++)
            if (!strcmp(syntax->list[j]->name, item->name))
                return source_error(checker->error, item->place, "two fields are called '%s'",
                                    item->name);
        if (item->b)
            return source_error(checker->error, item->place,
                                "fields have no initial value here: assign after 'new'");
        const Type *type = check_declared_type(context, item);
        if (!type)
            return false;
        const Type *inner = type;
        while (inner->kind == TYPE_ARRAY)
            inner = inner->element;
        if (inner->kind == TYPE_STRUCT && !inner->structure->fields)
            return source_error(checker->error, item->place,
                                "struct %s is not complete here: declare it before",
                                inner->structure->name);
        if (inner->kind == TYPE_STRUCT && inner->structure == structure)
            return source_error(checker->error, item->place,
                                "struct %s can't contain itself: use a reference", structure->name);
        structure->fields[i] = (Field){item->name, type, item->place, structure->bytes};
        structure->bytes += type->bytes;
    }
    structure->field_count = syntax->count;
    return true;
}

/* ---- initial values ---- */
int type_scalar_count(const Type *type)
{
    if (type->kind == TYPE_ARRAY)
        return (int)type->count * type_scalar_count(type->element);
    if (type->kind != TYPE_STRUCT)
        return 1;
    int count = 0;
    for (int i = 0; i < type->structure->field_count; i++)
        count += type_scalar_count(type->structure->fields[i].type);
    return count;
}

int64_t type_first_value(const Type *type)
{
    return type->low > 0 ? type->low : type->high < 0 ? type->high : 0;
}

static void fill_first(const Type *type, int64_t **values)
{
    if (type->kind == TYPE_ARRAY) {
        for (int64_t i = 0; i < type->count; i++)
            fill_first(type->element, values);
    } else if (type->kind == TYPE_STRUCT) {
        for (int i = 0; i < type->structure->field_count; i++)
            fill_first(type->structure->fields[i].type, values);
    } else {
        *(*values)++ = type_first_value(type);
    }
}

bool check_initial(Context *context, const Type *type, const Syntax *initial, int64_t **values)
{
    ModelChecker *checker = context->checker;
    if (!initial) {
        fill_first(type, values);
        return true;
    }
    if (type_is_scalar(type)) {
        const Expr *expr = initial->kind == SYN_LIST ? NULL : check_expr(context, initial);
        if (initial->kind == SYN_LIST)
            return source_error(checker->error, initial->place, "a list of values for one %s",
                                type_text(checker->arena, type));
        if (!expr)
            return false;
        if (expr->kind != EXPR_CONST)
            return source_error(checker->error, initial->place,
                                "the initial value must be a constant (or assign it in init { })");
        if (!type_accepts(type, expr->type))
            return source_error(checker->error, initial->place, "%s can't hold a value of type %s",
                                type_text(checker->arena, type),
                                type_text(checker->arena, expr->type));
        if (expr->value < type->low || expr->value > type->high)
            return source_error(checker->error, initial->place, "%lld is outside %s",
                                (long long)expr->value, type_text(checker->arena, type));
        *(*values)++ = expr->value;
        return true;
    }
    if (initial->kind != SYN_LIST)
        return source_error(checker->error, initial->place, "the initial value of %s is { ... }",
                            type_text(checker->arena, type));
    int64_t expected =
        type->kind == TYPE_ARRAY ? type->count : (int64_t)type->structure->field_count;
    if (initial->count > expected)
        return source_error(checker->error, initial->list[expected]->place,
                            "too many values: %s has %lld", type_text(checker->arena, type),
                            (long long)expected);
    for (int i = 0; i < expected; i++) {
        const Type *inner =
            type->kind == TYPE_ARRAY ? type->element : type->structure->fields[i].type;
        if (!check_initial(context, inner, i < initial->count ? initial->list[i] : NULL, values))
            return false;
    }
    return true;
}

bool check_constant(Context *context, const Syntax *syntax, int64_t *value)
{
    const Expr *expr = check_expr(context, syntax);
    if (!expr)
        return false;
    if (expr->kind != EXPR_CONST || !is_number(expr->type))
        return source_error(context->checker->error, syntax->place,
                            "this must be a constant number");
    *value = expr->value;
    return true;
}
