#include "prove/prover.h"
#include <string.h>

void prover_init(Prover *prover, Arena *arena, const IrProgram *program, unsigned effort)
{
    *prover = (Prover){.program = program, .arena = arena};
    term_pool_init(&prover->pool, arena);
    symbolic_init(&prover->symbolic, program, &prover->pool, arena);
    prover->solver = solver_new(&prover->pool, effort);
    prover->weak = arena_array_of(arena, uint64_t, program->operations.count);
    prover->skolem[0] = term_symbol(&prover->pool, term_new_symbol(&prover->pool, "any.n"));
    prover->skolem[1] = term_symbol(&prover->pool, term_new_symbol(&prover->pool, "any.m"));
}

void prover_free(Prover *prover)
{
    facts_free(prover->program, &prover->facts);
    prover_forget_assumptions(prover);
    hashmap_free(&prover->assumption_index);
    solver_free(prover->solver);
    symbolic_free(&prover->symbolic);
    term_pool_free(&prover->pool);
    vec_free(&prover->refuted);
}

int prover_points(const Prover *prover, int operation)
{
    return (int)prover->program->operations.at[operation].subops.count;
}

typedef struct Ground {
    Term term;
    IrType type;
} Ground;
typedef Vec(Ground) Grounds;

static void prover_add_ground(Grounds *out, Term term, IrType type)
{
    for (size_t i = 0; i < out->count; i++)
        if (out->at[i].term == term && ir_type_equal(out->at[i].type, type))
            return;
    vec_push(out, (Ground){term, type});
}

static bool prover_is_position(IrType type)
{
    return type.kind == KIND_INT || type.kind == KIND_KEY;
}

/* The nodes and positions that a question names; then, one step further, what they point to. */
static size_t prover_ground(Prover *prover, const SymState *state, const Instance *instances,
                            int count, Grounds *out)
{
    const IrProgram *program = prover->program;
    bool arrays = program->arrays.count > 0;
    for (int i = 0; i < count; i++) {
        const IrOperation *operation = symbolic_operation(&prover->symbolic, instances[i]);
        for (size_t l = 0; l < operation->locals.count; l++) {
            IrType type = operation->locals.at[l].type;
            if (ir_type_is_node(type) || (arrays && prover_is_position(type)))
                prover_add_ground(out, symbolic_local(&prover->symbolic, instances[i], (int)l),
                                  type);
        }
    }
    for (size_t g = 0; g < program->globals.count; g++) {
        IrType type = program->globals.at[g].type;
        if (ir_type_is_node(type) || (arrays && prover_is_position(type)))
            prover_add_ground(out, state->globals[g], type);
        if (arrays && program->counted_from > 0 && (int)g >= program->counted_from &&
            type.kind == KIND_INT) {
            Term one = term_number(&prover->pool, 1);
            prover_add_ground(out, term_sub(&prover->pool, state->globals[g], one), type);
            prover_add_ground(out, term_add(&prover->pool, state->globals[g], one), type);
        }
    }
    size_t named = out->count;
    for (size_t i = 0; i < named; i++)
        for (size_t a = 0; a < program->arrays.count; a++)
            if (prover_is_position(out->at[i].type) && ir_type_is_node(program->arrays.at[a].type))
                prover_add_ground(out,
                                  symbolic_read(&prover->symbolic, state,
                                                (int)(program->fields.count + a), out->at[i].term),
                                  program->arrays.at[a].type);
    size_t shallow = out->count;
    for (size_t i = 0; i < shallow; i++) {
        Ground ground = out->at[i];
        for (size_t f = 0; f < program->fields.count; f++)
            if (ir_type_is_node(ground.type) &&
                program->fields.at[f].structure == ground.type.structure &&
                ir_type_is_node(program->fields.at[f].type))
                prover_add_ground(out, symbolic_read(&prover->symbolic, state, (int)f, ground.term),
                                  program->fields.at[f].type);
    }
    return shallow;
}

