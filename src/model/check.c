/* Modules and the model as a whole: declarations in passes, since functions and structs may be used
 * before their text; then the layout of a state. */
#include "model/check.h"
#include "model/flow.h"
#include <string.h>

typedef Vec(Struct *) StructList;
typedef Vec(ModelOperation *) OperationList;
typedef Vec(const Expr *) ExprList;

#define TO_ARRAY(checker, list, out, out_count, Type)                                              \
    do {                                                                                           \
        (out) = arena_array_of((checker)->arena, Type, (list).count + 1);                          \
        if ((list).count)                                                                          \
            memcpy((out), (list).at, (list).count * sizeof *(list).at);                            \
        (out_count) = (int)(list).count;                                                           \
        vec_free(&(list));                                                                         \
    } while (0)

static bool declare_param(Context *context, const Syntax *item)
{
    ModelChecker *checker = context->checker;
    Symbol symbol = {.kind = SYMBOL_CONST,
                     .name = item->name,
                     .place = item->place,
                     .type = type_basic(TYPE_INT)};
    if (!check_constant(context, item->a, &symbol.value))
        return false;
    /* the first declaration wins, so that a model sets the parameters of a library it includes */
    const Symbol *before = scope_find(context->scope, item->name);
    if (before && before->kind == SYMBOL_CONST && before->type->kind == TYPE_INT)
        return true;
    for (size_t i = 0; i < checker->defines->count; i++)
        if (!strcmp(checker->defines->at[i].name, item->name)) {
            symbol.value = checker->defines->at[i].value;
            checker->defines->at[i].used = true;
        }
    return scope_add(checker, context->scope, symbol);
}

static bool declare_enum(Context *context, const Syntax *item)
{
    ModelChecker *checker = context->checker;
    Type *type = arena_new_of(checker->arena, Type);
    *type = (Type){.kind = TYPE_ENUM,
                   .name = item->name,
                   .bounded = true,
                   .high = item->count - 1,
                   .count = item->count,
                   .bytes = 1,
                   .words = arena_array_of(checker->arena, const char *, (size_t)item->count)};
    if (item->count > 200)
        return source_error(checker->error, item->place, "more than 200 words");
    for (int i = 0; i < item->count; i++) {
        type->words[i] = item->list[i]->name;
        Symbol word = {.kind = SYMBOL_CONST,
                       .name = item->list[i]->name,
                       .place = item->list[i]->place,
                       .type = type,
                       .value = i};
        if (!scope_add(checker, context->scope, word))
            return false;
    }
    Symbol symbol = {.kind = SYMBOL_TYPE, .name = item->name, .place = item->place, .type = type};
    return scope_add(checker, context->scope, symbol);
}

static bool declare_struct(Context *context, const Syntax *item)
{
    ModelChecker *checker = context->checker;
    Struct *structure = arena_new_of(checker->arena, Struct);
    structure->name = item->name;
    structure->place = item->place;
    structure->module = context->module;
    structure->manual = item->flag;
    if (item->a) {
        if (!check_constant(context, item->a, &structure->pool))
            return false;
        if (structure->pool < 1 || structure->pool > 1000)
            return source_error(checker->error, item->a->place, "a pool of %lld nodes",
                                (long long)structure->pool);
    }
    Type *type = arena_new_of(checker->arena, Type);
    *type = (Type){.kind = TYPE_STRUCT, .name = item->name, .structure = structure};
    Symbol symbol = {.kind = SYMBOL_TYPE, .name = item->name, .place = item->place, .type = type};
    return scope_add(checker, context->scope, symbol);
}

/* Names of everything, in order. */
static bool declare_names(Context *context, Syntax **items, int count)
{
    ModelChecker *checker = context->checker;
    for (int i = 0; i < count; i++) {
        const Syntax *item = items[i];
        Symbol symbol = {.name = item->name, .place = item->place, .module = context->module};
        bool ok = true;
        switch (item->kind) {
        case SYN_PARAM:
            ok = declare_param(context, item);
            break;
        case SYN_TYPEDEF:
            symbol.kind = SYMBOL_TYPE;
            symbol.type = check_type(context, item->a);
            ok = symbol.type && scope_add(checker, context->scope, symbol);
            break;
        case SYN_DATA: {
            Type *type = arena_new_of(checker->arena, Type);
            *type = (Type){.kind = TYPE_DATA,
                           .name = item->name,
                           .bounded = true,
                           .high = MODEL_MAX_DATA,
                           .bytes = 1};
            symbol.kind = SYMBOL_TYPE;
            symbol.type = type;
            ok = scope_add(checker, context->scope, symbol);
            break;
        }
        case SYN_ENUM:
            ok = declare_enum(context, item);
            break;
        case SYN_STRUCT:
            ok = declare_struct(context, item);
            break;
        case SYN_FUNCTION:
        case SYN_OPERATION:
            symbol.kind = item->kind == SYN_FUNCTION ? SYMBOL_FUNCTION : SYMBOL_OPERATION;
            symbol.syntax = item;
            symbol.scope = context->scope;
            ok = scope_add(checker, context->scope, symbol);
            break;
        default:
            break;
        }
        if (!ok)
            return false;
    }
    return true;
}

