#include "refine/automaton_internal.h"
#include <string.h>

static bool expr_uses_self(const Expr *expr)
{
    return expr && (expr->kind == EXPR_SELF || expr_uses_self(expr->a) || expr_uses_self(expr->b) ||
                    expr_uses_self(expr->c));
}

static bool stmt_uses_self(const Stmt *stmt)
{
    if (!stmt)
        return false;
    if (expr_uses_self(stmt->target) || expr_uses_self(stmt->value))
        return true;
    for (int i = 0; i < stmt->count; i++)
        if (stmt_uses_self(stmt->body[i]))
            return true;
    return false;
}

bool ref_automaton_check(const AutomatonOptions *options, Error *error)
{
    const Module *implementation = options->model->implementation;
    int total = 0, with_data = -1;
    bool counted[MAX_CLASSES] = {false};
    for (int i = 0; i < implementation->operation_count; i++) {
        const ModelOperation *own = implementation->operations[i];
        if (own->is_program || !options->factors || options->factors[i] == 0)
            continue;
        if (!counted[options->classes[i]])
            total += options->factors[i];
        counted[options->classes[i]] = true;
        int values = 0;
        for (int j = 0; j < own->parameter_count; j++)
            if (own->locals[j]->type->kind == TYPE_DATA && ++values == 2)
                return source_error(error, own->locals[j]->place,
                                    "a quasi factor for '%s' allows one parameter of a data type: "
                                    "declare %s as int or enum instead",
                                    own->name, own->locals[j]->type->name);
        if (values && with_data >= 0 && with_data != options->classes[i])
            return source_error(error, own->place,
                                "'%s' and another operation with data have quasi factors of their "
                                "own: give them one together, or declare int or enum instead",
                                own->name);
        if (values)
            with_data = options->classes[i];
        const ModelOperation *other = module_find_operation(options->specification, own->name);
        if (stmt_uses_self(other->body))
            return source_error(
                error, other->place,
                "'%s' has a quasi factor, so its specification can't depend on self", own->name);
    }
    if (total > MAX_FACTORS)
        return error_set(error, "quasi factors of more than %d in all", MAX_FACTORS);
    return true;
}

RefAutomaton *ref_automaton_new(const AutomatonOptions *options)
{
    Arena *arena = arena_new();
    RefAutomaton *automaton = arena_new_of(arena, RefAutomaton);
    automaton->arena = arena;
    automaton->options = *options;
    automaton->program = program_compile(arena, options->specification, 0);
    automaton->threads = options->model->thread_count;
    automaton->argument_bytes = options->implementation->arguments_bytes;
    const Module *implementation = options->model->implementation;
    for (int i = 0; i < implementation->operation_count; i++) {
        const ModelOperation *own = implementation->operations[i];
        const ModelOperation *other =
            own->is_program ? NULL : module_find_operation(options->specification, own->name);
        automaton->operation_map[i] = other ? other->index : -1;
        automaton->operation_class[i] = -1;
        if (options->factors && options->factors[i] > 0) {
            automaton->operation_class[i] = options->classes[i];
            automaton->class_factor[options->classes[i]] = options->factors[i];
            automaton->class_count = MAX(automaton->class_count, options->classes[i] + 1);
            if (arguments_data(automaton, i) >= 0)
                automaton->future = options->factors[i] + automaton->threads;
        }
    }
    for (int i = 0; i < implementation->operation_count && automaton->class_count; i++)
        automaton->asks_open |=
            automaton->operation_map[i] >= 0 && arguments_data(automaton, i) >= 0;
    ref_automaton_set_open(automaton, NULL, 0);
    table_init(&automaton->base, (size_t)automaton->program->shared_bytes);
    table_init(&automaton->relaxed, 0);
    table_init(&automaton->calls, (size_t)automaton->argument_bytes + 2);
    table_init(&automaton->asked, sizeof(uint32_t) + sizeof automaton->open);
    table_init(&automaton->alive_keys, 0);
    automaton->memory = arena_alloc(arena, (size_t)automaton->program->shared_bytes +
                                               (size_t)automaton->program->scratch_bytes + 16);
    return automaton;
}

