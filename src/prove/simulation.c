#include "prove/simulation_private.h"
#include "prove/facts/facts_simulation.h"
#include "prove/facts/houdini.h"
#include "prove/read/text.h"
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
/* May the local, which the beginning OP (its first FIRST statements) does not use, still have any
 * value? The specification's own may, and so may a result. */
static bool simulation_is_open(const Simulation *simulation, int operation, const IrOperation *op,
                               size_t first, int local)
{
    const IrProgram *program = simulation->proved->program;
    const IrOperation *original = &program->operations.at[operation];
    bool argument = program->id_is_thread && ir_operation_port(original, 0) != local;
    if ((size_t)local < original->locals.count && argument)
        return false;
    for (size_t i = 0; i < first; i++)
        if (ir_statement_uses_local(&op->subops.at[0].statements.at[i], local))
            return false;
    return true;
}

/* The conditions of the way OP, whose own statements begin with number FIRST, as far as they are
 * looked at before anything changes and are not met by choosing a local; NULL: none. */
static const IrFormula *simulation_conditions(Arena *arena, const Simulation *simulation,
                                              int operation, const IrOperation *op, size_t first)
{
    const SubOp *step = &op->subops.at[0];
    const IrFormula *all = NULL;
    for (size_t i = first; i < step->statements.count; i++) {
        const IrFormula *f = step->statements.at[i].condition;
        if (step->statements.at[i].kind != IR_ASSUME)
            break;
        bool chosen = false;
        for (int side = 0; side < 2 && f->kind == FORMULA_EQ; side++) {
            const IrExpr *x = side ? f->right : f->left, *e = side ? f->left : f->right;
            chosen |= x->kind == IR_LOCAL && !ir_expr_uses_local(e, x->index) &&
                      simulation_is_open(simulation, operation, op, i, x->index);
        }
        if (!chosen)
            all = all ? ir_formula_join(arena, FORMULA_AND, all, f) : f;
    }
    return all;
}

/* The beginning OP, where none of the ways from case FROM on is open. */
static void simulation_add_rest(Arena *arena, Simulation *simulation, IrOperation op, size_t from,
                                SimulationCase one)
{
    size_t first = op.subops.at[0].statements.count;
    arena_own(arena, &op.subops);
    arena_own(arena, &op.subops.at[0].statements);
    for (size_t i = from; i < simulation->cases.count; i++) {
        const IrFormula *open = simulation_conditions(
            arena, simulation, one.operation, &simulation->product->operations.at[i], first);
        if (!open)
            return; /* it is always open */
        arena_push(arena, &op.subops.at[0].statements,
                   (IrStatement){.kind = IR_ASSUME, .condition = ir_formula_not(arena, open)});
    }
    simulation_add_case(arena, simulation, op, one);
}

static void simulation_add_cases(Arena *arena, Simulation *simulation, int operation, int prefix,
                                 bool effect)
{
    int steps = (int)simulation->proved->program->operations.at[operation].subops.count;
    size_t from = simulation->cases.count;
    IrOperation begins = simulation_beginning(arena, simulation, operation, prefix, prefix < steps);
    for (int a = 0; a < (int)simulation->specification->operations.count && effect; a++) {
        int path;
        if (!simulation_is_effect_of(simulation, operation, prefix, a, &path))
            continue;
        IrOperation op = begins;
        arena_own(arena, &op.subops);
        arena_own(arena, &op.subops.at[0].statements);
        simulation_append(arena, simulation, &op, operation, path, a, true);
        begins.locals.at = op.locals.at; /* the next way's come after these */
        begins.locals.count = begins.locals.capacity = op.locals.count;
        simulation_add_case(arena, simulation, op, (SimulationCase){operation, prefix, a});
    }
    if (prefix < steps && effect)
        simulation_add_rest(arena, simulation, begins, from,
                            (SimulationCase){operation, prefix, -1});
    for (size_t i = from; i < simulation->cases.count; i++)
        simulation->product->operations.at[i].locals = begins.locals;
    if (!effect)
        simulation_add_case(arena, simulation, begins, (SimulationCase){operation, prefix, -1});
}