static bool declare_structs(Context *context, Syntax **items, int count)
{
    StructList pools = {0};
    for (int i = 0; i < count; i++)
        if (items[i]->kind == SYN_STRUCT) {
            const Symbol *symbol = scope_find(context->scope, items[i]->name);
            Struct *structure = symbol->type->structure;
            if (!check_struct(context, items[i], structure)) {
                vec_free(&pools);
                return false;
            }
            Type *type = arena_new_of(context->checker->arena, Type);
            *type = *symbol->type;
            type->bytes = structure->bytes;
            scope_find(context->scope, items[i]->name)->type = type;
            if (structure->pool) {
                structure->pool_index = (int)pools.count;
                vec_push(&pools, structure);
            }
        }
    Module *module = context->module;
    TO_ARRAY(context->checker, pools, module->pools, module->pool_count, Struct *);
    return true;
}

static bool declare_globals(Context *context, Syntax **items, int count)
{
    ModelChecker *checker = context->checker;
    VariableList globals = {0};
    bool ok = true;
    for (int i = 0; ok && i < count; i++) {
        const Syntax *item = items[i];
        if (item->kind != SYN_DECLARE)
            continue;
        const Type *type = check_declared_type(context, item);
        Variable *variable = arena_new_of(checker->arena, Variable);
        ok = type != NULL;
        if (!ok)
            break;
        *variable = (Variable){.kind = VARIABLE_GLOBAL,
                               .name = item->name,
                               .type = type,
                               .place = item->place,
                               .index = (int)globals.count};
        int64_t *values =
            arena_array_of(checker->arena, int64_t, (size_t)type_scalar_count(type) + 1);
        variable->values = values;
        ok = check_initial(context, type, item->b, &values);
        Symbol symbol = {.kind = SYMBOL_VARIABLE,
                         .name = item->name,
                         .place = item->place,
                         .module = context->module,
                         .variable = variable};
        ok = ok && scope_add(checker, context->scope, symbol);
        vec_push(&globals, variable);
    }
    Module *module = context->module;
    TO_ARRAY(checker, globals, module->globals, module->global_count, Variable *);
    return ok;
}

/* ---- operations ---- */
static void finish_locals(Context *context, VariableList *locals, Variable ***out, int *count)
{
    int offset = 0;
    for (size_t i = 0; i < locals->count; i++) {
        locals->at[i]->offset = offset;
        offset += locals->at[i]->type->bytes;
    }
    TO_ARRAY(context->checker, *locals, *out, *count, Variable *);
}