void ref_automaton_free(RefAutomaton *automaton)
{
    if (!automaton)
        return;
    table_free(&automaton->base);
    table_free(&automaton->relaxed);
    table_free(&automaton->calls);
    table_free(&automaton->asked);
    table_free(&automaton->alive_keys);
    hashmap_free(&automaton->base_memo);
    hashmap_free(&automaton->memo);
    hashmap_free(&automaton->alive_memo);
    hashmap_free(&automaton->stuck_memo);
    vec_free(&automaton->base_outcomes);
    vec_free(&automaton->base_lists);
    vec_free(&automaton->outcomes);
    vec_free(&automaton->lists);
    vec_free(&automaton->scratch);
    vec_free(&automaton->packed);
    vec_free(&automaton->cells);
    arena_free(automaton->arena);
}

const Program *ref_automaton_program(const RefAutomaton *automaton)
{
    return automaton->program;
}

static bool ref_automaton_is_relaxed(const RefAutomaton *automaton)
{
    return automaton->class_count > 0;
}

size_t ref_automaton_states(const RefAutomaton *automaton)
{
    return ref_automaton_is_relaxed(automaton) ? automaton->relaxed.count : automaton->base.count;
}

size_t ref_automaton_memory(const RefAutomaton *automaton)
{
    return table_memory(&automaton->base) + table_memory(&automaton->relaxed) +
           table_memory(&automaton->calls) + table_memory(&automaton->asked) +
           table_memory(&automaton->alive_keys) +
           automaton->outcomes.capacity * sizeof *automaton->outcomes.at +
           automaton->base_outcomes.capacity * sizeof *automaton->base_outcomes.at +
           automaton->lists.capacity * sizeof *automaton->lists.at +
           automaton->base_lists.capacity * sizeof *automaton->base_lists.at +
           (automaton->memo.capacity + automaton->base_memo.capacity +
            automaton->alive_memo.capacity + automaton->stuck_memo.capacity) *
               17;
}

Fault ref_automaton_fault(const RefAutomaton *automaton, Place *place, int64_t *value)
{
    *place = automaton->fault_place;
    *value = automaton->fault_value;
    return automaton->fault;
}

/* ---- the specification itself ---- */
static uint32_t base_intern(RefAutomaton *automaton)
{
    if (automaton->program->has_refs) {
        program_collect(automaton->program, automaton->memory, 0, NULL);
        canon_nodes(automaton->program, automaton->memory, &automaton->scratch);
    }
    return table_put(&automaton->base, automaton->memory, (size_t)automaton->program->shared_bytes,
                     NULL);
}

static bool take_fault(RefAutomaton *automaton, const Machine *machine)
{
    automaton->fault = machine->fault;
    automaton->fault_place = machine->fault_place;
    automaton->fault_value = machine->fault_value;
    return false;
}

bool ref_automaton_initial(RefAutomaton *automaton, uint32_t *state)
{
    const Program *program = automaton->program;
    Machine machine = {.program = program,
                       .memory = automaton->memory,
                       .locals = program->shared_bytes,
                       .cells = &program->init_cells};
    program_initial(program, automaton->memory);
    memset(automaton->memory + program->shared_bytes, 0, (size_t)program->scratch_bytes);
    if (program->init_code >= 0) {
        RunStatus status = machine_run(&machine, program->code + program->init_code);
        if (status == RUN_FAULT)
            return take_fault(automaton, &machine);
        if (status == RUN_BLOCKED) {
            machine.fault = FAULT_ASSERTION;
            machine.fault_place = program->module->init->place;
            return take_fault(automaton, &machine);
        }
    }
    uint32_t base = base_intern(automaton);
    if (!ref_automaton_is_relaxed(automaton)) {
        *state = base;
        return true;
    }
    Relaxed relaxed = {.base = base};
    *state = relaxed_pack(automaton, &relaxed);
    return true;
}