Term prover_fact(Prover *prover, const SymState *state, Instance instance, const Fact *fact,
                 const Term *bound)
{
    return symbolic_formula(&prover->symbolic, state, instance, bound, fact->formula);
}

/* Arbitrary values may be of any kind. */
static bool prover_fits(const Prover *prover, Ground ground, IrType type)
{
    return ir_type_equal(ground.type, type) || ground.term == prover->skolem[0] ||
           ground.term == prover->skolem[1];
}

static void prover_make_assumptions(Prover *prover, const SymState *state,
                                    const Instance *instances, int count, bool skolems, Terms *out)
{
    Grounds grounds = {0};
    if (skolems)
        for (int i = 0; i < 2; i++)
            prover_add_ground(&grounds, prover->skolem[i], (IrType){KIND_NODE, -1});
    if (skolems && prover->program->counted_from > 0) {
        IrType position = {KIND_INT, -1};
        Term one = term_number(&prover->pool, 1);
        prover_add_ground(&grounds, term_sub(&prover->pool, prover->skolem[0], one), position);
        prover_add_ground(&grounds, term_add(&prover->pool, prover->skolem[0], one), position);
    }
    size_t shallow = prover_ground(prover, state, instances, count, &grounds);
    if (skolems) /* what the arbitrary nodes point to */
        for (size_t f = 0; f < prover->program->fields.count; f++)
            for (int i = 0; i < 2; i++)
                if (ir_type_is_node(prover->program->fields.at[f].type))
                    prover_add_ground(
                        &grounds,
                        symbolic_read(&prover->symbolic, state, (int)f, prover->skolem[i]),
                        prover->program->fields.at[f].type);
    Instance nobody = {0, -1};
    for (size_t i = 0; i < prover->facts.global.count; i++) {
        const Fact *fact = &prover->facts.global.at[i];
        Term bound[2] = {0, 0};
        if (fact->dead)
            continue;
        if (fact->bound_count == 0) {
            vec_push(out, prover_fact(prover, state, nobody, fact, NULL));
            continue;
        }
        size_t limit = fact->bound_count == 1 ? grounds.count : shallow;
        for (size_t a = 0; a < limit; a++) {
            if (!prover_fits(prover, grounds.at[a], fact->bound[0]))
                continue;
            bound[0] = grounds.at[a].term;
            for (size_t b = 0; b < (fact->bound_count == 1 ? 1 : limit); b++) {
                if (fact->bound_count == 2 && !prover_fits(prover, grounds.at[b], fact->bound[1]))
                    continue;
                bound[1] = grounds.at[b].term;
                vec_push(out, prover_fact(prover, state, nobody, fact, bound));
            }
        }
    }
    for (int i = 0; i < count; i++) {
        Term id = symbolic_id(&prover->symbolic, instances[i]);
        vec_push(out, term_lt(&prover->pool, term_number(&prover->pool, 1), id));
        for (int k = 0; k < i; k++)
            vec_push(out, term_not(&prover->pool,
                                   term_eq(&prover->pool, id,
                                           symbolic_id(&prover->symbolic, instances[k]))));
    }
    vec_free(&grounds);
}

/* All that what is assumed depends on, apart from the global facts. */
static void prover_assumption_key(const Prover *prover, const SymState *state,
                                  const Instance *instances, int count, bool skolems, Terms *key)
{
    vec_push(key, (Term)(skolems + 2 * state->empty));
    for (int i = 0; i < count; i++)
        vec_push(key, (Term)(instances[i].number * 65536 + instances[i].operation + 1));
    for (size_t g = 0; g < prover->program->globals.count; g++)
        vec_push(key, state->globals[g]);
    for (int map = 0; map < prover->symbolic.map_count; map++) {
        size_t length = key->count;
        vec_push(key, 0);
        for (const Write *w = state->maps[map]; w; w = w->before) {
            vec_push(key, w->index);
            vec_push(key, w->value);
        }
        key->at[length] = (Term)(key->count - length);
    }
}

