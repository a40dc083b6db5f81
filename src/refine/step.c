#include "refine/step.h"
#include <stdlib.h>
#include <string.h>

enum { MAX_LOCAL_STEPS = 300 }; /* fused in one transition */

void stepper_init(Stepper *stepper, const Model *model, const Program *program, bool fuse)
{
    *stepper = (Stepper){.program = program, .model = model, .fuse = fuse};
}

void stepper_free(Stepper *stepper)
{
    vec_free(&stepper->out);
    vec_free(&stepper->states);
    vec_free(&stepper->edges);
    vec_free(&stepper->blocked);
    for (size_t i = 0; i < stepper->stack.count; i++)
        free(stepper->stack.at[i]);
    vec_free(&stepper->stack);
}

/* A transition under construction. */
typedef struct Trail {
    int thread, operation;
    bool invokes;
    int edges[MAX_LOCAL_STEPS + 4];
    int count;
} Trail;

static unsigned char *spare(Stepper *stepper, size_t depth)
{
    while (stepper->stack.count <= depth) {
        unsigned char *copy = malloc((size_t)stepper->program->state_bytes + 16);
        if (!copy)
            die("out of memory");
        vec_push(&stepper->stack, copy);
    }
    return stepper->stack.at[depth];
}

static Successor *emit(Stepper *stepper, const unsigned char *memory, const Trail *trail)
{
    vec_push(&stepper->out, (Successor){.state = stepper->states.count,
                                        .thread = (short)trail->thread,
                                        .operation = (short)trail->operation,
                                        .invokes = trail->invokes,
                                        .first_edge = (int)stepper->edges.count,
                                        .edge_count = trail->count});
    buffer_append(&stepper->states, memory, (size_t)stepper->program->state_bytes);
    for (int i = 0; i < trail->count; i++)
        vec_push(&stepper->edges, trail->edges[i]);
    return &vec_last(&stepper->out);
}

static void emit_fault(Stepper *stepper, const unsigned char *memory, const Trail *trail,
                       Fault fault, Place place, int64_t value)
{
    Successor *out = emit(stepper, memory, trail);
    out->is_fault = true;
    out->fault = fault;
    out->fault_place = place;
    out->fault_value = value;
}

/* Every invariant, after a step that ended in memory; false when one fails. */
static bool invariants_hold(Stepper *stepper, unsigned char *memory, const Trail *trail)
{
    const Program *program = stepper->program;
    for (int i = 0; i < program->module->invariant_count; i++) {
        Machine machine = {.program = program, .memory = memory};
        RunStatus status = machine_run(&machine, program->code + program->invariant_code[i]);
        if (status == RUN_RETURN && machine.result)
            continue;
        if (status == RUN_FAULT)
            emit_fault(stepper, memory, trail, machine.fault, machine.fault_place,
                       machine.fault_value);
        else
            emit_fault(stepper, memory, trail, FAULT_INVARIANT,
                       program->module->invariants[i]->place, 0);
        return false;
    }
    return true;
}

/* The thread stands at pc: dead locals are cleared, garbage is collected. */
static void arrive(Stepper *stepper, unsigned char *memory, int thread, int pc)
{
    const Program *program = stepper->program;
    unsigned char *block = program_thread(program, memory, thread);
    const ProgramPoint *point = &program->points[pc];
    cell_write(block, program->pc_bytes, pc);
    for (int i = 0; i < point->clear_count; i++)
        memset(block + program->locals_offset + point->clear[i].offset, 0,
               (size_t)point->clear[i].bytes);
    if (program->has_collected_pools)
        program_collect(program, memory, 0, NULL);
}

/* The operation returned: its locals are gone. */
static void respond(Stepper *stepper, unsigned char *memory, Trail *trail, int64_t result)
{
    const Program *program = stepper->program;
    unsigned char *block = program_thread(program, memory, trail->thread);
    const ModelOperation *operation = program->operations[trail->operation].operation;
    size_t arguments_end = (size_t)program->arguments_offset;
    memset(block, 0, arguments_end);
    if (operation->is_program)
        cell_write(block, program->pc_bytes, program->pc_bytes == 1 ? 0xFF : PC_FINISHED);
    if (program->has_collected_pools)
        program_collect(program, memory, 0, NULL);
    if (!invariants_hold(stepper, memory, trail))
        return;
    Successor *out;
    if (stepper->fuse || operation->is_program) {
        out = emit(stepper, memory, trail);
        out->responds = !operation->is_program;
        out->result = result;
        return;
    }
    cell_write(block, program->pc_bytes, program->operations[trail->operation].base);
    if (operation->result->kind != TYPE_VOID)
        cell_write(block + program->pc_bytes, operation->result->bytes,
                   (int)(result - operation->result->low));
    emit(stepper, memory, trail);
}

