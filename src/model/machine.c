/* The interpreter: one switch. It is the hot loop of `heddle refine`, so operands are in the
 * instruction and nothing is looked up. Arithmetic is 64-bit on values of at most 32 bits, and
 * products are checked, so no overflow can pass unseen. */
#include "model/program.h"
#include "model/opcodes.h"
#include "model/check.h"
#include <string.h>

enum { STACK_SIZE = 512, MAX_STEPS = 1000000 };

const char *fault_text(Fault fault)
{
    static const char *const texts[] = {
#define X(name, text) text,
        MODEL_FAULTS(X)
#undef X
    };
    return texts[fault];
}

int64_t program_load(const Type *type, const unsigned char *at)
{
    return cell_read(at, type->bytes) + type->low;
}

void program_store(const Type *type, unsigned char *at, int64_t value)
{
    cell_write(at, type->bytes, (int)(value - type->low));
}

static void store_initial(const Type *type, unsigned char *at, const int64_t **values)
{
    if (type->kind == TYPE_ARRAY) {
        for (int i = 0; i < type->count; i++)
            store_initial(type->element, at + i * type->element->bytes, values);
    } else if (type->kind == TYPE_STRUCT) {
        for (int i = 0; i < type->structure->field_count; i++)
            store_initial(type->structure->fields[i].type, at + type->structure->fields[i].offset,
                          values);
    } else {
        program_store(type, at, *(*values)++);
    }
}

static void store_first(const Type *type, unsigned char *at)
{
    if (type->kind == TYPE_ARRAY) {
        for (int i = 0; i < type->count; i++)
            store_first(type->element, at + i * type->element->bytes);
    } else if (type->kind == TYPE_STRUCT) {
        for (int i = 0; i < type->structure->field_count; i++)
            store_first(type->structure->fields[i].type, at + type->structure->fields[i].offset);
    } else {
        program_store(type, at, type_first_value(type));
    }
}

void program_initial(const Program *program, unsigned char *memory)
{
    const Module *module = program->module;
    memset(memory, 0, (size_t)program->state_bytes);
    for (int i = 0; i < module->global_count; i++) {
        const int64_t *values = module->globals[i]->values;
        store_initial(module->globals[i]->type, memory + module->globals[i]->offset, &values);
    }
}

/* ---- nodes ---- */
static unsigned char *node_at(const Struct *structure, unsigned char *memory, int ref)
{
    return memory + structure->pool_offset + (ref - 1) * (structure->bytes + 1);
}

typedef struct Marker {
    const Program *program;
    unsigned char *memory;
    Vec(int) work; /* pool << 16 | ref */
    unsigned char *marks[64];
} Marker;

static void mark_cells(Marker *marker, const unsigned char *at, const ScalarCells *cells)
{
    for (int i = 0; i < cells->count; i++) {
        const ScalarCell *cell = &cells->at[i];
        if (cell->kind != CELL_REF)
            continue;
        int ref = cell_read(at + cell->offset, cell->bytes);
        if (ref == 0 || marker->marks[cell->pool][ref])
            continue;
        marker->marks[cell->pool][ref] = 1;
        vec_push(&marker->work, cell->pool << 16 | ref);
    }
}

const ScalarCells *program_thread_cells(const Program *program, const unsigned char *thread)
{
    int pc = program_pc(program, thread);
    if (pc == PC_IDLE || pc >= program->point_count)
        return NULL;
    return &program->operations[program->points[pc].operation].cells;
}

/* Marks every node that a global, a thread's locals or the extra locals reach. */
static void mark_all(Marker *marker, int locals, const ScalarCells *cells, unsigned char *marks)
{
    const Program *program = marker->program;
    size_t total = 0;
    ASSERT(program->module->pool_count <= 64);
    for (int i = 0; i < program->module->pool_count; i++) {
        marker->marks[i] = marks + total;
        total += (size_t)program->module->pools[i]->pool + 1;
    }
    memset(marks, 0, total);
    mark_cells(marker, marker->memory, &program->shared_cells);
    for (int t = 0; t < program->thread_count; t++) {
        const unsigned char *thread = program_thread(program, marker->memory, t);
        const ScalarCells *own = program_thread_cells(program, thread);
        if (own)
            mark_cells(marker, thread + program->locals_offset, own);
    }
    if (cells)
        mark_cells(marker, marker->memory + locals, cells);
    while (marker->work.count) {
        int item = vec_pop(&marker->work);
        const Struct *structure = program->module->pools[item >> 16];
        const unsigned char *node = node_at(structure, marker->memory, item & 0xFFFF);
        if (node[0])
            mark_cells(marker, node + 1, &program->node_cells[item >> 16]);
    }
}

static size_t marks_size(const Program *program)
{
    size_t total = 1;
    for (int i = 0; i < program->module->pool_count; i++)
        total += (size_t)program->module->pools[i]->pool + 1;
    return total;
}