uint32_t call_intern(RefAutomaton *automaton, int operation, const unsigned char *arguments,
                     int thread)
{
    unsigned char bytes[MAX_ARGUMENT_BYTES + 2] = {(unsigned char)operation, (unsigned char)thread};
    size_t own = (size_t)automaton->options.implementation->operations[operation].arguments_bytes;
    if (own)
        memcpy(bytes + 2, arguments, own);
    return table_put(&automaton->calls, bytes, (size_t)automaton->argument_bytes + 2, NULL);
}

bool base_step(RefAutomaton *automaton, uint32_t base, int operation,
               const unsigned char *arguments, int thread, BaseOutcomes *out)
{
    const Program *program = automaton->program;
    uint64_t key = (uint64_t)base << 32 | call_intern(automaton, operation, arguments, thread);
    uint64_t *known = hashmap_find(&automaton->base_memo, key);
    if (known) {
        *out = automaton->base_lists.at[*known];
        return true;
    }
    const ProgramOperation *own = &program->operations[automaton->operation_map[operation]];
    Machine machine = {.program = program,
                       .memory = automaton->memory,
                       .locals = program->shared_bytes,
                       .self = thread,
                       .cells = &own->cells};
    BaseOutcomes list = {(uint32_t)automaton->base_outcomes.count, 0};
    do {
        memcpy(automaton->memory, table_get(&automaton->base, base, NULL),
               (size_t)program->shared_bytes);
        unsigned char *locals = automaton->memory + program->shared_bytes;
        memset(locals, 0, (size_t)program->scratch_bytes);
        if (own->arguments_bytes)
            memcpy(locals, arguments, (size_t)own->arguments_bytes);
        RunStatus status = machine_run(&machine, program->code + own->code);
        if (status == RUN_FAULT)
            return take_fault(automaton, &machine);
        if (status != RUN_RETURN)
            continue;
        BaseOutcome outcome = {base_intern(automaton), (int)machine.result};
        bool is_double = false;
        for (int i = 0; i < list.count; i++)
            is_double |=
                automaton->base_outcomes.at[list.first + (uint32_t)i].next == outcome.next &&
                automaton->base_outcomes.at[list.first + (uint32_t)i].result == outcome.result;
        if (!is_double) {
            vec_push(&automaton->base_outcomes, outcome);
            list.count++;
        }
    } while (machine_next_choice(&machine));
    *hashmap_put(&automaton->base_memo, key, NULL) = automaton->base_lists.count;
    vec_push(&automaton->base_lists, list);
    *out = list;
    return true;
}

void arguments_first(RefAutomaton *automaton, uint32_t base, int operation, const bool *others,
                     unsigned char *arguments)
{
    const ModelOperation *own = automaton->options.implementation->operations[operation].operation;
    unsigned char used[256] = {0};
    memset(arguments, 0, MAX_ARGUMENT_BYTES);
    memcpy(automaton->memory, table_get(&automaton->base, base, NULL),
           (size_t)automaton->program->shared_bytes);
    canon_cells(automaton->program, automaton->memory, &automaton->cells);
    for (size_t i = 0; i < automaton->cells.count; i++)
        if (automaton->cells.at[i].kind == CELL_DATA)
            used[automaton->cells.at[i].at[0]] = 1;
    int fresh = 1;
    for (int i = 0; i < own->parameter_count; i++) {
        const Variable *parameter = own->locals[i];
        if (parameter->type->kind != TYPE_DATA)
            continue;
        while (fresh < 255 && (used[fresh] || (others && others[fresh])))
            fresh++;
        arguments[parameter->offset] = (unsigned char)fresh;
        used[fresh] = 1;
    }
}