static void run_point(Stepper *stepper, const unsigned char *memory, Trail *trail, int pc,
                      size_t depth, bool starts);

/* One step was made and the thread stands at pc; with fusion, local steps follow at once. */
static void go_on(Stepper *stepper, unsigned char *memory, Trail *trail, int pc, size_t depth,
                  bool starts)
{
    arrive(stepper, memory, trail->thread, pc);
    bool is_local = stepper->program->points[pc].is_local;
    if (stepper->fuse && (starts || is_local) && trail->count < MAX_LOCAL_STEPS) {
        size_t before = stepper->out.count;
        run_point(stepper, memory, trail, pc, depth, starts && is_local);
        if (starts || stepper->out.count > before)
            return; /* else it waits here: that is a state */
    }
    if (invariants_hold(stepper, memory, trail))
        emit(stepper, memory, trail);
}

/* Emits all steps from PC on. STARTS: the operation has made local steps only so far. */
static void run_point(Stepper *stepper, const unsigned char *memory, Trail *trail, int pc,
                      size_t depth, bool starts)
{
    const Program *program = stepper->program;
    const ProgramPoint *point = &program->points[pc];
    for (int e = point->first_edge; e < point->first_edge + point->edge_count; e++) {
        const ProgramEdge *edge = &program->edges[e];
        unsigned char *copy = spare(stepper, depth);
        Machine machine; /* not cleared as a whole: this is the hot path */
        machine_init(&machine, program, copy,
                     program->shared_bytes + trail->thread * program->thread_bytes +
                         program->locals_offset,
                     trail->thread + 1);
        trail->edges[trail->count++] = e;
        do {
            memcpy(copy, memory, (size_t)program->state_bytes);
            RunStatus status = machine_run(&machine, program->code + edge->code);
            if (status == RUN_BLOCKED)
                continue;
            if (status == RUN_FAULT)
                emit_fault(stepper, memory, trail, machine.fault, machine.fault_place,
                           machine.fault_value);
            else if (status == RUN_RETURN)
                respond(stepper, copy, trail, machine.result);
            else
                go_on(stepper, copy, trail, status == RUN_LEAVE ? edge->leave_to : edge->to,
                      depth + 1, starts);
        } while (machine_next_choice(&machine));
        trail->count--;
    }
}

/* A call of an operation with the arguments already in place. */
static void invoke(Stepper *stepper, unsigned char *memory, Trail *trail)
{
    const Program *program = stepper->program;
    int entry = program->operations[trail->operation].base + FLOW_ENTRY;
    unsigned char *block = program_thread(program, memory, trail->thread);
    const ProgramOperation *operation = &program->operations[trail->operation];
    trail->invokes = !operation->operation->is_program;
    trail->count = 0;
    if (operation->arguments_bytes)
        memcpy(block + program->arguments_offset, block + program->locals_offset,
               (size_t)operation->arguments_bytes);
    go_on(stepper, memory, trail, entry, 1, stepper->fuse);
}