void program_collect(const Program *program, unsigned char *memory, int locals,
                     const ScalarCells *cells)
{
    unsigned char small[4096], *marks = small;
    Vec(unsigned char) large = {0};
    if (marks_size(program) > sizeof small) {
        vec_reserve(&large, marks_size(program));
        marks = large.at;
    }
    Marker marker = {.program = program, .memory = memory};
    mark_all(&marker, locals, cells, marks);
    for (int p = 0; p < program->module->pool_count; p++) {
        const Struct *structure = program->module->pools[p];
        if (structure->manual)
            continue;
        for (int ref = 1; ref <= structure->pool; ref++) {
            unsigned char *node = node_at(structure, memory, ref);
            if (node[0] && !marker.marks[p][ref])
                memset(node, 0, (size_t)structure->bytes + 1);
        }
    }
    vec_free(&marker.work);
    vec_free(&large);
}

/* Any of count alternatives; -1 when the step has made too many choices. */
static int choose(Machine *machine, int count)
{
    if (machine->choice_at == machine->choice_count) {
        if (machine->choice_count == MAX_CHOICES)
            return -1;
        machine->choice[machine->choice_count++] = 0;
    }
    machine->choice_limit[machine->choice_at] = count;
    return machine->choice[machine->choice_at++];
}

bool machine_next_choice(Machine *machine)
{
    while (machine->choice_count > 0) {
        int last = machine->choice_count - 1;
        if (++machine->choice[last] < machine->choice_limit[last])
            return true;
        machine->choice_count--;
    }
    return false;
}

/* A free node. Without `manual` no reference to a free node exists, so they are all alike and the
 * first will do. With it, one that a stale reference still names differs from one that nobody
 * knows: each of the former is tried, and the first of the latter. Returns 0 when there is none, -1
 * after too many choices. */
static int node_new(Machine *machine, int pool)
{
    const Program *program = machine->program;
    const Struct *structure = program->module->pools[pool];
    int candidates[1001], count = 0;
    if (!structure->manual) {
        for (int round = 0; round < 2 && !count; round++) {
            if (round == 1) /* what this step itself dropped may be had again */
                program_collect(program, machine->memory, machine->locals, machine->cells);
            for (int ref = 1; ref <= structure->pool && !count; ref++)
                if (!node_at(structure, machine->memory, ref)[0])
                    candidates[count++] = ref;
        }
    } else {
        unsigned char marks[65536];
        ASSERT(marks_size(program) <= sizeof marks);
        Marker marker = {.program = program, .memory = machine->memory};
        mark_all(&marker, machine->locals, machine->cells, marks);
        bool fresh = false;
        for (int ref = 1; ref <= structure->pool; ref++) {
            if (node_at(structure, machine->memory, ref)[0])
                continue;
            if (marker.marks[pool][ref])
                candidates[count++] = ref;
            else if (!fresh) {
                candidates[count++] = ref;
                fresh = true;
            }
        }
        vec_free(&marker.work);
    }
    if (count == 0)
        return 0;
    int chosen = count > 1 ? choose(machine, count) : 0;
    if (chosen < 0)
        return -1;
    int ref = candidates[chosen];
    unsigned char *node = node_at(structure, machine->memory, ref);
    node[0] = 1;
    for (int i = 0; i < structure->field_count; i++)
        store_first(structure->fields[i].type, node + 1 + structure->fields[i].offset);
    return ref;
}

static RunStatus fail(Machine *machine, const Instr *instr, Fault fault, int64_t value)
{
    machine->fault = fault;
    machine->fault_place = machine->program->places[instr - machine->program->code];
    machine->fault_value = value;
    return RUN_FAULT;
}

#define BINARY(name, expression)                                                                   \
    case I_##name: {                                                                               \
        int64_t right = *top--, left = *top;                                                       \
        *top = (expression);                                                                       \
        break;                                                                                     \
    }