bool arguments_next(RefAutomaton *automaton, int operation, unsigned char *arguments)
{
    const ModelOperation *own = automaton->options.implementation->operations[operation].operation;
    for (int i = 0; i < own->parameter_count; i++) {
        const Variable *parameter = own->locals[i];
        const Type *type = parameter->type;
        if (type->kind == TYPE_DATA)
            continue;
        int value = cell_read(arguments + parameter->offset, type->bytes);
        if (value < type->high - type->low) {
            cell_write(arguments + parameter->offset, type->bytes, value + 1);
            return true;
        }
        cell_write(arguments + parameter->offset, type->bytes, 0);
    }
    return false;
}

/* ---- steps ---- */
bool ref_automaton_step(RefAutomaton *automaton, uint32_t state, int operation,
                        const unsigned char *arguments, int thread, StepOutcomes *out)
{
    uint32_t call = call_intern(automaton, operation, arguments, thread);
    if (automaton->asks_open) {
        unsigned char asked[sizeof call + sizeof automaton->open];
        memcpy(asked, &call, sizeof call);
        memcpy(asked + sizeof call, automaton->open, sizeof automaton->open);
        call = table_put(&automaton->asked, asked, sizeof asked, NULL);
    }
    uint64_t key = (uint64_t)state << 32 | call;
    uint64_t *known = hashmap_find(&automaton->memo, key);
    if (known) {
        *out = automaton->lists.at[*known];
        return true;
    }
    uint32_t first = (uint32_t)automaton->outcomes.count;
    if (ref_automaton_is_relaxed(automaton)) {
        if (!ref_relax_step(automaton, state, operation, arguments, thread))
            return false;
    } else {
        BaseOutcomes list;
        if (!base_step(automaton, state, operation, arguments, thread, &list))
            return false;
        for (int i = 0; i < list.count; i++) {
            BaseOutcome outcome = automaton->base_outcomes.at[list.first + (uint32_t)i];
            vec_push(&automaton->outcomes, (StepOutcome){.next = outcome.next,
                                                         .result = outcome.result,
                                                         .kind = RESULT_VALUE});
        }
    }
    *out = (StepOutcomes){first, (int)(automaton->outcomes.count - first)};
    *hashmap_put(&automaton->memo, key, NULL) = automaton->lists.count;
    vec_push(&automaton->lists, *out);
    return true;
}

const StepOutcome *ref_automaton_outcome(const RefAutomaton *automaton, StepOutcomes outcomes,
                                         int index)
{
    return &automaton->outcomes.at[outcomes.first + (uint32_t)index];
}

static uint32_t base_of(const RefAutomaton *automaton, uint32_t state)
{
    if (!ref_automaton_is_relaxed(automaton))
        return state;
    uint32_t base;
    memcpy(&base, table_get(&automaton->relaxed, state, NULL), sizeof base);
    return base;
}

/* May the specification end in this state? */
static bool is_final(RefAutomaton *automaton, uint32_t base)
{
    const Program *program = automaton->program;
    for (int i = 0; i < program->module->final_count; i++) {
        memcpy(automaton->memory, table_get(&automaton->base, base, NULL),
               (size_t)program->shared_bytes);
        Machine machine = {.program = program, .memory = automaton->memory};
        RunStatus status = machine_run(&machine, program->code + program->final_code[i]);
        if (status == RUN_FAULT)
            return take_fault(automaton, &machine);
        if (status == RUN_RETURN && machine.result)
            return true;
    }
    return false;
}

