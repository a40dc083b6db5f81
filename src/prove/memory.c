#include "prove/memory.h"
#include <string.h>

typedef struct Memory {
    Prover *prover;
    Instance u;
    int step;
    const IrExpr *culprit; /* the node that may not be allocated, */
    const char *state; /* for example in this state, in the words of the program; NULL: unknown */
} Memory;

/* Keeps the state before the step that the solver has found. */
static void memory_note_state(Memory *memory)
{
    Prover *prover = memory->prover;
    SymState start = symbolic_unknown(&prover->symbolic);
    Buffer text = {0};
    prover_print_state(prover, &start, &memory->u, 1, &text);
    while (text.count > 0 && text.at[text.count - 1] == '\n')
        text.at[--text.count] = '\0';
    memory->state = str_copy(prover->arena, buffer_str(&text));
    vec_free(&text);
}

/* Is the node E, whose field is read or written in STATE, allocated? TERMS holds there. */
static bool memory_is_allocated(Memory *memory, const SymState *state, const Terms *terms,
                                const IrExpr *e)
{
    Prover *prover = memory->prover;
    Instance nobody[] = {memory->u};
    const IrFormula *live = ir_formula_live(prover->arena, e);
    const IrFormula *null =
        ir_formula_compare(prover->arena, FORMULA_EQ, e, ir_number(prover->arena, 0));
    symbolic_set_query(&prover->symbolic, nobody, 1);
    Term is_null = symbolic_formula(&prover->symbolic, state, memory->u, NULL, null);
    Term is_live = symbolic_formula(&prover->symbolic, state, memory->u, NULL, live);
    /* In a model, reading a field of NULL is an error; in the notation of operations the step
     * waits. Where nobody frees nodes, what is not NULL is allocated. */
    Term goal = !prover->program->id_is_thread ? term_or(&prover->pool, is_null, is_live)
                : prover->program->manual      ? is_live
                                               : term_not(&prover->pool, is_null);
    solver_push(prover->solver);
    solver_assume_all(prover->solver, terms);
    solver_assert(prover->solver, term_not(&prover->pool, goal));
    SolverAnswer answer = solver_check(prover->solver);
    memory->state = NULL;
    if (answer == ANSWER_YES)
        memory_note_state(memory);
    solver_pop(prover->solver);
    if (answer != ANSWER_NO)
        memory->culprit = e;
    return answer == ANSWER_NO;
}

/* All nodes that E dereferences, inner ones first. */
static bool memory_expr(Memory *memory, const SymState *state, const Terms *terms, const IrExpr *e)
{
    return !e ||
           (memory_expr(memory, state, terms, e->a) && memory_expr(memory, state, terms, e->b) &&
            (e->kind != IR_FIELD || memory_is_allocated(memory, state, terms, e->a)));
}

/* A quantified formula may look at any node: only one that looks at none is let through. */
static bool memory_has_field(const IrExpr *e)
{
    return e && (e->kind == IR_FIELD || memory_has_field(e->a) || memory_has_field(e->b));
}

static bool memory_none_is_blind(const IrFormula *f)
{
    return !f ||
           (f->kind != FORMULA_LIVE && !memory_has_field(f->left) && !memory_has_field(f->right) &&
            memory_none_is_blind(f->a) && memory_none_is_blind(f->b));
}

static bool memory_formula(Memory *memory, const SymState *state, const Terms *terms,
                           const IrFormula *f)
{
    if (!f)
        return true;
    if (f->kind == FORMULA_NONE)
        return !ir_type_is_node(f->bound) && memory_none_is_blind(f->a);
    if (f->kind == FORMULA_LIVE && !memory_is_allocated(memory, state, terms, f->left))
        return false;
    return memory_expr(memory, state, terms, f->left) &&
           memory_expr(memory, state, terms, f->right) &&
           memory_formula(memory, state, terms, f->a) && memory_formula(memory, state, terms, f->b);
}