static void invoke_all(Stepper *stepper, const unsigned char *state, int thread, int operation,
                       const unsigned char *fresh)
{
    const Program *program = stepper->program;
    const ModelOperation *own = program->operations[operation].operation;
    int values[MODEL_MAX_PARAMETERS] = {0}; /* stored form: value - low */
    for (;;) {
        unsigned char *memory = spare(stepper, 0);
        Trail trail;
        trail.thread = thread;
        trail.operation = operation;
        trail.invokes = true;
        trail.count = 0;
        memcpy(memory, state, (size_t)program->state_bytes);
        unsigned char *locals = program_thread(program, memory, thread) + program->locals_offset;
        int next_fresh = 0;
        for (int i = 0; i < own->parameter_count; i++) {
            const Type *type = own->locals[i]->type;
            int value = type->kind == TYPE_DATA ? fresh[next_fresh++] : values[i];
            if (type->kind == TYPE_DATA && value == 0) {
                emit_fault(stepper, state, &trail, FAULT_DATA_EMPTY, own->place, 0);
                return;
            }
            cell_write(locals + own->locals[i]->offset, type->bytes, value);
        }
        size_t before = stepper->out.count;
        invoke(stepper, memory, &trail);
        if (stepper->out.count == before) {
            BlockedCall call = {.thread = (short)thread, .operation = (short)operation};
            memcpy(call.arguments,
                   program_thread(program, memory, thread) + program->arguments_offset,
                   (size_t)program->arguments_bytes);
            vec_push(&stepper->blocked, call);
        }
        int i = 0;
        for (; i < own->parameter_count; i++) {
            const Type *type = own->locals[i]->type;
            if (type->kind == TYPE_DATA)
                continue;
            if (values[i]++ < type->high - type->low)
                break;
            values[i] = 0;
        }
        if (i == own->parameter_count)
            return;
    }
}

void stepper_next(Stepper *stepper, const unsigned char *state, const unsigned char *fresh)
{
    const Program *program = stepper->program;
    const Model *model = stepper->model;
    vec_clear(&stepper->out);
    vec_clear(&stepper->states);
    vec_clear(&stepper->edges);
    vec_clear(&stepper->blocked);
    for (int g = 0; g < model->group_count; g++) {
        const ThreadGroup *group = &model->groups[g];
        for (int t = group->first; t < group->first + group->count; t++) {
            const unsigned char *block = state + program->shared_bytes + t * program->thread_bytes;
            int pc = program_pc(program, block);
            if (pc == PC_IDLE) {
                for (int op = 0; op < program->operation_count; op++)
                    if (group->operations >> op & 1)
                        invoke_all(stepper, state, t, op, fresh);
                continue;
            }
            if (pc >= program->point_count)
                continue; /* finished */
            Trail trail;
            trail.thread = t;
            trail.operation = program->points[pc].operation;
            trail.invokes = false;
            trail.count = 0;
            const ProgramOperation *operation = &program->operations[trail.operation];
            if (pc != operation->base) {
                run_point(stepper, state, &trail, pc, 0, false);
                continue;
            }
            /* returned: the client sees it */
            unsigned char *memory = spare(stepper, 0);
            memcpy(memory, state, (size_t)program->state_bytes);
            unsigned char *own = program_thread(program, memory, t);
            int64_t result = 0;
            if (operation->operation->result->kind != TYPE_VOID)
                result = program_load(operation->operation->result, own + program->pc_bytes);
            memset(own, 0, (size_t)program->arguments_offset);
            Successor *out = emit(stepper, memory, &trail);
            out->responds = true;
            out->result = result;
        }
    }
}

void stepper_initial(Stepper *stepper)
{
    const Program *program = stepper->program;
    vec_clear(&stepper->out);
    vec_clear(&stepper->states);
    vec_clear(&stepper->edges);
    size_t bytes = (size_t)program->state_bytes, scratch = (size_t)program->scratch_bytes;
    Buffer memory = {0};
    vec_reserve(&memory, bytes + scratch + 16);
    unsigned char *at = (unsigned char *)memory.at;
    Trail trail = {0};
    Machine machine = {.program = program,
                       .memory = at,
                       .locals = program->state_bytes,
                       .cells = &program->init_cells};
    do {
        program_initial(program, at);
        memset(at + bytes, 0, scratch);
        RunStatus status = RUN_NEXT;
        if (program->init_code >= 0)
            status = machine_run(&machine, program->code + program->init_code);
        if (status == RUN_BLOCKED)
            continue;
        if (status == RUN_FAULT) {
            emit_fault(stepper, at, &trail, machine.fault, machine.fault_place,
                       machine.fault_value);
            continue;
        }
        if (program->has_collected_pools)
            program_collect(program, at, 0, NULL);
        if (invariants_hold(stepper, at, &trail))
            emit(stepper, at, &trail);
    } while (machine_next_choice(&machine));
    vec_free(&memory);
}