bool ref_automaton_is_stuck(RefAutomaton *automaton, uint32_t state)
{
    uint32_t base = base_of(automaton, state);
    uint64_t *known = hashmap_find(&automaton->stuck_memo, base);
    if (known)
        return *known;
    bool stuck = !is_final(automaton, base);
    const Module *implementation = automaton->options.model->implementation;
    for (int op = 0; op < implementation->operation_count && stuck; op++) {
        if (automaton->operation_map[op] < 0)
            continue;
        for (int thread = 1; thread <= automaton->threads && stuck; thread++) {
            unsigned char arguments[MAX_ARGUMENT_BYTES];
            arguments_first(automaton, base, op, NULL, arguments);
            do {
                BaseOutcomes list;
                if (!base_step(automaton, base, op, arguments, thread, &list))
                    return false;
                stuck = list.count == 0;
            } while (stuck && arguments_next(automaton, op, arguments));
        }
    }
    *hashmap_put(&automaton->stuck_memo, base, NULL) = stuck;
    return stuck;
}

/* ---- names ---- */
static uint32_t base_rename(RefAutomaton *automaton, uint32_t base, const Renaming *renaming)
{
    memcpy(automaton->memory, table_get(&automaton->base, base, NULL),
           (size_t)automaton->program->shared_bytes);
    canon_rename(automaton->program, automaton->memory, renaming, &automaton->cells,
                 &automaton->scratch);
    return base_intern(automaton);
}

/* Calls visit for each data value of an entry. */
static void entry_rename(const RefAutomaton *automaton, Entry *entry, const Renaming *renaming)
{
    const ProgramOperation *operation =
        &automaton->options.implementation->operations[entry->operation];
    for (int i = 0; i < operation->argument_cells.count; i++) {
        unsigned char *at = entry->arguments + operation->argument_cells.at[i].offset;
        if (operation->argument_cells.at[i].kind == CELL_DATA)
            *at = renaming->values[*at];
    }
    if (entry->thread)
        entry->thread = renaming->threads[entry->thread];
    else if (operation->operation->result->kind == TYPE_DATA)
        entry->result = renaming->values[entry->result & 0xFF];
}

uint32_t ref_automaton_rename(RefAutomaton *automaton, uint32_t state, const Renaming *renaming)
{
    if (!renaming->values_change && !renaming->threads_change)
        return state;
    if (!ref_automaton_is_relaxed(automaton))
        return base_rename(automaton, state, renaming);
    Relaxed relaxed;
    relaxed_unpack(automaton, state, &relaxed);
    relaxed.base = base_rename(automaton, relaxed.base, renaming);
    for (int i = 0; i < relaxed.count; i++)
        entry_rename(automaton, &relaxed.entries[i], renaming);
    return relaxed_pack(automaton, &relaxed);
}

typedef void VisitValue(void *data, unsigned char value);

static void visit_values(RefAutomaton *automaton, uint32_t state, VisitValue *visit, void *data)
{
    memcpy(automaton->memory, table_get(&automaton->base, base_of(automaton, state), NULL),
           (size_t)automaton->program->shared_bytes);
    canon_cells(automaton->program, automaton->memory, &automaton->cells);
    for (size_t i = 0; i < automaton->cells.count; i++)
        if (automaton->cells.at[i].kind == CELL_DATA)
            visit(data, automaton->cells.at[i].at[0]);
    if (!ref_automaton_is_relaxed(automaton))
        return;
    Relaxed relaxed;
    relaxed_unpack(automaton, state, &relaxed);
    for (int i = 0; i < relaxed.count; i++) {
        const Entry *entry = &relaxed.entries[i];
        const ProgramOperation *operation =
            &automaton->options.implementation->operations[entry->operation];
        for (int j = 0; j < operation->argument_cells.count; j++)
            if (operation->argument_cells.at[j].kind == CELL_DATA)
                visit(data, entry->arguments[operation->argument_cells.at[j].offset]);
        if (!entry->thread && operation->operation->result->kind == TYPE_DATA)
            visit(data, (unsigned char)entry->result);
    }
}

static void set_value(void *data, unsigned char value)
{
    ((uint64_t *)data)[value >> 6] |= UINT64_C(1) << (value & 63);
}

void ref_automaton_values(RefAutomaton *automaton, uint32_t state, uint64_t set[4])
{
    visit_values(automaton, state, set_value, set);
}