/* The conditions of a step are looked at together: each that looks only at allocated nodes, by
 * itself or given those found so before, has the same value in s and t. */
static bool memory_guards(Memory *memory, const SubOp *subop, const SymState *start,
                          const Terms *known)
{
    Prover *prover = memory->prover;
    size_t count = subop->guards.count;
    bool *done = arena_array_of(prover->arena, bool, count + 1), progress = true, all = true;
    while (progress) {
        SubOp seen = {.label = subop->label};
        SymState state = *start;
        Terms terms = {0};
        progress = false;
        all = true;
        for (size_t i = 0; i < count; i++)
            if (done[i])
                arena_push(prover->arena, &seen.guards, subop->guards.at[i]);
        for (size_t i = 0; i < known->count; i++)
            vec_push(&terms, known->at[i]);
        symbolic_run(&prover->symbolic, &seen, memory->u, &state, &terms);
        for (size_t i = 0; i < count; i++) {
            bool now = done[i] || memory_formula(memory, start, &terms, subop->guards.at[i]);
            progress |= now && !done[i];
            all &= now;
            done[i] = now;
        }
        vec_free(&terms);
        progress &= !all;
    }
    return all;
}

static bool memory_statement(Memory *memory, const SymState *state, const Terms *terms,
                             const IrOperation *op, const IrStatement *s)
{
    switch (s->kind) {
    case IR_NEW:
        return true;
    case IR_FREE:
        return memory_is_allocated(
            memory, state, terms,
            ir_variable(memory->prover->arena, IR_LOCAL, s->local, op->locals.at[s->local].type));
    case IR_SET:
        return memory_expr(memory, state, terms, s->value) &&
               memory_expr(memory, state, terms, s->target);
    case IR_ASSUME:
        return memory_formula(memory, state, terms, s->condition);
    }
    return false;
}

static bool memory_step(Memory *memory)
{
    Prover *prover = memory->prover;
    const IrOperation *op = &prover->program->operations.at[memory->u.operation];
    const SubOp *subop = &op->subops.at[memory->step];
    SymState start = symbolic_unknown(&prover->symbolic);
    Terms known = {0};
    prover_assume(prover, &start, &memory->u, 1, false, &known);
    prover_assume_point(prover, &start, memory->u, memory->step, &known);
    symbolic_set_query(&prover->symbolic, &memory->u, 1);
    bool good = memory_guards(memory, subop, &start, &known);
    for (size_t i = 0; i < subop->statements.count && good; i++) {
        SubOp before = *subop; /* the same vectors, but cut short */
        SymState state = start;
        Terms terms = {0};
        before.statements.count = i;
        for (size_t k = 0; k < known.count; k++)
            vec_push(&terms, known.at[k]);
        symbolic_run(&prover->symbolic, &before, memory->u, &state, &terms);
        good = memory_statement(memory, &state, &terms, op, &subop->statements.at[i]);
        vec_free(&terms);
    }
    vec_free(&known);
    return good;
}

const char *memory_check(Prover *prover)
{
    const IrProgram *program = prover->program;
    for (int o = 0; o < (int)program->operations.count; o++) {
        const IrOperation *op = &program->operations.at[o];
        for (int step = 0; step < (int)op->subops.count; step++) {
            Memory memory = {.prover = prover, .u = {0, o}, .step = step};
            if (memory_step(&memory))
                continue;
            Buffer text = {0};
            buffer_printf(&text, "%s of %s may touch a node that is not allocated",
                          op->subops.at[step].label, op->name);
            if (memory.culprit) {
                buffer_printf(&text, ", ");
                ir_expr_print(&text, program, op, memory.culprit);
            }
            if (memory.culprit && memory.state)
                buffer_printf(&text, ": for example from the state\n%s", memory.state);
            const char *reason = str_copy(prover->arena, buffer_str(&text));
            vec_free(&text);
            return reason;
        }
    }
    return NULL;
}