static bool check_operation(Context *context, const Syntax *item, OperationList *operations)
{
    ModelChecker *checker = context->checker;
    ModelOperation *operation = arena_new_of(checker->arena, ModelOperation);
    VariableList locals = {0};
    Context inner = *context;
    operation->name =
        item->name ? item->name : arena_printf(checker->arena, "thread%d", (int)operations->count);
    operation->place = item->place;
    operation->module = context->module;
    operation->index = (int)operations->count;
    operation->is_program = item->kind == SYN_THREAD;
    operation->result =
        operation->is_program ? type_basic(TYPE_VOID) : check_type(context, item->a);
    if (!operation->result)
        return false;
    if (operation->result->kind != TYPE_VOID && !type_is_scalar(operation->result))
        return source_error(checker->error, item->a->place, "an operation can't return %s",
                            type_text(checker->arena, operation->result));
    if (item->count > MODEL_MAX_PARAMETERS)
        return source_error(checker->error, item->place, "more than %d parameters",
                            MODEL_MAX_PARAMETERS);
    inner.scope = scope_new(checker, context->scope);
    inner.locals = &locals;
    inner.result = operation->result;
    inner.no_self = false;
    bool ok = true;
    for (int i = 0; ok && i < item->count; i++) {
        const Syntax *parameter = item->list[i];
        const Type *type = check_type(context, parameter->a);
        ok = type != NULL;
        if (ok && (parameter->flag || !type_is_scalar(type)))
            ok = source_error(checker->error, parameter->place,
                              "a client passes plain values to an operation");
        if (ok && (type->kind == TYPE_REF || type->kind == TYPE_THREAD))
            ok = source_error(checker->error, parameter->place, "a client has no %s to pass",
                              type_text(checker->arena, type));
        if (ok && type->kind == TYPE_INT && type->high - type->low > 1000)
            ok = source_error(checker->error, parameter->place,
                              "a client would try %lld values of %s: bound it, int(low..high)",
                              (long long)type->high - type->low + 1,
                              type_text(checker->arena, type));
        Variable *variable =
            ok ? context_add_local(&inner, parameter->name, type, parameter->place) : NULL;
        if (!variable) {
            ok = false;
            break;
        }
        variable->is_parameter = true;
        Symbol symbol = {.kind = SYMBOL_VARIABLE,
                         .name = parameter->name,
                         .place = parameter->place,
                         .module = context->module,
                         .variable = variable};
        ok = scope_add(checker, inner.scope, symbol);
    }
    operation->parameter_count = item->count;
    operation->body = ok ? check_stmt(&inner, item->b) : NULL;
    finish_locals(context, &locals, &operation->locals, &operation->local_count);
    if (!operation->body)
        return false;
    if (!flow_build(checker->arena, operation, &operation->flow, checker->error))
        return false;
    vec_push(operations, operation);
    return true;
}

static bool check_bodies(Context *context, Syntax **items, int count)
{
    ModelChecker *checker = context->checker;
    Module *module = context->module;
    OperationList operations = {0};
    ExprList invariants = {0}, finals = {0};
    bool ok = true;
    for (int i = 0; ok && i < count; i++) {
        Syntax *item = items[i];
        if (item->kind == SYN_OPERATION || item->kind == SYN_THREAD) {
            if (item->kind == SYN_THREAD && module->is_specification)
                ok = source_error(checker->error, item->place, "a specification has no threads");
            else
                ok = check_operation(context, item, &operations);
            if (ok && operations.count > 63)
                ok = source_error(checker->error, item->place, "more than 63 operations");
        } else if (item->kind == SYN_FINAL && !module->is_specification) {
            ok = source_error(checker->error, item->place,
                              "only a specification has final states: the model ends when its "
                              "threads do");
        } else if (item->kind == SYN_INVARIANT || item->kind == SYN_FINAL) {
            const Expr *expr = check_condition(context, item->a);
            ok = expr != NULL;
            vec_push(item->kind == SYN_FINAL ? &finals : &invariants, expr);
        } else if (item->kind == SYN_REFINEMENT) {
            Model *model = checker->model;
            if (module->is_specification || model->refinement.file)
                ok = source_error(checker->error, item->place,
                                  module->is_specification
                                      ? "`refinement' stands beside the specification"
                                      : "a second `refinement'");
            model->refinement = item->place;
            model->refinement_text = (Str){item->name, (size_t)item->value};
        } else if (item->kind == SYN_INIT) {
            if (module->init) {
                ok = source_error(checker->error, item->place, "init is given twice");
                break;
            }
            VariableList locals = {0};
            Context inner = *context;
            inner.locals = &locals;
            inner.atomic_depth = 1;
            module->init = check_stmt(&inner, item->b);
            finish_locals(context, &locals, &module->init_locals, &module->init_local_count);
            ok = module->init != NULL;
        }
    }
    TO_ARRAY(checker, operations, module->operations, module->operation_count, ModelOperation *);
    TO_ARRAY(checker, invariants, module->invariants, module->invariant_count, const Expr *);
    TO_ARRAY(checker, finals, module->finals, module->final_count, const Expr *);
    return ok;
}

/* Globals first, then the pools; a node is a live byte and its fields. */
static bool lay_out(ModelChecker *checker, Module *module)
{
    int offset = 0;
    for (int i = 0; i < module->global_count; i++) {
        module->globals[i]->offset = offset;
        offset += module->globals[i]->type->bytes;
    }
    for (int i = 0; i < module->pool_count; i++) {
        module->pools[i]->pool_offset = offset;
        offset += (int)module->pools[i]->pool * (module->pools[i]->bytes + 1);
        if (offset > 60000)
            return source_error(checker->error, module->pools[i]->place,
                                "a state of more than 60000 bytes");
    }
    return true;
}