typedef struct NumberValues {
    Renaming *renaming;
    int *next;
} NumberValues;

static void number_value(void *data, unsigned char value)
{
    NumberValues *number = data;
    if (value && !number->renaming->values[value])
        number->renaming->values[value] = (unsigned char)++*number->next;
}

void ref_automaton_number_values(RefAutomaton *automaton, uint32_t state, Renaming *renaming,
                                 int *next)
{
    NumberValues number = {renaming, next};
    visit_values(automaton, state, number_value, &number);
}

/* ---- as bytes, as text ---- */
void ref_automaton_export(const RefAutomaton *automaton, uint32_t state, Buffer *out)
{
    buffer_append(out, table_get(&automaton->base, base_of(automaton, state), NULL),
                  (size_t)automaton->program->shared_bytes);
    if (ref_automaton_is_relaxed(automaton)) {
        size_t length;
        const unsigned char *at = table_get(&automaton->relaxed, state, &length);
        buffer_append(out, at + sizeof(uint32_t), length - sizeof(uint32_t));
    }
}

uint32_t ref_automaton_import(RefAutomaton *automaton, const unsigned char *bytes, size_t count)
{
    size_t own = (size_t)automaton->program->shared_bytes;
    uint32_t base = table_put(&automaton->base, bytes, own, NULL);
    if (!ref_automaton_is_relaxed(automaton))
        return base;
    vec_clear(&automaton->packed);
    buffer_append(&automaton->packed, &base, sizeof base);
    buffer_append(&automaton->packed, bytes + own, count - own);
    return table_put(&automaton->relaxed, automaton->packed.at, automaton->packed.count, NULL);
}

static void print_place(Buffer *out, const Type *type, const unsigned char *at)
{
    if (type->kind == TYPE_ARRAY || type->kind == TYPE_STRUCT) {
        int count = type->kind == TYPE_ARRAY ? (int)type->count : type->structure->field_count;
        buffer_printf(out, "{");
        for (int i = 0; i < count; i++) {
            const Type *inner =
                type->kind == TYPE_ARRAY ? type->element : type->structure->fields[i].type;
            int offset =
                type->kind == TYPE_ARRAY ? i * inner->bytes : type->structure->fields[i].offset;
            buffer_printf(out, "%s", i ? ", " : "");
            print_place(out, inner, at + offset);
        }
        buffer_printf(out, "}");
    } else {
        model_value_print(out, type, program_load(type, at));
    }
}

void ref_automaton_print(const RefAutomaton *automaton, uint32_t state, Buffer *out)
{
    const unsigned char *memory = table_get(&automaton->base, base_of(automaton, state), NULL);
    const Module *module = automaton->program->module;
    for (int i = 0; i < module->global_count; i++) {
        buffer_printf(out, "%s%s = ", i ? ", " : "", module->globals[i]->name);
        print_place(out, module->globals[i]->type, memory + module->globals[i]->offset);
    }
    if (!ref_automaton_is_relaxed(automaton))
        return;
    Relaxed relaxed;
    relaxed_unpack(automaton, state, &relaxed);
    for (int i = 0; i < relaxed.count; i++) {
        const Entry *entry = &relaxed.entries[i];
        const ModelOperation *operation =
            automaton->options.implementation->operations[entry->operation].operation;
        buffer_printf(out, "; %s %s(", entry->is_promise ? "ahead:" : "late:", operation->name);
        for (int j = 0; j < operation->parameter_count; j++) {
            const Variable *parameter = operation->locals[j];
            buffer_printf(out, "%s", j ? ", " : "");
            model_value_print(out, parameter->type,
                              program_load(parameter->type, entry->arguments + parameter->offset));
        }
        buffer_printf(out, ")");
        if (!entry->thread && operation->result->kind != TYPE_VOID) {
            buffer_printf(out, " = ");
            model_value_print(out, operation->result, entry->result);
        }
    }
}
