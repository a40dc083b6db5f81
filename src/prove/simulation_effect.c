/* An operation that never finishes takes effect at some step, or not at all. Which step is guessed
 * from short random serial runs: a step is right if no complete operation is ever left unexplained
 * while beginnings of this one alone stand about. A wrong guess only makes the proof fail. */
#include "prove/concrete.h"
#include "prove/simulation_private.h"
#include "base/hash.h"
#include "base/stop.h"
#include <string.h>

enum { RUNS = 48, LENGTH = 10, UNFINISHED = 2, CHOICES = 64 };

typedef struct Trial {
    Arena *arena;
    const Simulation *simulation;
    ConcreteMachine machine;
    Random random;
    ConcreteState state, picked;
    Locals locals;
    int choices;
    IrOperation **beginnings; /* [operation][prefix] */
    IrOperation *effects;     /* [operation * abstract count + abstract] */
    int *shared;              /* how many steps a beginning with that effect has at most */
    bool *own;                /* it is the operation's own */
} Trial;

static bool trial_choice(void *context, const ConcreteState *state, const Locals *locals)
{
    Trial *trial = context;
    trial->choices++;
    if (random_below(&trial->random, (uint64_t)trial->choices) == 0) {
        concrete_copy(&trial->machine, &trial->picked, state);
        trial->locals = *locals;
    }
    return trial->choices < CHOICES;
}

/* Makes the one step of OP, any way that there is; false if there is none. */
static bool trial_step(Trial *trial, const IrOperation *op, Locals locals, int32_t id)
{
    trial->choices = 0;
    concrete_step(&trial->machine, op, 0, id, &trial->state, &locals, NULL, trial_choice, trial);
    if (trial->choices > 0)
        concrete_copy(&trial->machine, &trial->state, &trial->picked);
    return trial->choices > 0;
}

/* The specification follows; false if it can't. */
static bool trial_effect(Trial *trial, int operation, int prefix, bool cut, int32_t id)
{
    size_t count = trial->simulation->specification->operations.count;
    Locals locals = trial->locals;
    size_t first = random_below(&trial->random, count);
    for (size_t i = 0; i < count; i++) {
        size_t at = (size_t)operation * count + (first + i) % count;
        bool fits = trial->own[at] || (cut && prefix <= trial->shared[at]);
        if (fits && trial_step(trial, &trial->effects[at], locals, id))
            return true;
    }
    return false;
}

/* A serial run in which OPERATION may be left after some steps, from EFFECT on with its effect. */
static bool trial_run(Trial *trial, int operation, int effect)
{
    const IrProgram *program = trial->simulation->proved->program;
    static const Locals nothing;
    int unfinished = 0, steps = (int)program->operations.at[operation].subops.count;
    trial->choices = 0;
    concrete_initial(&trial->machine, trial_choice, trial);
    concrete_copy(&trial->machine, &trial->state, &trial->picked);
    for (int i = 0; i < LENGTH; i++) {
        bool cut = unfinished < UNFINISHED && random_below(&trial->random, 3) == 0;
        int op = cut ? operation : (int)random_below(&trial->random, program->operations.count);
        int all = (int)program->operations.at[op].subops.count;
        int prefix = cut ? 1 + (int)random_below(&trial->random, (uint64_t)steps - 1) : all;
        if (!trial_step(trial, &trial->beginnings[op][prefix], nothing, 2 + i))
            continue;
        unfinished += cut;
        bool takes = cut ? prefix >= effect : !program->operations.at[op].internal;
        if (takes && !trial_effect(trial, op, prefix, cut, 2 + i) && !cut)
            return false;
    }
    return true;
}

static bool trial_is_good(Trial *trial, int operation, int effect)
{
    for (int i = 0; i < RUNS; i++)
        if (stop_wanted() || !trial_run(trial, operation, effect))
            return false;
    return true;
}

/* Does a later step than K write the same variable or place? Then it is a lock, or as good as one.
 */
static bool trial_writes_again(const IrOperation *op, int k, const IrExpr *target)
{
    for (int i = k + 1; i < (int)op->subops.count; i++)
        for (size_t j = 0; j < op->subops.at[i].statements.count; j++) {
            const IrStatement *s = &op->subops.at[i].statements.at[j];
            if (s->kind == IR_SET && ir_expr_equal(s->target, target))
                return true;
        }
    return false;
}

