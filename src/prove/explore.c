/* Depth-first over concrete states, each with the set of all ways in which the specification can
 * have gone so far (just-in-time linearization): a configuration is a state of the specification
 * and, for each pending operation, whether it has taken effect and with what values. When an
 * operation returns, pending ones are made to take effect in every order that ends with it, and the
 * configurations in which it took effect with the values it returns remain. None: no order explains
 * the execution.
 *
 * What counts as a violation. In the text an operation is one path of a method, so a pending one
 * may in truth be another path: one with the same steps so far is allowed in its place. A violation
 * is only reported when every operation still pending has changed nothing; then the execution
 * without it is an execution too. (If one has, exploration goes on until it has finished.) In
 * serial runs an unfinished operation never goes on, and the report says that it is part of the
 * violation. */
#include "prove/explore.h"
#include "prove/config.h"
#include "base/hash.h"
#include <string.h>
#include "base/stop.h"

typedef struct Slot { /* a thread, or in a serial run an operation that never finishes */
    bool active;
    bool cut; /* will never finish: weakened reads */
    int operation, point;
    int32_t id; /* no other operation of the execution has it, unless it names a thread */
    Locals locals;
} Slot;

typedef struct StepRecord {
    int slot, operation, point;
    bool cut;
    Locals locals;
} StepRecord;

typedef struct Explorer {
    Arena *arena;
    ConcreteMachine machine;
    Specifier specifier;
    ExploreLimits limits;
    ExploreResult *result;
    Slot slots[EXPLORE_SLOTS];
    int slot_count, started, current; /* current: serial runs, the one that runs; -1 */
    int unfinished;
    ConcreteState state;
    ConfigSet *configs;
    Vec(StepRecord) trail;
    HashMap seen;
    bool thread_ids;        /* ID is used and names a thread: later operations have it too */
    bool *completed;        /* which operations ran to their end at least once */
    uint32_t *seen_outside; /* of each operation: the locals that its specification names */
    bool stopped;
} Explorer;

static void explore_from(Explorer *explorer);

/* Takes in the words four at a time. */
static Hash128 explore_hash(const int32_t *words, int count)
{
    Hash128 hash = {1, 2};
    uint64_t pair[2];
    int i = 0;
    for (; i + 4 <= count; i += 4) {
        memcpy(pair, words + i, sizeof pair);
        hash = hash128_add(hash, pair[0], pair[1]);
    }
    memset(pair, 0, sizeof pair);
    memcpy(pair, words + i, sizeof *words * (size_t)(count - i));
    return hash128_mix(hash128_add(hash, pair[0], pair[1]));
}

static bool explore_seen(Explorer *explorer)
{
    Hash128 hash = explore_hash(explorer->state.word, explorer->machine.words);
    for (int i = 0; i < explorer->slot_count; i++) {
        const Slot *slot = &explorer->slots[i];
        uint64_t word = 0;
        if (slot->active) {
            word = hash_combine(1 + (uint64_t)slot->cut + 2 * (uint64_t)slot->point,
                                (uint64_t)slot->operation << 32 | (uint32_t)slot->id);
            for (uint32_t left = slot->locals.bound; left; left &= left - 1) {
                int k = __builtin_ctz(left);
                word = hash_combine(word,
                                    (uint64_t)(uint32_t)slot->locals.value[k] * 32u + (uint64_t)k);
            }
        }
        hash = hash128_add(hash, word, (uint64_t)i);
    }
    uint64_t rest = (uint64_t)explorer->started * 16 + (uint64_t)explorer->current + 1;
    hash = hash128_mix(
        hash128_add(hash, rest, config_set_hash(&explorer->specifier, explorer->configs)));
    bool absent;
    uint64_t *value = hashmap_put(&explorer->seen, hash.low, &absent);
    if (!absent && *value == hash.high)
        return true;
    *value = hash.high;
    return false;
}

