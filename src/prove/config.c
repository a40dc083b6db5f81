#include "prove/config.h"
#include "base/hash.h"
#include <string.h>

static uint64_t config_hash(const Specifier *specifier, const SpecConfig *config)
{
    uint64_t hash =
        hash_bytes(config->state.word, sizeof(int32_t) * (size_t)specifier->machine.words, 3);
    for (int i = 0; i < CONFIG_SLOTS; i++) {
        if (!config->slot[i].done)
            continue;
        hash = hash_combine(hash, (uint64_t)i * 64 + (uint64_t)config->slot[i].operation);
        for (int k = 0; k < CONCRETE_LOCALS; k++)
            if ((config->slot[i].locals.bound >> k) & 1)
                hash = hash_combine(
                    hash, (uint64_t)(uint32_t)config->slot[i].locals.value[k] * 32u + (uint64_t)k);
    }
    return hash;
}

static bool config_same(const Specifier *specifier, const SpecConfig *a, const SpecConfig *b)
{
    if (memcmp(a->state.word, b->state.word, sizeof(int32_t) * (size_t)specifier->machine.words) !=
        0)
        return false;
    for (int i = 0; i < CONFIG_SLOTS; i++) {
        if (a->slot[i].done != b->slot[i].done)
            return false;
        if (a->slot[i].done &&
            (a->slot[i].operation != b->slot[i].operation ||
             memcmp(&a->slot[i].locals, &b->slot[i].locals, sizeof(Locals)) != 0))
            return false;
    }
    return true;
}

/* Leaves out the words of the state that the specification does not have. */
static void config_copy(const Specifier *specifier, SpecConfig *to, const SpecConfig *from)
{
    concrete_copy(&specifier->machine, &to->state, &from->state);
    memcpy(to->slot, from->slot, sizeof to->slot);
}

static void config_set_add(const Specifier *specifier, ConfigSet *set, const SpecConfig *config)
{
    for (size_t i = 0; i < set->count; i++)
        if (config_same(specifier, &set->at[i], config))
            return;
    vec_reserve(set, set->count + 1);
    config_copy(specifier, &set->at[set->count++], config);
}

/* Returns a hash that is the same for every order of the members. */
uint64_t config_set_hash(const Specifier *specifier, const ConfigSet *set)
{
    uint64_t sum = set->count;
    for (size_t i = 0; i < set->count; i++)
        sum += hash_mix(config_hash(specifier, &set->at[i]));
    return sum;
}

void config_set_free(ConfigSet *set)
{
    vec_free(set);
}

typedef struct Initial {
    const Specifier *specifier;
    ConfigSet *set;
} Initial;

static bool specifier_initial(void *context, const ConcreteState *state, const Locals *locals)
{
    Initial *initial = context;
    SpecConfig config;
    memset(&config, 0, sizeof config);
    (void)locals;
    config.state = *state;
    config_set_add(initial->specifier, initial->set, &config);
    return true;
}

static size_t specifier_pair(const Specifier *specifier, int own, int abstract)
{
    return (size_t)own * specifier->program->specification->operations.count + (size_t)abstract;
}

/* Which local of OWN is each local of ABSTRACT: by the positions of arguments and results, if they
 * are of one method; else as those of another path, with the same first steps, that is. */
static void specifier_match_locals(const IrProgram *program, Arena *arena, const IrOperation *own,
                                   const IrOperation *abstract, int16_t *out)
{
    const IrOperation *path = strcmp(own->method, abstract->method) == 0 ? own : NULL;
    int *to_own = NULL;
    for (size_t i = 0; !path && i < program->operations.count; i++) {
        const IrOperation *other = &program->operations.at[i];
        if (other->internal || strcmp(other->method, abstract->method) != 0)
            continue;
        to_own = arena_array_of(arena, int, other->locals.count + 1);
        if (ir_operation_common_prefix(own, other, to_own) > 0)
            path = other;
    }
    for (size_t i = 0; i < abstract->locals.count; i++)
        out[i] = -1;
    for (size_t k = 0; path && k < abstract->ports.count; k++) {
        int local = ir_operation_port(path, k);
        if (abstract->ports.at[k] >= 0 && local >= 0)
            out[abstract->ports.at[k]] = (int16_t)(path == own ? local : to_own[local]);
    }
}