RunStatus machine_run(Machine *machine, const Instr *start)
{
    int64_t stack[STACK_SIZE], *top = stack;
    const Instr *code = machine->program->code, *at = start;
    unsigned char *memory = machine->memory;
    int locals = machine->locals, steps = 0;
    machine->choice_at = 0;
    for (;; at++) {
        switch (at->op) {
        case I_PUSH:
            *++top = at->a;
            break;
        case I_PUSH_UNDER:
            top[1] = top[0];
            top[0] = at->a;
            top++;
            break;
        case I_ADDRESS_LOCAL:
            *++top = locals + at->a;
            break;
        case I_ADDRESS_LOCAL_UNDER:
            top[1] = top[0];
            top[0] = locals + at->a;
            top++;
            break;
        case I_LOAD_GLOBAL:
            *++top = cell_read(memory + at->a, at->bytes) + (int64_t)at->b;
            break;
        case I_LOAD_LOCAL:
            *++top = cell_read(memory + locals + at->a, at->bytes) + (int64_t)at->b;
            break;
        case I_LOAD:
            *top = cell_read(memory + *top, at->bytes) + (int64_t)at->b;
            break;
        case I_STORE: {
            int64_t value = *top--, address = *top--;
            if (UNLIKELY(value < at->b || value > at->c))
                return fail(machine, at, FAULT_RANGE, value);
            cell_write(memory + address, at->bytes, (int)(value - at->b));
            break;
        }
        case I_INDEX: {
            int64_t index = *top-- - at->c;
            if (UNLIKELY(index < 0 || index >= at->a))
                return fail(machine, at, FAULT_INDEX, index + at->c);
            *top += index * at->b;
            break;
        }
        case I_NODE: {
            int64_t ref = *top;
            if (UNLIKELY(ref == 0))
                return fail(machine, at, FAULT_NULL_REFERENCE, 0);
            int64_t node = at->a + (ref - 1) * at->b;
            if (UNLIKELY(memory[node] == 0))
                return fail(machine, at, FAULT_FREED_REFERENCE, ref);
            *top = node + at->c;
            break;
        }
            BINARY(BIT_OR, left | right)
            BINARY(BIT_XOR, left ^ right)
            BINARY(BIT_AND, left & right)
            BINARY(EQ, left == right)
            BINARY(NE, left != right)
            BINARY(LT, left < right)
            BINARY(LE, left <= right)
            BINARY(GT, left > right)
            BINARY(GE, left >= right)
            BINARY(ADD, left + right)
            BINARY(SUB, left - right)
        case I_MUL:
        case I_SHIFT_LEFT:
        case I_SHIFT_RIGHT: {
            int64_t right = *top--, left = *top;
            Operator operator= at->op == I_MUL ? OP_MUL
            : at->op == I_SHIFT_LEFT           ? OP_SHIFT_LEFT
                                               : OP_SHIFT_RIGHT;
            if (!operator_apply(operator, left, right, top))
                return fail(machine, at, FAULT_OVERFLOW, right);
            if (*top > INT32_MAX || *top < INT32_MIN)
                return fail(machine, at, FAULT_OVERFLOW, *top);
            break;
        }
        case I_DIV:
        case I_MOD: {
            int64_t right = *top--, left = *top;
            if (right == 0)
                return fail(machine, at, FAULT_DIVISION, left);
            *top = at->op == I_DIV ? left / right : left % right;
            break;
        }
        case I_NOT:
            *top = !*top;
            break;
        case I_NEG:
            *top = -*top;
            break;
        case I_BIT_NOT:
            *top = ~*top;
            break;
        case I_JUMP:
            if (UNLIKELY(++steps > MAX_STEPS))
                return fail(machine, at, FAULT_ENDLESS, 0);
            at = code + at->a - 1;
            break;
        case I_JUMP_ZERO:
            if (*top-- == 0)
                at = code + at->a - 1;
            break;
        case I_JUMP_NOT_ZERO:
            if (*top-- != 0)
                at = code + at->a - 1;
            break;
        case I_AWAIT:
            if (*top-- == 0)
                return RUN_BLOCKED;
            break;
        case I_ASSERT:
            if (*top-- == 0)
                return fail(machine, at, FAULT_ASSERTION, 0);
            break;
        case I_SELF:
            *++top = machine->self;
            break;
        case I_AVAILABLE: {
            const Struct *structure = machine->program->module->pools[at->a];
            int64_t count = 0;
            for (int ref = 1; ref <= structure->pool; ref++)
                count += node_at(structure, memory, ref)[0] == 0;
            *++top = count;
            break;
        }
        case I_NEW: {
            int ref = node_new(machine, at->a);
            if (ref <= 0)
                return fail(machine, at, ref ? FAULT_CHOICES : FAULT_POOL_EMPTY, 0);
            *++top = ref;
            break;
        }
        case I_FREE: {
            const Struct *structure = machine->program->module->pools[at->a];
            int64_t ref = *top--;
            if (ref == 0)
                return fail(machine, at, FAULT_NULL_REFERENCE, 0);
            unsigned char *node = node_at(structure, memory, (int)ref);
            if (!node[0])
                return fail(machine, at, FAULT_DOUBLE_FREE, ref);
            memset(node, 0, (size_t)structure->bytes + 1);
            break;
        }
        case I_CHOOSE_VALUE: {
            int64_t high = *top--, low = *top;
            if (low > high)
                return fail(machine, at, FAULT_EMPTY_CHOICE, low);
            int chosen = choose(machine, (int)(high - low + 1));
            if (chosen < 0)
                return fail(machine, at, FAULT_CHOICES, 0);
            *top = low + chosen;
            break;
        }
        case I_CHOOSE_BRANCH: {
            int chosen = choose(machine, at->a);
            if (chosen < 0)
                return fail(machine, at, FAULT_CHOICES, 0);
            at += chosen;
            break;
        }
        case I_RETURN:
            machine->result = *top;
            return RUN_RETURN;
        case I_RETURN_VOID:
            machine->result = 0;
            return RUN_RETURN;
        case I_LEAVE:
            return RUN_LEAVE;
        case I_END:
            return RUN_NEXT;
        default:
            ASSERT(false && "an instruction");
        }
        DEBUG_ASSERT(top >= stack && top < stack + STACK_SIZE - 2);
    }
}