static bool check_module(ModelChecker *checker, Module *module, Scope *scope, Syntax **items,
                         int count)
{
    Context context = {.checker = checker, .module = module, .scope = scope, .no_self = true};
    return declare_names(&context, items, count) && declare_structs(&context, items, count) &&
           declare_globals(&context, items, count) && check_bodies(&context, items, count) &&
           lay_out(checker, module);
}

/* ---- threads, quasi factors, observations ---- */
static bool count_threads(ModelChecker *checker, Syntax **items, int count)
{
    /* before anything else, since arrays are indexed by thread; constants only from params */
    Context context = {.checker = checker, .scope = scope_new(checker, NULL), .no_self = true};
    int64_t threads = 0;
    for (int i = 0; i < count; i++) {
        int64_t number = 1;
        if (items[i]->kind == SYN_PARAM && !declare_param(&context, items[i]))
            return false;
        if (items[i]->kind == SYN_THREADS && !check_constant(&context, items[i]->a, &number))
            return false;
        if (items[i]->kind == SYN_THREADS || items[i]->kind == SYN_THREAD) {
            if (number < 1 || threads + number > MODEL_MAX_THREADS)
                return source_error(checker->error, items[i]->place,
                                    "1 to %d threads are possible, this makes %lld",
                                    MODEL_MAX_THREADS, (long long)threads + number);
            threads += number;
        }
    }
    checker->model->thread_count = threads ? (int)threads : 2;
    return true;
}

static bool check_groups(Context *context, Syntax **items, int count)
{
    ModelChecker *checker = context->checker;
    Model *model = checker->model;
    const Module *module = model->implementation;
    Vec(ThreadGroup) groups = {0};
    int first = 0, program = 0;
    bool ok = true;
    uint64_t all = 0;
    for (int i = 0; i < module->operation_count; i++)
        if (!module->operations[i]->is_program)
            all |= UINT64_C(1) << i;
    for (int i = 0; ok && i < count; i++) {
        const Syntax *item = items[i];
        if (item->kind != SYN_THREADS && item->kind != SYN_THREAD)
            continue;
        int64_t number = 1;
        ThreadGroup group = {.first = first, .place = item->place};
        if (item->kind == SYN_THREAD) {
            while (!module->operations[program]->is_program)
                program++;
            group.operations = UINT64_C(1) << program++;
            group.is_program = true;
        } else {
            ok = check_constant(context, item->a, &number);
            group.operations = item->count ? 0 : all;
            for (int j = 0; ok && j < item->count; j++) {
                const ModelOperation *operation =
                    module_find_operation(module, item->list[j]->name);
                if (!operation || operation->is_program)
                    ok = source_error(checker->error, item->list[j]->place,
                                      "there is no operation '%s'", item->list[j]->name);
                else
                    group.operations |= UINT64_C(1) << operation->index;
            }
            if (ok && !group.operations)
                ok = source_error(checker->error, item->place,
                                  "there are no operations for these threads to call");
        }
        group.count = (int)number;
        first += group.count;
        vec_push(&groups, group);
    }
    if (groups.count == 0)
        vec_push(&groups, (ThreadGroup){.count = 2, .operations = all, .place = module->place});
    TO_ARRAY(checker, groups, model->groups, model->group_count, ThreadGroup);
    return ok;
}

static bool check_quasi(Context *context, Syntax **items, int count)
{
    ModelChecker *checker = context->checker;
    Vec(QuasiFactor) factors = {0};
    bool ok = true;
    for (int i = 0; ok && i < count; i++) {
        if (items[i]->kind != SYN_QUASI)
            continue;
        int64_t factor;
        ok = check_constant(context, items[i]->a, &factor);
        if (ok && (factor < 0 || factor > 100))
            ok = source_error(checker->error, items[i]->place, "a quasi factor of %lld",
                              (long long)factor);
        if (ok && !module_find_operation(checker->model->implementation, items[i]->name))
            ok = source_error(checker->error, items[i]->place, "there is no operation '%s'",
                              items[i]->name);
        if (ok)
            vec_push(&factors, (QuasiFactor){items[i]->name, (int)factor, items[i]->place});
    }
    TO_ARRAY(checker, factors, checker->model->quasi, checker->model->quasi_count, QuasiFactor);
    return ok;
}