bool simulation_is_known(const Simulation *simulation, int operation, int prefix)
{
    const IrProgram *program = simulation->proved->program;
    const IrOperation *op = &program->operations.at[operation];
    for (int o = 0; o < operation; o++) {
        const IrOperation *other = &program->operations.at[o];
        bool weak = false;
        for (int i = 0; i < prefix && i < (int)other->subops.count; i++)
            weak |= prover_is_weak(simulation->proved, operation, i) ||
                    prover_is_weak(simulation->proved, o, i);
        if (!weak && !op->internal && !other->internal && prefix < (int)other->subops.count &&
            ir_operation_common_prefix(op, other, NULL) >= prefix)
            return true;
    }
    return false;
}

static void simulation_make_product(Arena *arena, Simulation *simulation)
{
    const IrProgram *program = simulation->proved->program;
    for (int o = 0; o < (int)program->operations.count; o++) {
        const IrOperation *op = &program->operations.at[o];
        int steps = (int)op->subops.count;
        for (int prefix = 1; prefix < steps; prefix++)
            if ((!ir_operation_reads_only(op, prefix) || simulation->effect.at[o] <= prefix) &&
                !simulation_is_known(simulation, o, prefix))
                simulation_add_cases(arena, simulation, o, prefix,
                                     simulation->effect.at[o] <= prefix);
        simulation_add_cases(arena, simulation, o, steps, !op->internal);
    }
}

/* ---- the specification can follow ---- */

typedef struct Follow { /* one question */
    Simulation *simulation;
    int operation;
    int number;   /* of the first operation of the product that begins so: its locals are meant */
    size_t first; /* of its statements that is the specification's */
    Terms given;  /* what is known, and what the specification's own locals are by definition */
    Term some;    /* one of the ways of the specification is open */
} Follow;

/* May the local still have any value that an equation of the specification gives it? Its own may;
 * an argument that nobody has looked at may be anything. */
static bool follow_is_open(const Follow *follow, int local)
{
    const IrProgram *program = follow->simulation->proved->program;
    return (size_t)local >= program->operations.at[follow->operation].locals.count;
}

/* Does F say of a local that it is 1 where a formula holds, and 0 where that does not? Returns the
 * local; -1: no. */
static int follow_truth(const IrFormula *f)
{
    if (f->kind != FORMULA_OR || f->a->kind != FORMULA_AND || f->b->kind != FORMULA_AND ||
        f->a->a->kind != FORMULA_EQ || f->b->a->kind != FORMULA_EQ)
        return -1;
    const IrFormula *yes = f->a->a, *no = f->b->a, *otherwise = f->b->b;
    bool truth = yes->left->kind == IR_LOCAL && ir_expr_equal(yes->left, no->left) &&
                 yes->right->kind == IR_NUMBER && yes->right->number == 1 &&
                 no->right->kind == IR_NUMBER && no->right->number == 0 &&
                 otherwise->kind == FORMULA_NOT && ir_formula_equal(otherwise->a, f->a->b) &&
                 !ir_formula_uses_local(otherwise, yes->left->index);
    return truth ? yes->left->index : -1;
}

/* Does S give its value to a local that is open and not DONE: is it an equation, or says which
 * truth value that is? */
static bool follow_defines(const Follow *follow, const IrStatement *s, const bool *done)
{
    const IrExpr *sides[2] = {s->target, s->value};
    int truth = s->kind == IR_ASSUME ? follow_truth(s->condition) : -1;
    if (truth >= 0)
        return !done[truth] && follow_is_open(follow, truth);
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
            follow_is_open(follow, x->index))
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
        bool defines = follow_defines(follow, s, done);
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
    buffer_printf(&text,
                  "%s may do what its specification does not, for all that was found: ", op->name);
    buffer_printf(&text, "for example from the state\n");
    prover_print_state(prover, state, &u, 1, &text);
    buffer_printf(&text,
                  "    what helps: if that state can't be, `refinement' with what relates the "
                  "program to its specification");
    simulation->reason = str_copy(prover->arena, buffer_str(&text));
    vec_free(&text);
}

