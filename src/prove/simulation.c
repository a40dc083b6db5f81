#include "prove/simulation_private.h"
#include "prove/facts/facts_simulation.h"
#include "prove/facts/houdini.h"
#include "base/stop.h"
#include <string.h>

enum { U = 0 };

/* ---- the operations of the product ---- */

static void simulation_add_case(Arena *arena, Simulation *simulation, IrOperation op,
                                SimulationCase one)
{
    op.name = op.method = arena_printf(
        arena, "%s/%d%s%s", simulation->proved->program->operations.at[one.operation].name,
        one.prefix, one.abstract >= 0 ? " with " : "",
        one.abstract >= 0 ? simulation->specification->operations.at[one.abstract].name : "");
    arena_push(arena, &simulation->product->operations, op);
    arena_push(arena, &simulation->cases, one);
}

/* The ways of the specification have their own locals, all of which each operation has. */
static void simulation_add_cases(Arena *arena, Simulation *simulation, int operation, int prefix,
                                 bool effect)
{
    int steps = (int)simulation->proved->program->operations.at[operation].subops.count;
    size_t from = simulation->cases.count;
    IrOperation begins = simulation_beginning(arena, simulation, operation, prefix, prefix < steps);
    for (int a = 0; a < (int)simulation->specification->operations.count && effect; a++) {
        if (!simulation_is_effect_of(simulation, operation, a))
            continue;
        IrOperation op = begins;
        arena_own(arena, &op.subops);
        arena_own(arena, &op.subops.at[0].statements);
        simulation_append(arena, simulation, &op, operation, a, true);
        begins.locals.at = op.locals.at; /* the next way's come after these */
        begins.locals.count = begins.locals.capacity = op.locals.count;
        simulation_add_case(arena, simulation, op, (SimulationCase){operation, prefix, a});
    }
    for (size_t i = from; i < simulation->cases.count; i++)
        simulation->product->operations.at[i].locals = begins.locals;
    if (!effect)
        simulation_add_case(arena, simulation, begins, (SimulationCase){operation, prefix, -1});
}

static void simulation_make_product(Arena *arena, Simulation *simulation)
{
    const IrProgram *program = simulation->proved->program;
    for (int o = 0; o < (int)program->operations.count; o++) {
        const IrOperation *op = &program->operations.at[o];
        int steps = (int)op->subops.count;
        for (int prefix = 1; prefix < steps; prefix++)
            if (!ir_operation_reads_only(op, prefix) || simulation->effect.at[o] <= prefix)
                simulation_add_cases(arena, simulation, o, prefix,
                                     simulation->effect.at[o] <= prefix);
        simulation_add_cases(arena, simulation, o, steps, !op->internal);
    }
}

/* ---- the specification can follow ---- */

typedef struct Follow { /* one question */
    Simulation *simulation;
    int operation, prefix;
    int number;   /* of the first operation of the product that begins so: its locals are meant */
    size_t first; /* of its statements that is the specification's */
    bool finished;
    Terms given; /* what is known, and what the specification's own locals are by definition */
    Term some;   /* one of the ways of the specification is open */
} Follow;

/* May the local still have any value that an equation of the specification gives it? The
 * specification's own may; so may the result of an operation that has not got it yet. */
static bool follow_is_open(const Follow *follow, const IrOperation *op, int local)
{
    const IrProgram *program = follow->simulation->proved->program;
    const IrOperation *original = &program->operations.at[follow->operation];
    if ((size_t)local >= original->locals.count)
        return true;
    if (follow->finished || (program->id_is_thread && ir_operation_port(original, 0) != local))
        return false; /* an argument that nobody has looked at may be anything */
    for (size_t i = 0; i < follow->first; i++)
        if (ir_statement_uses_local(&op->subops.at[0].statements.at[i], local))
            return false;
    return true;
}

/* Is S an equation that gives its value to a local that is open and not DONE? */
static bool follow_defines(const Follow *follow, const IrOperation *op, const IrStatement *s,
                           const bool *done)
{
    const IrExpr *sides[2] = {s->target, s->value};
    if (s->kind == IR_ASSUME) {
        if (s->condition->kind != FORMULA_EQ)
            return false;
        sides[0] = s->condition->left;
        sides[1] = s->condition->right;
    } else if (s->kind != IR_SET || s->target->kind != IR_LOCAL) {
        return false;
    }
    for (int i = 0; i < 2; i++) {
        const IrExpr *x = sides[i];
        if (x->kind == IR_LOCAL && !done[x->index] && !ir_expr_uses_local(sides[1 - i], x->index) &&
            follow_is_open(follow, op, x->index))
            return true;
    }
    return false;
}

