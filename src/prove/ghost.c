#include "prove/ghost.h"
#include <string.h>

/* WITNESS: NULL, or the element about which `each' conditions are kept. */
static IrOperation ghost_copy_operation(Arena *arena, const IrOperation *original,
                                        const IrExpr *witness)
{
    IrOperation copy = *original;
    arena_own(arena, &copy.locals);
    arena_own(arena, &copy.subops);
    for (size_t i = 0; i < copy.subops.count; i++) {
        SubOp *subop = &copy.subops.at[i];
        const SubOp old = original->subops.at[i];
        arena_own(arena, &subop->statements);
        memset(&subop->guards, 0, sizeof subop->guards);
        /* The look at the witness has its own moment, at which the other conditions of the step,
         * unless they are about locals only, may not hold yet, or no more. */
        bool looks = false;
        for (size_t k = 0; witness && k < old.guards.count; k++)
            looks |=
                old.guards.at[k]->each && ir_type_equal(old.guards.at[k]->bound, witness->type);
        for (size_t k = 0; k < old.guards.count; k++) {
            const IrFormula *guard = old.guards.at[k];
            if (!guard->each && (!looks || ir_formula_is_pure(guard)))
                arena_push(arena, &subop->guards, guard);
            else if (looks && guard->each && ir_type_equal(guard->bound, witness->type))
                arena_push(arena, &subop->guards,
                           ir_formula_instantiate(arena, guard->a->a, witness));
        }
    }
    return copy;
}

Ghosted ghost_begin(Arena *arena, const IrProgram *program, IrType element)
{
    Ghosted ghosted = {.arena = arena, .program = arena_new_of(arena, IrProgram)};
    IrProgram *copy = ghosted.program;
    *copy = *program;
    copy->ghost_index = element;
    arena_own(arena, &copy->globals);
    arena_own(arena, &copy->fields);
    arena_own(arena, &copy->arrays);
    arena_own(arena, &copy->operations);
    for (size_t i = 0; i < copy->operations.count; i++)
        copy->operations.at[i] = ghost_copy_operation(arena, &program->operations.at[i], NULL);
    return ghosted;
}

void ghost_free(Ghosted *ghosted)
{
    vec_free(&ghosted->obligations);
    ghosted->program = NULL;
}

int ghost_array(Ghosted *ghosted, const char *name, IrType type, bool by_element)
{
    IrProgram *program = ghosted->program;
    ASSERT(by_element || program->ghost_arrays == 0);
    arena_push(ghosted->arena, &program->arrays, (IrVariable){name, type});
    program->ghost_arrays += by_element;
    return (int)program->arrays.count - 1;
}

void ghost_set(Ghosted *ghosted, int operation, int step, const IrExpr *target, const IrExpr *value)
{
    arena_push(ghosted->arena,
               &ghosted->program->operations.at[operation].subops.at[step].statements,
               (IrStatement){.kind = IR_SET, .target = target, .value = value});
}

void ghost_write(Ghosted *ghosted, int operation, int step, int array, const IrExpr *index,
                 const IrExpr *value)
{
    ghost_set(ghosted, operation, step, ghost_cell(ghosted, array, index), value);
}

int ghost_observer(Ghosted *ghosted, const IrProgram *original, int operation, bool witness)
{
    IrProgram *program = ghosted->program;
    const IrOperation *of = &program->operations.at[operation];
    const IrExpr *local =
        witness ? ir_variable(ghosted->arena, IR_LOCAL, (int)of->locals.count, program->ghost_index)
                : NULL;
    /* Conditions from the original, statements from the copy: they have the ghosts. */
    IrOperation copy =
        ghost_copy_operation(ghosted->arena, &original->operations.at[operation], local);
    for (size_t i = 0; i < copy.subops.count; i++) {
        copy.subops.at[i].statements = of->subops.at[i].statements;
        arena_own(ghosted->arena, &copy.subops.at[i].statements);
    }
    copy.observer = true;
    copy.witness = witness ? (int)of->locals.count : -1;
    copy.name = arena_printf(ghosted->arena, witness ? "%s.observed" : "%s.late", of->name);
    copy.ensures.count = copy.walks.count = 0;
    if (witness)
        arena_push(ghosted->arena, &copy.locals, (IrVariable){"other", program->ghost_index});
    arena_push(ghosted->arena, &program->operations, copy);
    return (int)program->operations.count - 1;
}