static bool check_observations(Context *context, Syntax **items, int count)
{
    ModelChecker *checker = context->checker;
    Vec(Observation) list = {0};
    bool ok = true;
    for (int i = 0; ok && i < count; i++)
        for (int j = 0; items[i]->kind == SYN_OBSERVE && j < items[i]->count; j++) {
            const Expr *expr = check_expr(context, items[i]->list[j]);
            if (expr && !type_is_scalar(expr->type))
                source_error(checker->error, expr->place, "observe one value, not a %s",
                             type_text(checker->arena, expr->type));
            if (!(ok = expr && type_is_scalar(expr->type)))
                break;
            Buffer text = {0};
            expr_print(&text, expr);
            vec_push(&list, (Observation){str_copy(checker->arena, buffer_str(&text)), expr});
            vec_free(&text);
        }
    TO_ARRAY(checker, list, checker->model->observations, checker->model->observation_count,
             Observation);
    return ok;
}

/* ---- the specification offers what the implementation promises ---- */
static bool same_type(const Type *a, const Type *b)
{
    return a == b || (a->kind == b->kind && a->kind != TYPE_REF && a->kind != TYPE_ENUM &&
                      a->kind != TYPE_DATA && a->low == b->low && a->high == b->high);
}

static bool match_specification(ModelChecker *checker, const Module *module)
{
    const Module *implementation = checker->model->implementation;
    for (int i = 0; i < implementation->operation_count; i++) {
        const ModelOperation *own = implementation->operations[i];
        if (own->is_program)
            continue;
        const ModelOperation *other = module_find_operation(module, own->name);
        if (!other)
            return source_error(checker->error, module->place,
                                "specification %s has no operation '%s', the implementation has",
                                module->name, own->name);
        if (other->parameter_count != own->parameter_count)
            return source_error(checker->error, other->place,
                                "'%s' has %d parameters here and %d in the implementation",
                                own->name, other->parameter_count, own->parameter_count);
        for (int j = 0; j < own->parameter_count; j++)
            if (!same_type(own->locals[j]->type, other->locals[j]->type))
                return source_error(checker->error, other->locals[j]->place,
                                    "'%s' is %s here and %s in the implementation",
                                    other->locals[j]->name,
                                    type_text(checker->arena, other->locals[j]->type),
                                    type_text(checker->arena, own->locals[j]->type));
        bool both_int = own->result->kind == TYPE_INT && other->result->kind == TYPE_INT;
        if (!both_int && !same_type(own->result, other->result))
            return source_error(checker->error, other->place,
                                "'%s' returns %s here and %s in the implementation", own->name,
                                type_text(checker->arena, other->result),
                                type_text(checker->arena, own->result));
    }
    return true;
}

/* ---- all of it ---- */
bool check_model(ModelChecker *checker, const SourceFile *file, Syntax **items, int count)
{
    Model *model = checker->model;
    Place start = {file, 1, 1, 1};
    model->name = file->name;
    Module *implementation = arena_new_of(checker->arena, Module);
    implementation->name = "implementation";
    implementation->place = start;
    model->implementation = implementation;
    checker->top = scope_new(checker, NULL);
    checker->top->is_top = true;
    if (!count_threads(checker, items, count) ||
        !check_module(checker, implementation, checker->top, items, count))
        return false;
    Vec(Module *) specifications = {0};
    bool ok = true;
    for (int i = 0; ok && i < count; i++) {
        if (items[i]->kind != SYN_SPECIFICATION)
            continue;
        Module *module = arena_new_of(checker->arena, Module);
        module->name = items[i]->name;
        module->place = items[i]->place;
        module->is_specification = true;
        for (size_t j = 0; j < specifications.count; j++)
            if (!strcmp(specifications.at[j]->name, module->name))
                ok = source_error(checker->error, module->place,
                                  "two specifications are called '%s'", module->name);
        ok = ok && check_module(checker, module, scope_new(checker, checker->top), items[i]->list,
                                items[i]->count);
        ok = ok && match_specification(checker, module);
        vec_push(&specifications, module);
    }
    TO_ARRAY(checker, specifications, model->specifications, model->specification_count, Module *);
    Context context = {
        .checker = checker, .module = implementation, .scope = checker->top, .no_self = true};
    ok = ok && check_groups(&context, items, count) && check_quasi(&context, items, count) &&
         check_observations(&context, items, count);
    if (ok && implementation->operation_count == 0)
        ok = source_error(checker->error, start, "the model has no operations");
    for (size_t i = 0; ok && i < checker->defines->count; i++)
        if (!checker->defines->at[i].used)
            ok = error_at(checker->error, file->name, 0, 0,
                          "-D%s: the model has no parameter of that name",
                          checker->defines->at[i].name);
    return ok;
}