static bool prover_has_none(const Prover *prover)
{
    for (size_t i = 0; i < prover->facts.global.count; i++)
        if (!prover->facts.global.at[i].dead &&
            ir_formula_has_none(prover->facts.global.at[i].formula))
            return true;
    return false;
}

void prover_forget_assumptions(Prover *prover)
{
    for (size_t i = 0; i < prover->assumptions.count; i++) {
        vec_free(&prover->assumptions.at[i].key);
        vec_free(&prover->assumptions.at[i].terms);
    }
    vec_free(&prover->assumptions);
    hashmap_clear(&prover->assumption_index);
}

/* Questions about the same states come again and again, from many sides. */
void prover_assume(Prover *prover, const SymState *state, const Instance *instances, int count,
                   bool skolems, Terms *out)
{
    Terms key = {0};
    if (prover_has_none(prover)) { /* what `none' stands for depends on the question */
        prover_make_assumptions(prover, state, instances, count, skolems, out);
        return;
    }
    prover_assumption_key(prover, state, instances, count, skolems, &key);
    uint64_t hash = hash_bytes(key.at, sizeof(Term) * key.count, 11);
    bool absent;
    uint64_t *slot = hashmap_put(&prover->assumption_index, hash, &absent);
    const Assumptions *known = absent ? NULL : &prover->assumptions.at[*slot];
    if (!known || known->key.count != key.count ||
        memcmp(known->key.at, key.at, sizeof(Term) * key.count) != 0) {
        Assumptions made = {.key = {key.at, key.count, key.capacity}};
        prover_make_assumptions(prover, state, instances, count, skolems, &made.terms);
        *slot = prover->assumptions.count;
        vec_push(&prover->assumptions, made);
        known = &vec_last(&prover->assumptions);
    } else {
        vec_free(&key);
    }
    for (size_t i = 0; i < known->terms.count; i++)
        vec_push(out, known->terms.at[i]);
}

void prover_assume_point(Prover *prover, const SymState *state, Instance instance, int point,
                         Terms *out)
{
    const FactList *list = &prover->facts.points[instance.operation][point];
    for (size_t i = 0; i < list->count; i++)
        if (!list->at[i].dead)
            vec_push(out, prover_fact(prover, state, instance, &list->at[i], NULL));
}

bool prover_is_weak(const Prover *prover, int operation, int number)
{
    return (prover->weak[operation] >> number) & 1;
}

void prover_run(Prover *prover, Instance instance, int number, SymState *state, Terms *conditions)
{
    if (prover_is_weak(prover, instance.operation, number))
        prover_assume_point(prover, state, instance, number + 1, conditions);
    else
        symbolic_run(&prover->symbolic,
                     &prover->program->operations.at[instance.operation].subops.at[number],
                     instance, state, conditions);
}

void prover_run_range(Prover *prover, Instance instance, int from, int to, SymState *state,
                      Terms *conditions)
{
    for (int i = from; i < to; i++)
        prover_run(prover, instance, i, state, conditions);
}

/* A fact of the user's is refused with the state and the step that break it. */
static void prover_refute(Prover *prover, const Fact *fact, const SymState *before,
                          const Instance *instances, int count, const char *step, bool witness)
{
    if (!witness && solver_out_of_time(prover->solver))
        return; /* nobody has looked */
    if (witness && prover->incomplete)
        return; /* facts that were only not proved may be what the state lacks */
    const IrOperation *operation =
        fact->user->operation < 0 ? NULL : &prover->program->operations.at[fact->user->operation];
    Buffer *out = &prover->refuted;
    buffer_printf(out, "%s:%d: the fact ", prover->program->path, fact->user->line);
    fact_print(out, prover->program, operation, fact);
    buffer_printf(out, " does not hold: %s breaks it", step);
    if (witness) {
        buffer_printf(out, " in the state\n");
        prover_print_state(prover, before, instances, count, out);
    } else {
        buffer_printf(out, " (the solver found no proof in time)\n");
    }
}