void ghost_require(Ghosted *ghosted, int operation, const IrFormula *condition)
{
    arena_push(ghosted->arena, &ghosted->program->operations.at[operation].subops.at[0].guards,
               condition);
}

void ghost_oblige(Ghosted *ghosted, int operation, int step, bool quantified,
                  const IrFormula *formula, const char *words)
{
    vec_push(&ghosted->obligations, (Obligation){operation, step, quantified, formula, words});
}

const IrExpr *ghost_local(const Ghosted *ghosted, int operation, int local)
{
    return ir_variable(ghosted->arena, IR_LOCAL, local,
                       ghosted->program->operations.at[operation].locals.at[local].type);
}

const IrExpr *ghost_cell(const Ghosted *ghosted, int array, const IrExpr *index)
{
    return ir_cell(ghosted->arena, ghosted->program, array, index);
}

const IrFormula *ghost_is(const Ghosted *ghosted, int array, const IrExpr *index, int64_t number)
{
    return ir_formula_compare(ghosted->arena, FORMULA_EQ, ghost_cell(ghosted, array, index),
                              ir_number(ghosted->arena, number));
}

const IrFormula *ghost_and(const Ghosted *ghosted, const IrFormula *a, const IrFormula *b)
{
    return ir_formula_join(ghosted->arena, FORMULA_AND, a, b);
}

const IrFormula *ghost_implies(const Ghosted *ghosted, const IrFormula *a, const IrFormula *b)
{
    return ir_formula_join(ghosted->arena, FORMULA_IMPLIES, a, b);
}

static const char *ghost_discharge_one(const Obligation *obligation, Prover *prover)
{
    const IrProgram *program = prover->program;
    const IrOperation *op = &program->operations.at[obligation->operation];
    const SubOp *subop = &op->subops.at[obligation->step];
    Instance u = {0, obligation->operation};
    SymState before = symbolic_unknown(&prover->symbolic), after = before;
    Terms base = {0};
    const char *reason = NULL;
    prover_assume(prover, &before, &u, 1, true, &base);
    prover_assume_point(prover, &before, u, obligation->step, &base);
    symbolic_set_query(&prover->symbolic, &u, 1);
    symbolic_run(&prover->symbolic, subop, u, &after, &base);
    Term goal =
        symbolic_formula(&prover->symbolic, &before, u, prover->skolem, obligation->formula);
    solver_push(prover->solver);
    solver_assume_all(prover->solver, &base);
    solver_assert(prover->solver, term_not(&prover->pool, goal));
    SolverAnswer answer = solver_check(prover->solver);
    if (answer == ANSWER_UNKNOWN)
        prover->incomplete = true;
    if (answer != ANSWER_NO) {
        Buffer text = {0};
        buffer_printf(&text, "at %s of %s %s", subop->label, op->name, obligation->words);
        if (answer == ANSWER_YES) {
            buffer_printf(&text, "; for example from the state\n");
            prover_print_state(prover, &before, &u, 1, &text);
            while (text.count > 0 && text.at[text.count - 1] == '\n')
                text.count--;
        }
        reason = str_copy(prover->arena, buffer_str(&text));
        vec_free(&text);
    }
    solver_pop(prover->solver);
    vec_free(&base);
    return reason;
}

const char *ghost_discharge(const Ghosted *ghosted, Prover *prover)
{
    for (size_t i = 0; i < ghosted->obligations.count; i++) {
        const char *reason = ghost_discharge_one(&ghosted->obligations.at[i], prover);
        if (reason)
            return reason;
    }
    return NULL;
}