/* Whenever a beginning runs from R, is one of its ways open, the cases [FROM, END)? */
static bool simulation_can_follow(Simulation *simulation, size_t from, size_t end)
{
    Prover *prover = &simulation->prover;
    const SimulationCase one = simulation->cases.at[from];
    IrOperation begins =
        simulation_beginning(prover->arena, simulation, one.operation, one.prefix, false);
    Follow follow = {.simulation = simulation,
                     .operation = one.operation,
                     .number = (int)from,
                     .first = begins.subops.at[0].statements.count,
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
        simulation->failed = i;
        const SimulationCase *one = &simulation->cases.at[i];
        const IrOperation *op = &simulation->proved->program->operations.at[one->operation];
        bool finished = one->prefix == (int)op->subops.count;
        if (one->abstract >= 0 && finished && !simulation_can_follow(simulation, i, end))
            return false;
        i = end;
    }
    return true;
}

/* With the effects as they are guessed now. */
static void simulation_try(Arena *arena, Simulation *simulation, unsigned effort)
{
    simulation_free(simulation);
    memset(&simulation->product->operations, 0, sizeof simulation->product->operations);
    memset(&simulation->cases, 0, sizeof simulation->cases);
    simulation->reason = NULL;
    simulation_make_product(arena, simulation);
    prover_init(&simulation->prover, arena, simulation->product, effort);
    facts_of_simulation(arena, simulation, &simulation->prover.facts);
    houdini_run(&simulation->prover);
    simulation_follows(simulation);
}

/* Which operation is it that the specification can't follow? The first, if there are several. */
static int simulation_culprit(const Simulation *simulation)
{
    const SimulationCase *one = &simulation->cases.at[simulation->failed];
    return one->operation * 64 + one->prefix;
}

/* Steps other than the first guess, one operation after the other: one that gets further stays. */
static void simulation_try_others(Arena *arena, Simulation *simulation, unsigned effort)
{
    enum { TRIES = 16 };
    int tries = 0, best = simulation_culprit(simulation);
    for (size_t o = 0; o < simulation->effect.count; o++) {
        int kept = simulation->effect.at[o];
        uint64_t others = simulation->open.at[o] & ~((uint64_t)1 << kept);
        for (int k = 60; k > 0 && tries < TRIES && !stop_wanted(); k--) {
            if (!((others >> k) & 1))
                continue;
            simulation->effect.at[o] = k;
            simulation_try(arena, simulation, effort);
            tries++;
            if (!simulation->reason)
                return;
            if (simulation_culprit(simulation) > best) {
                best = simulation_culprit(simulation);
                kept = k;
            }
        }
        simulation->effect.at[o] = kept;
    }
    if (tries > 0)
        simulation_try(arena, simulation, effort);
}

void simulation_run(Arena *arena, const Prover *proved, const IrProgram *specification,
                    unsigned effort, Simulation *simulation)
{
    *simulation = (Simulation){.proved = proved, .specification = specification};
    Error error;
    if (!simulation_product_begin(arena, simulation))
        return;
    if (!text_read_refinement(arena, specification, simulation->product, &error)) {
        simulation->reason = str_copy(arena, (Str){error.message, strlen(error.message)});
        return;
    }
    simulation_guess_effects(arena, simulation);
    simulation_try(arena, simulation, effort);
    if (simulation->reason && !stop_wanted())
        simulation_try_others(arena, simulation, effort);
    if (stop_wanted())
        simulation->reason = "there was no time for it";
    else if (simulation->reason && simulation->prover.refuted.count > 0)
        simulation->reason = arena_printf(arena, "%s\n    %.*s", simulation->reason,
                                          (int)MIN(simulation->prover.refuted.count - 1, 1000),
                                          simulation->prover.refuted.at);
}

bool simulation_check_refinement(Arena *arena, const IrProgram *program, Error *error)
{
    const Prover named = {.program = program}; /* for its names */
    Simulation simulation = {.proved = &named, .specification = program->specification};
    return !simulation.specification || simulation.specification->refinement.length == 0 ||
           !simulation_product_begin(arena, &simulation) ||
           text_read_refinement(arena, simulation.specification, simulation.product, error);
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