/* Matches methods and their arguments and results once, instead of at every step. */
static void specifier_match(Specifier *specifier, Arena *arena)
{
    const IrProgram *program = specifier->program, *spec = program->specification;
    size_t pairs = program->operations.count * spec->operations.count;
    specifier->same_method = arena_array_of(arena, bool, pairs + 1);
    specifier->local = arena_array_of(arena, int16_t, pairs * CONCRETE_LOCALS + 1);
    for (int a = 0; a < (int)program->operations.count; a++)
        for (int b = 0; b < (int)spec->operations.count; b++) {
            const IrOperation *own = &program->operations.at[a],
                              *abstract = &spec->operations.at[b];
            size_t pair = specifier_pair(specifier, a, b);
            specifier->same_method[pair] = strcmp(own->method, abstract->method) == 0;
            specifier_match_locals(program, arena, own, abstract,
                                   &specifier->local[pair * CONCRETE_LOCALS]);
        }
}

ConcreteBounds specifier_bounds(ConcreteBounds bounds)
{
    bounds.cells = MAX(MAX(bounds.cells, bounds.nodes), MAX(bounds.values, bounds.keys + 1)) + 2;
    bounds.nodes = 0;
    return bounds;
}

bool specifier_init(Specifier *specifier, Arena *arena, const IrProgram *program,
                    ConcreteBounds bounds, ConfigSet *initial, Error *error)
{
    const IrProgram *spec = program->specification;
    ASSERT(spec);
    *specifier = (Specifier){.program = program};
    if (!concrete_init(&specifier->machine, spec, bounds, error))
        return false;
    size_t count = program->operations.count;
    for (size_t i = 0; i < count; i++) {
        const IrOperation *op = &program->operations.at[i];
        specifier->point_limit = MAX(specifier->point_limit, (int)op->subops.count + 1);
    }
    specifier->alternative =
        arena_array_of(arena, bool, count *count *(size_t)specifier->point_limit + 1);
    size_t points = (size_t)specifier->point_limit;
    for (size_t a = 0; a < count; a++)
        for (size_t b = 0; b <= a; b++) {
            int common = ir_operation_common_prefix(&program->operations.at[a],
                                                    &program->operations.at[b], NULL);
            for (size_t p = 1; p <= (size_t)common; p++)
                specifier->alternative[(a * count + b) * points + p] =
                    specifier->alternative[(b * count + a) * points + p] = true;
        }
    specifier_match(specifier, arena);
    Initial context = {specifier, initial};
    concrete_initial(&specifier->machine, specifier_initial, &context);
    return true;
}

typedef struct Effect {
    const Specifier *specifier;
    const SpecConfig *from;
    int slot, operation;
    ConfigSet *out;
} Effect;

static bool specifier_effect(void *context, const ConcreteState *state, const Locals *locals)
{
    Effect *effect = context;
    SpecConfig config;
    memcpy(config.slot, effect->from->slot, sizeof config.slot);
    concrete_copy(&effect->specifier->machine, &config.state, state);
    config.slot[effect->slot].done = true;
    config.slot[effect->slot].operation = effect->operation;
    memset(&config.slot[effect->slot].locals, 0, sizeof(Locals));
    config.slot[effect->slot].locals.bound = locals->bound;
    for (int i = 0; i < CONCRETE_LOCALS; i++)
        if ((locals->bound >> i) & 1)
            config.slot[effect->slot].locals.value[i] = locals->value[i];
    config_set_add(effect->specifier, effect->out, &config);
    return true;
}

/* May the call, as it stands, have the effect of operation ABSTRACT of the specification? As
 * itself, or, if it has not returned, as another path with the same steps so far. */