static void explore_report(Explorer *explorer)
{
    const IrProgram *program = explorer->machine.program;
    Buffer out = {0};
    for (size_t i = 0; i < explorer->trail.count; i++) {
        const StepRecord *record = &explorer->trail.at[i];
        const IrOperation *op = &program->operations.at[record->operation];
        bool touches = explorer->result->freed && i + 1 == explorer->trail.count;
        bool last = record->point + 1 == (int)op->subops.count && !touches;
        buffer_printf(&out, "  %s%d  %-10s %-4s ", explorer->limits.threads ? "T" : "#",
                      record->slot + 1, op->name, op->subops.at[record->point].label);
        ir_subop_print(&out, program, op, &op->subops.at[record->point]);
        buffer_printf(&out, "   {");
        for (size_t l = 0; l < op->locals.count; l++)
            if ((record->locals.bound >> l) & 1)
                buffer_printf(&out, " %s=%d", op->locals.at[l].name, record->locals.value[l]);
        buffer_printf(&out, touches ? " }   touches a freed node\n" : " }\n");
        if (last && !op->internal)
            buffer_printf(&out, "  %s%d  %s returns\n", explorer->limits.threads ? "T" : "#",
                          record->slot + 1, op->name);
        bool never = !explorer->limits.threads && record->cut;
        for (size_t k = i + 1; k < explorer->trail.count && never; k++)
            never = explorer->trail.at[k].slot != record->slot;
        if (never)
            buffer_printf(&out, "  #%d  %s never finishes\n", record->slot + 1, op->name);
    }
    explorer->result->execution = str_copy(explorer->arena, buffer_str(&out));
    vec_free(&out);
}

/* Has every pending operation left the shared state alone? */
static bool explore_pending_harmless(const Explorer *explorer)
{
    for (int i = 0; i < explorer->slot_count; i++) {
        const Slot *slot = &explorer->slots[i];
        if (slot->active &&
            !ir_operation_reads_only(&explorer->machine.program->operations.at[slot->operation],
                                     slot->point))
            return false;
    }
    return true;
}

static void explore_pending(const Explorer *explorer, PendingCall *calls)
{
    for (int i = 0; i < explorer->slot_count; i++) {
        const Slot *slot = &explorer->slots[i];
        calls[i] =
            (PendingCall){slot->active, slot->operation, slot->point, slot->id, slot->locals};
    }
}

/* Does some variable, cell or field of kind tid hold an ID? Serial runs give each operation its
 * own. */
static bool explore_holds_id(const Explorer *explorer)
{
    const ConcreteMachine *machine = &explorer->machine;
    const IrProgram *program = machine->program;
    for (size_t g = 0; g < program->globals.count; g++)
        if (program->globals.at[g].type.kind == KIND_TID && explorer->state.word[g] > 1)
            return true;
    for (size_t f = 0; f < program->fields.count; f++)
        for (int n = 1; n <= machine->bounds.nodes; n++)
            if (program->fields.at[f].type.kind == KIND_TID &&
                explorer->state
                        .word[machine->at_fields + (int)f * (machine->bounds.nodes + 1) + n] > 1)
                return true;
    for (size_t a = 0; a < program->arrays.count; a++)
        for (int i = 0, all = machine->bounds.cells + machine->bounds.far_count; i < all; i++)
            if (program->arrays.at[a].type.kind == KIND_TID &&
                explorer->state.word[machine->at_arrays + (int)a * all + i] > 1)
                return true;
    return false;
}

/* The operation in SLOT has made its last step. */
static void explore_return(Explorer *explorer, int number)
{
    Slot *slot = &explorer->slots[number], saved = *slot;
    const IrOperation *op = &explorer->machine.program->operations.at[slot->operation];
    ConfigSet *before = explorer->configs, after = {0};
    int saved_current = explorer->current;
    explorer->completed[slot->operation] = true;
    if (!op->internal) {
        PendingCall calls[EXPLORE_SLOTS] = {0};
        explore_pending(explorer, calls);
        specifier_return(&explorer->specifier, before, calls, explorer->slot_count, number, &after);
        explorer->configs = &after;
    }
    slot->active = false;
    explorer->current = -1;
    if (explorer->limits.threads == 0 && explorer->unfinished == 0)
        explorer->result->leaves_id |= explore_holds_id(explorer);
    bool unexplained = explorer->configs->count == 0 &&
                       (explorer->limits.threads == 0 || explore_pending_harmless(explorer));
    if (unexplained && explorer->specifier.machine.beyond) {
        explorer->stopped = true; /* the specification may be lacking a place, not an order */
    } else if (unexplained) {
        explorer->result->violated = true;
        for (int i = 0; i < explorer->slot_count; i++)
            explorer->result->unfinished |= explorer->slots[i].active;
        explore_report(explorer);
    } else {
        explore_from(explorer);
    }
    explorer->configs = before;
    explorer->current = saved_current;
    *slot = saved;
    config_set_free(&after);
}