bool prover_drop(Prover *prover, FactList *list, const Terms *goals, const SymState *before,
                 const Instance *instances, int count, const char *step)
{
    bool changed = false;
    for (;;) {
        Term some = term_false(&prover->pool);
        for (size_t i = 0; i < list->count; i++)
            if (!list->at[i].dead)
                some = term_or(&prover->pool, some, term_not(&prover->pool, goals->at[i]));
        if (some == term_false(&prover->pool))
            return changed;
        solver_push(prover->solver);
        solver_assert(prover->solver, some);
        SolverAnswer answer = solver_check(prover->solver);
        size_t killed = 0;
        for (size_t i = 0; i < list->count && answer == ANSWER_YES; i++) {
            Fact *fact = &list->at[i];
            if (fact->dead || solver_holds(prover->solver, goals->at[i]))
                continue;
            fact->dead = true;
            killed++;
            if (fact->user)
                prover_refute(prover, fact, before, instances, count, step, true);
        }
        solver_pop(prover->solver);
        if (answer == ANSWER_NO)
            return changed;
        changed = true;
        if (list == &prover->facts.global)
            prover_forget_assumptions(prover);
        if (killed > 0)
            continue;
        /* No answer, or one that can't be evaluated: what is not proved is not assumed. */
        prover->incomplete = true;
        for (size_t i = 0; i < list->count; i++) {
            Fact *fact = &list->at[i];
            if (fact->dead || goals->at[i] == term_true(&prover->pool))
                continue;
            fact->dead = true;
            if (fact->user)
                prover_refute(prover, fact, before, instances, count, step, false);
        }
    }
}

void prover_print_state(Prover *prover, const SymState *state, const Instance *instances, int count,
                        Buffer *out)
{
    const IrProgram *program = prover->program;
    typedef struct {
        int64_t value;
        int structure;
    } Node;
    Vec(Node) nodes = {0};
    buffer_printf(out, "   ");
    for (size_t g = 0; g < program->globals.count; g++) {
        int64_t value = solver_value(prover->solver, state->globals[g]);
        buffer_printf(out, " %s=%lld", program->globals.at[g].name, (long long)value);
        if (ir_type_is_node(program->globals.at[g].type) && value != 0)
            vec_push(&nodes, (Node){value, program->globals.at[g].type.structure});
    }
    for (int i = 0; i < count; i++) {
        const IrOperation *operation = symbolic_operation(&prover->symbolic, instances[i]);
        buffer_printf(out, "%s %s(", i > 0 || program->globals.count > 0 ? ";" : "",
                      operation->name);
        for (size_t l = 0; l < operation->locals.count; l++) {
            int64_t value = solver_value(prover->solver,
                                         symbolic_local(&prover->symbolic, instances[i], (int)l));
            buffer_printf(out, "%s%s=%lld", l > 0 ? " " : "", operation->locals.at[l].name,
                          (long long)value);
            if (ir_type_is_node(operation->locals.at[l].type) && value != 0)
                vec_push(&nodes, (Node){value, operation->locals.at[l].type.structure});
        }
        buffer_printf(out, ")");
    }
    buffer_printf(out, "\n");
    for (size_t i = 0; i < nodes.count; i++) {
        bool seen = false;
        for (size_t k = 0; k < i; k++)
            seen |= nodes.at[k].value == nodes.at[i].value;
        if (seen)
            continue;
        buffer_printf(out, "    node %lld:", (long long)nodes.at[i].value);
        Term index = term_number(&prover->pool, nodes.at[i].value);
        for (size_t f = 0; f < program->fields.count; f++)
            if (program->fields.at[f].structure == nodes.at[i].structure)
                buffer_printf(
                    out, " %s=%lld", program->fields.at[f].name,
                    (long long)solver_value(
                        prover->solver, symbolic_read(&prover->symbolic, state, (int)f, index)));
        buffer_printf(out, "\n");
    }
    vec_free(&nodes);
}