/* One way: OP is the beginning, and then the specification's statements. */
static void follow_way(Follow *follow, const IrOperation *op, const SymState *start)
{
    Prover *prover = &follow->simulation->prover;
    const SubOp *step = &op->subops.at[0];
    Instance u = {U, follow->number};
    SymState state = *start;
    Terms conditions = {0};
    bool *done = arena_array_of(prover->arena, bool, op->locals.count + 1);
    Term way = term_true(&prover->pool);
    for (size_t i = follow->first; i < step->statements.count; i++) {
        const IrStatement *s = &step->statements.at[i];
        SubOp one = {.label = step->label};
        bool defines = follow_defines(follow, op, s, done);
        one.statements.at = &step->statements.at[i];
        one.statements.count = 1;
        vec_clear(&conditions);
        symbolic_run(&prover->symbolic, &one, u, &state, &conditions);
        for (size_t k = 0; k < conditions.count; k++)
            if (defines)
                vec_push(&follow->given, conditions.at[k]);
            else
                way = term_and(&prover->pool, way, conditions.at[k]);
        for (size_t l = 0; l < op->locals.count; l++)
            done[l] |= ir_statement_uses_local(s, (int)l);
    }
    follow->some = term_or(&prover->pool, follow->some, way);
    vec_free(&conditions);
}

static void follow_explain(Follow *follow, const SymState *state)
{
    Simulation *simulation = follow->simulation;
    Prover *prover = &simulation->prover;
    const IrOperation *op = &simulation->proved->program->operations.at[follow->operation];
    Instance u = {U, follow->number};
    Buffer text = {0};
    buffer_printf(&text, "%s%s%s may do what its specification does not, for all that was found: ",
                  op->name, follow->finished ? "" : " up to ",
                  follow->finished ? "" : op->subops.at[follow->prefix - 1].label);
    buffer_printf(&text, "for example from the state\n");
    prover_print_state(prover, state, &u, 1, &text);
    while (text.count > 0 && text.at[text.count - 1] == '\n')
        text.at[--text.count] = '\0';
    simulation->reason = str_copy(prover->arena, buffer_str(&text));
    vec_free(&text);
}

/* Whenever a beginning runs from R, is one of its ways open, the cases [FROM, END)? */
static bool simulation_can_follow(Simulation *simulation, size_t from, size_t end)
{
    Prover *prover = &simulation->prover;
    const SimulationCase one = simulation->cases.at[from];
    const IrOperation *original = &simulation->proved->program->operations.at[one.operation];
    bool finished = one.prefix == (int)original->subops.count;
    IrOperation begins =
        simulation_beginning(prover->arena, simulation, one.operation, one.prefix, !finished);
    Follow follow = {.simulation = simulation,
                     .operation = one.operation,
                     .prefix = one.prefix,
                     .number = (int)from,
                     .first = begins.subops.at[0].statements.count,
                     .finished = finished,
                     .some = term_false(&prover->pool)};
    Instance u = {U, (int)from};
    SymState state = symbolic_unknown(&prover->symbolic), after = state;
    symbolic_set_query(&prover->symbolic, &u, 1);
    prover_assume(prover, &state, &u, 1, false, &follow.given);
    symbolic_run(&prover->symbolic, &begins.subops.at[0], u, &after, &follow.given);
    prover->symbolic.to_show = true;
    for (size_t i = from; i < end; i++)
        follow_way(&follow, &simulation->product->operations.at[i], &after);
    prover->symbolic.to_show = false;
    solver_name_question(prover->solver, "specification-follows-%s.%d", original->name, one.prefix);
    solver_push(prover->solver);
    solver_assume_all(prover->solver, &follow.given);
    solver_assert(prover->solver, term_not(&prover->pool, follow.some));
    SolverAnswer answer = solver_check(prover->solver);
    if (answer == ANSWER_YES)
        follow_explain(&follow, &state);
    else if (answer == ANSWER_UNKNOWN)
        simulation->reason = "a question about them was left open";
    solver_pop(prover->solver);
    vec_free(&follow.given);
    return answer == ANSWER_NO;
}

static bool simulation_follows(Simulation *simulation)
{
    for (size_t i = 0; i < simulation->cases.count;) {
        size_t end = i + 1;
        while (end < simulation->cases.count &&
               simulation->cases.at[end].operation == simulation->cases.at[i].operation &&
               simulation->cases.at[end].prefix == simulation->cases.at[i].prefix)
            end++;
        if (simulation->cases.at[i].abstract >= 0 && !simulation_can_follow(simulation, i, end))
            return false;
        i = end;
    }
    return true;
}

void simulation_run(Arena *arena, const Prover *proved, const IrProgram *specification,
                    unsigned effort, Simulation *simulation)
{
    *simulation = (Simulation){.proved = proved, .specification = specification};
    if (!simulation_product_begin(arena, simulation))
        return;
    simulation_guess_effects(arena, simulation);
    simulation_make_product(arena, simulation);
    prover_init(&simulation->prover, arena, simulation->product, effort);
    facts_of_simulation(arena, simulation, &simulation->prover.facts);
    houdini_run(&simulation->prover);
    simulation_follows(simulation);
    if (stop_wanted())
        simulation->reason = "there was no time for it";
}

bool simulation_verify(Simulation *simulation)
{
    return houdini_verify(&simulation->prover) && simulation_follows(simulation);
}

void simulation_free(Simulation *simulation)
{
    if (simulation->prover.program)
        prover_free(&simulation->prover);
    simulation->prover = (Prover){0};
}