typedef struct Visit {
    Explorer *explorer;
    int slot;
} Visit;

static bool explore_visit(void *context, const ConcreteState *state, const Locals *locals);

/* The operation is about to end, and no step has looked at some argument (or given some result)
 * that its specification names: it may have been any value. The specification does not get to
 * choose it. */
static bool explore_visit_each(Visit *visit, const ConcreteState *state, const Locals *locals,
                               uint32_t open)
{
    const Explorer *explorer = visit->explorer;
    const IrOperation *op =
        &explorer->machine.program->operations.at[explorer->slots[visit->slot].operation];
    int local = __builtin_ctz(open);
    int32_t value;
    bool skip;
    for (int i = 0;
         concrete_choice(&explorer->machine, state, op->locals.at[local].type, i, &value, &skip);
         i++) {
        Locals next = *locals;
        concrete_bind(&next, local, value);
        if (!skip && !explore_visit(visit, state, &next))
            return false;
    }
    return true;
}

static bool explore_visit(void *context, const ConcreteState *state, const Locals *locals)
{
    Visit *visit = context;
    Explorer *explorer = visit->explorer;
    Slot *slot = &explorer->slots[visit->slot], saved = *slot;
    ConcreteState before;
    const IrOperation *op = &explorer->machine.program->operations.at[slot->operation];
    uint32_t open = explorer->seen_outside[slot->operation] & ~locals->bound;
    if (open && slot->point + 1 == (int)op->subops.count)
        return explore_visit_each(visit, state, locals, open);
    if (explorer->machine.freed && explorer->limits.threads > 0)
        return false; /* explore_step reports it */
    explorer->result->steps++;
    if (explorer->result->steps + explorer->specifier.work > explorer->limits.steps ||
        (explorer->result->steps % 256 == 0 && stop_wanted()))
        explorer->stopped = true;
    if (explorer->stopped)
        return false;
    vec_push(&explorer->trail,
             (StepRecord){visit->slot, slot->operation, slot->point, slot->cut, *locals});
    concrete_copy(&explorer->machine, &before, &explorer->state);
    concrete_copy(&explorer->machine, &explorer->state, state);
    slot->locals = *locals;
    slot->point++;
    slot->active = true;
    if (slot->point == (int)op->subops.count)
        explore_return(explorer, visit->slot);
    else
        explore_from(explorer);
    (void)vec_pop(&explorer->trail);
    concrete_copy(&explorer->machine, &explorer->state, &before);
    *slot = saved;
    return !explorer->result->violated && !explorer->stopped;
}

/* The next step of the operation in slot NUMBER touches a freed node. */
static void explore_freed(Explorer *explorer, int number)
{
    const Slot *slot = &explorer->slots[number];
    explorer->result->violated = explorer->result->freed = true;
    vec_push(&explorer->trail,
             (StepRecord){number, slot->operation, slot->point, slot->cut, slot->locals});
    explore_report(explorer);
}

static void explore_step(Explorer *explorer, int number)
{
    const Slot *slot = &explorer->slots[number];
    const IrOperation *op = &explorer->machine.program->operations.at[slot->operation];
    const FactList *weak = NULL;
    if (slot->cut && slot->point + 1 == (int)op->subops.count)
        return; /* it never finishes */
    if (slot->cut && explorer->limits.weak &&
        ((explorer->limits.weak[slot->operation] >> slot->point) & 1))
        weak = &explorer->limits.facts->points[slot->operation][slot->point + 1];
    Visit visit = {explorer, number};
    explorer->machine.freed = false;
    concrete_step(&explorer->machine, op, slot->point, slot->id, &explorer->state, &slot->locals,
                  weak, explore_visit, &visit);
    if (explorer->machine.freed && !explorer->result->violated && explorer->limits.threads > 0)
        explore_freed(explorer, number);
}

/* A thread makes one call at a time. */
static bool explore_id_is_free(const Explorer *explorer, int32_t id, int number)
{
    for (int i = 0; i < explorer->slot_count; i++)
        if (i != number && explorer->slots[i].active && explorer->slots[i].id == id)
            return false;
    return true;
}