static bool specifier_may_be(const Specifier *specifier, const PendingCall *call, bool returning,
                             int abstract)
{
    const IrProgram *program = specifier->program;
    size_t count = program->operations.count;
    for (size_t other = 0; other < count; other++) {
        const IrOperation *op = &program->operations.at[other];
        bool own = (int)other == call->operation;
        size_t at = ((size_t)call->operation * count + other) * (size_t)specifier->point_limit +
                    (size_t)call->point;
        if (!op->internal &&
            specifier->same_method[specifier_pair(specifier, (int)other, abstract)] &&
            (own || (!returning && specifier->alternative[at])))
            return true;
    }
    return false;
}

/* The call in SLOT takes effect now. */
static void specifier_take_effect(Specifier *specifier, const SpecConfig *from,
                                  const PendingCall *call, int slot, bool returning, ConfigSet *out)
{
    const IrProgram *program = specifier->program, *spec = program->specification;
    for (size_t operation = 0; operation < spec->operations.count; operation++) {
        const IrOperation *abstract = &spec->operations.at[operation];
        if (!specifier_may_be(specifier, call, returning, (int)operation))
            continue;
        Locals locals;
        memset(&locals, 0, sizeof locals);
        const int16_t *names =
            &specifier->local[specifier_pair(specifier, call->operation, (int)operation) *
                              CONCRETE_LOCALS];
        for (size_t i = 0; i < abstract->locals.count; i++) {
            int local = names[i];
            if (local >= 0 && ((call->locals.bound >> local) & 1)) {
                locals.value[i] = call->locals.value[local];
                locals.bound |= (uint32_t)1 << i;
            }
        }
        Effect effect = {specifier, from, slot, (int)operation, out};
        concrete_step(&specifier->machine, abstract, 0, call->id, &from->state, &locals, NULL,
                      specifier_effect, &effect);
    }
}

/* Did the effect in CONFIG foresee what the call returns? */
static bool specifier_foresaw(const Specifier *specifier, const SpecConfig *config,
                              const PendingCall *call, int slot)
{
    const IrOperation *abstract =
        &specifier->program->specification->operations.at[config->slot[slot].operation];
    size_t pair = specifier_pair(specifier, call->operation, config->slot[slot].operation);
    if (!specifier->same_method[pair])
        return false;
    for (size_t i = 0; i < abstract->locals.count; i++) {
        int local = specifier->local[pair * CONCRETE_LOCALS + i];
        if (local >= 0 && ((call->locals.bound >> local) & 1) &&
            ((config->slot[slot].locals.bound >> i) & 1) &&
            call->locals.value[local] != config->slot[slot].locals.value[i])
            return false;
    }
    return true;
}

void specifier_return(Specifier *specifier, const ConfigSet *before, const PendingCall *calls,
                      int count, int returning, ConfigSet *after)
{
    ConfigSet reached = {0}, ended = {0};
    for (size_t i = 0; i < before->count; i++)
        config_set_add(specifier, &reached, &before->at[i]);
    /* First others, in any order and number; then the one that returns. */
    for (size_t i = 0; i < reached.count; i++) {
        if (reached.at[i].slot[returning].done)
            continue;
        for (int slot = 0; slot < count; slot++) {
            if (slot == returning || !calls[slot].active || reached.at[i].slot[slot].done)
                continue;
            SpecConfig from; /* reached grows */
            config_copy(specifier, &from, &reached.at[i]);
            specifier_take_effect(specifier, &from, &calls[slot], slot, false, &reached);
        }
    }
    for (size_t i = 0; i < reached.count; i++) {
        if (reached.at[i].slot[returning].done)
            config_set_add(specifier, &ended, &reached.at[i]);
        else
            specifier_take_effect(specifier, &reached.at[i], &calls[returning], returning, true,
                                  &ended);
    }
    for (size_t i = 0; i < ended.count; i++) {
        if (!specifier_foresaw(specifier, &ended.at[i], &calls[returning], returning))
            continue;
        memset(&ended.at[i].slot[returning], 0, sizeof ended.at[i].slot[returning]);
        config_set_add(specifier, after, &ended.at[i]);
    }
    specifier->work += (long)(reached.count + ended.count) / 2;
    config_set_free(&reached);
    config_set_free(&ended);
}