static bool trial_writes_data(const IrOperation *op, int k)
{
    for (size_t i = 0; i < op->subops.at[k].statements.count; i++) {
        const IrStatement *s = &op->subops.at[k].statements.at[i];
        if (s->kind == IR_NEW || s->kind == IR_FREE ||
            (s->kind == IR_SET && s->target->kind != IR_LOCAL && s->target->type.kind != KIND_TID &&
             !trial_writes_again(op, k, s->target)))
            return true;
    }
    return false;
}

/* The steps that may be it, as a bit mask: those that change something, or none (the last). */
static uint64_t trial_guess(Trial *trial, int operation)
{
    const IrOperation *op = &trial->simulation->proved->program->operations.at[operation];
    int steps = (int)op->subops.count;
    uint64_t good = 0;
    for (int k = 1; k <= steps; k++)
        if ((k == steps || ir_subop_writes(&op->subops.at[k - 1])) &&
            trial_is_good(trial, operation, k))
            good |= (uint64_t)1 << k;
    return good ? good : (uint64_t)1 << steps;
}

/* Returns a step in OPEN that writes something other than a lock, or else the last one. */
static int trial_first(const IrOperation *op, uint64_t open)
{
    for (int k = 1; k < (int)op->subops.count; k++)
        if (((open >> k) & 1) && trial_writes_data(op, k - 1))
            return k;
    return 63 - __builtin_clzll(open);
}

static bool trial_begin(Trial *trial)
{
    const Simulation *simulation = trial->simulation;
    const IrProgram *program = simulation->proved->program, *spec = simulation->specification;
    size_t operations = program->operations.count, abstracts = spec->operations.count;
    ConcreteBounds bounds = {.nodes = LENGTH + 2, .cells = LENGTH + 4, .values = 1, .keys = 2};
    concrete_add_positions(&bounds, simulation->product, NULL);
    if (!concrete_init(&trial->machine, simulation->product, bounds, NULL))
        return false;
    trial->beginnings = arena_array_of(trial->arena, IrOperation *, operations);
    trial->effects = arena_array_of(trial->arena, IrOperation, operations * abstracts + 1);
    trial->shared = arena_array_of(trial->arena, int, operations *abstracts + 1);
    trial->own = arena_array_of(trial->arena, bool, operations *abstracts + 1);
    for (int o = 0; o < (int)operations; o++) {
        int steps = (int)program->operations.at[o].subops.count;
        trial->beginnings[o] = arena_array_of(trial->arena, IrOperation, (size_t)steps + 1);
        for (int prefix = 1; prefix <= steps; prefix++)
            trial->beginnings[o][prefix] =
                simulation_beginning(trial->arena, simulation, o, prefix, prefix < steps);
        for (int a = 0; a < (int)abstracts; a++) {
            size_t at = (size_t)o * abstracts + (size_t)a;
            int path = o, shared = steps;
            while (shared > 0 && !simulation_is_effect_of(simulation, o, shared, a, &path))
                shared--;
            if (shared == 0)
                continue;
            IrOperation effect = simulation_beginning(trial->arena, simulation, o, 1, false);
            memset(&effect.subops.at[0].statements, 0, sizeof effect.subops.at[0].statements);
            simulation_append(trial->arena, simulation, &effect, o, path, a, false);
            if (effect.locals.count > CONCRETE_LOCALS)
                return false;
            trial->effects[at] = effect;
            trial->shared[at] = shared;
            trial->own[at] = path == o;
        }
    }
    return true;
}

void simulation_guess_effects(Arena *arena, Simulation *simulation)
{
    const IrProgram *program = simulation->proved->program;
    Trial *trial = arena_new_of(arena, Trial);
    *trial = (Trial){.arena = arena, .simulation = simulation, .random = {1}};
    bool tried = trial_begin(trial);
    for (int o = 0; o < (int)program->operations.count; o++) {
        const IrOperation *op = &program->operations.at[o];
        int steps = (int)op->subops.count;
        bool open = tried && steps < 60 && !op->internal && steps > 1 &&
                    !ir_operation_reads_only(op, steps - 1);
        uint64_t good = open ? trial_guess(trial, o) : (uint64_t)1 << MIN(steps, 60);
        arena_push(arena, &simulation->open, good);
        arena_push(arena, &simulation->effect, open ? trial_first(op, good) : steps);
    }
}