static void explore_start(Explorer *explorer, bool cut)
{
    const IrProgram *program = explorer->machine.program;
    int number = 0;
    while (number < explorer->slot_count && explorer->slots[number].active)
        number++;
    if (number == explorer->slot_count || explorer->started == explorer->limits.operations)
        return;
    Slot saved = explorer->slots[number];
    int saved_current = explorer->current;
    explorer->started++;
    explorer->unfinished += cut;
    int ids = explorer->thread_ids && explorer->limits.threads == 0 ? EXPLORE_UNFINISHED + 2 : 1;
    for (int i = 0; i < ids * (int)program->operations.count; i++) {
        int32_t id = !explorer->thread_ids          ? 1 + explorer->started
                     : explorer->limits.threads > 0 ? 2 + number
                                                    : 2 + i % ids;
        if (!explore_id_is_free(explorer, id, number))
            continue;
        explorer->slots[number] = (Slot){.operation = i / ids, .cut = cut, .id = id};
        explorer->current = number;
        explore_step(explorer, number);
        if (explorer->result->violated || explorer->stopped)
            break;
    }
    explorer->started--;
    explorer->unfinished -= cut;
    explorer->current = saved_current;
    explorer->slots[number] = saved;
}

static void explore_serial(Explorer *explorer)
{
    if (explorer->current < 0) {
        explore_start(explorer, false);
        if (!explorer->result->violated && !explorer->stopped && !explorer->limits.complete &&
            explorer->unfinished < EXPLORE_UNFINISHED)
            explore_start(explorer, true);
        return;
    }
    int running = explorer->current;
    const Slot *slot = &explorer->slots[running];
    explore_step(explorer, running);
    if (slot->cut && !explorer->result->violated && !explorer->stopped &&
        !ir_operation_reads_only(&explorer->machine.program->operations.at[slot->operation],
                                 slot->point)) {
        explorer->current = -1; /* it stops here, for ever */
        explore_from(explorer);
        explorer->current = running;
    }
}

static void explore_from(Explorer *explorer)
{
    if (explorer->stopped || explore_seen(explorer))
        return;
    if (explorer->limits.threads == 0) {
        explore_serial(explorer);
        return;
    }
    for (int i = 0; i < explorer->slot_count; i++) {
        if (explorer->slots[i].active)
            explore_step(explorer, i);
        if (explorer->result->violated || explorer->stopped)
            return;
    }
    explore_start(explorer, false);
}

static bool explore_keep(void *context, const ConcreteState *state, const Locals *locals)
{
    (void)locals;
    *(ConcreteState *)context = *state;
    return false;
}

static int explore_nodes(const IrProgram *program, int operations)
{
    int initial = 0, most = 0;
    for (size_t i = 0; i <= program->operations.count; i++) {
        const IrOperation *op =
            i == program->operations.count ? &program->initial : &program->operations.at[i];
        int count = 0;
        for (size_t k = 0; k < op->subops.count; k++)
            for (size_t s = 0; s < op->subops.at[k].statements.count; s++)
                count += op->subops.at[k].statements.at[s].kind == IR_NEW;
        if (i == program->operations.count)
            initial = count;
        else
            most = MAX(most, count);
    }
    return initial + most * operations;
}

/* The program with a step for each value that an `each' looks at, lowest first. */
static IrProgram *explore_in_turn(Arena *arena, const IrProgram *program, ConcreteBounds bounds)
{
    IrProgram *copy = arena_new_of(arena, IrProgram);
    *copy = *program;
    memset(&copy->operations, 0, sizeof copy->operations);
    for (size_t o = 0; o < program->operations.count; o++) {
        IrOperation op = program->operations.at[o];
        memset(&op.subops, 0, sizeof op.subops);
        for (size_t p = 0; p < program->operations.at[o].subops.count; p++) {
            const SubOp *subop = &program->operations.at[o].subops.at[p];
            SubOp first = {.anyone = subop->anyone, .label = subop->label, .line = subop->line};
            SubOp last = first;
            size_t looks = 0;
            for (size_t g = 0; g < subop->guards.count; g++)
                if (!subop->guards.at[g]->each)
                    arena_push(arena, &first.guards, subop->guards.at[g]);
                else
                    looks++;
            last.statements = subop->statements; /* shared: nobody changes it */
            if (looks == 0)
                first.statements = last.statements;
            arena_push(arena, &op.subops, first);
            for (size_t g = 0; g < subop->guards.count; g++) {
                const IrFormula *guard = subop->guards.at[g];
                if (!guard->each)
                    continue;
                bool node = ir_type_is_node(guard->bound);
                int end = node ? bounds.nodes + 1 : bounds.cells;
                for (int value = node ? 1 : 0; value < end; value++) {
                    const IrExpr *e = ir_number(arena, value);
                    const IrFormula *look = ir_formula_instantiate(arena, guard->a->a, e);
                    SubOp step = {.anyone = subop->anyone,
                                  .label = arena_printf(arena, "%s.%d", subop->label, value),
                                  .line = subop->line};
                    if (node)
                        look = ir_formula_join(arena, FORMULA_IMPLIES, ir_formula_live(arena, e),
                                               look);
                    arena_push(arena, &step.guards, look);
                    arena_push(arena, &op.subops, step);
                }
            }
            if (looks > 0 && last.statements.count > 0)
                arena_push(arena, &op.subops, last);
        }
        arena_push(arena, &copy->operations, op);
    }
    return copy;
}

/* One exploration within BOUNDS, and SPEC_BOUNDS for the specification; both learn which positions
 * of arrays were missing. */
static bool explore_once(Arena *arena, const IrProgram *program, ExploreLimits limits,
                         ConcreteBounds *bounds, ConcreteBounds *spec_bounds, bool *more,
                         ExploreResult *result, Error *error)
{
    Explorer explorer = {.arena = arena, .limits = limits, .result = result, .current = -1};
    ConfigSet initial = {0};
    *result = (ExploreResult){0};
    explorer.thread_ids = program->id_is_thread && ir_program_uses_id(program);
    if (!concrete_init(&explorer.machine, program, *bounds, error) ||
        !specifier_init(&explorer.specifier, arena, program, *spec_bounds, &initial, error))
        return false;
    explorer.slot_count = MIN(limits.threads ? limits.threads : limits.operations, EXPLORE_SLOTS);
    explorer.completed = arena_array_of(arena, bool, program->operations.count);
    explorer.seen_outside = arena_array_of(arena, uint32_t, program->operations.count);
    for (size_t i = 0; i < program->operations.count; i++)
        for (size_t l = 0; l < program->operations.at[i].locals.count; l++)
            if (ir_operation_shows_local(program, &program->operations.at[i], (int)l))
                explorer.seen_outside[i] |= (uint32_t)1 << l;
    explorer.configs = &initial;
    concrete_initial(&explorer.machine, explore_keep, &explorer.state);
    explore_from(&explorer);
    result->exhaustive = !explorer.stopped && !explorer.machine.beyond &&
                         !explorer.specifier.machine.beyond && !result->violated;
    for (size_t i = 0; i < program->operations.count; i++)
        if (!explorer.completed[i] && !result->violated) {
            result->text_is_vacuous = true;
            result->vacuous = program->operations.at[i].name;
        }
    result->work = result->steps + explorer.specifier.work;
    *more = !result->violated && concrete_add_positions(bounds, program, &explorer.machine);
    *more |= !result->violated && concrete_add_positions(spec_bounds, program->specification,
                                                         &explorer.specifier.machine);
    vec_free(&explorer.trail);
    hashmap_free(&explorer.seen);
    config_set_free(&initial);
    return true;
}

bool explore_run(Arena *arena, const IrProgram *program, ExploreLimits limits,
                 ExploreResult *result, Error *error)
{
    enum { ROUNDS = 5 }; /* with more and more positions of arrays */
    ConcreteBounds bounds = {.nodes = explore_nodes(program, limits.operations),
                             .cells = MAX(limits.operations, MAX(limits.values, limits.keys)) + 2,
                             .values = limits.values,
                             .keys = limits.keys};
    if (program->id_is_thread && ir_program_uses_id(program))
        bounds.cells = MAX(bounds.cells, 2 + MAX(limits.threads, EXPLORE_UNFINISHED + 2));
    if (limits.in_turn)
        program = explore_in_turn(arena, program, bounds);
    concrete_add_values(&bounds, program);
    concrete_add_values(&bounds, program->specification);
    ConcreteBounds spec_bounds = specifier_bounds(bounds);
    concrete_add_positions(&bounds, program, NULL);
    concrete_add_positions(&spec_bounds, program->specification, NULL);
    bool more = true;
    long work = 0;
    for (int round = 0; round < ROUNDS && more && work < limits.steps; round++) {
        if (!explore_once(arena, program, limits, &bounds, &spec_bounds, &more, result, error))
            return false;
        work = result->work += work;
    }
    return true;
}
