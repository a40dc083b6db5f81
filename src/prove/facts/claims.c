#include "prove/facts/claims.h"

bool claims_exist(const SubOp *subop)
{
    for (size_t i = 0; i < subop->statements.count; i++)
        if (subop->statements.at[i].claimed)
            return true;
    return false;
}

/* Does the claim in statement AT of the step follow from what comes before? */
static bool claims_hold(Prover *prover, int operation, int step, size_t at)
{
    const SubOp *subop = &prover->program->operations.at[operation].subops.at[step];
    Instance u = {0, operation};
    SymState state = symbolic_unknown(&prover->symbolic);
    SubOp before = *subop; /* the same vectors, but cut short */
    Terms base = {0};
    before.statements.count = at;
    prover_assume(prover, &state, &u, 1, false, &base);
    prover_assume_point(prover, &state, u, step, &base);
    symbolic_set_query(&prover->symbolic, &u, 1);
    symbolic_run(&prover->symbolic, &before, u, &state, &base);
    prover->symbolic.to_show = true;
    Term claim =
        symbolic_formula(&prover->symbolic, &state, u, NULL, subop->statements.at[at].condition);
    prover->symbolic.to_show = false;
    solver_push(prover->solver);
    solver_assume_all(prover->solver, &base);
    solver_assert(prover->solver, term_not(&prover->pool, claim));
    SolverAnswer answer = solver_check(prover->solver);
    solver_pop(prover->solver);
    vec_free(&base);
    if (answer == ANSWER_UNKNOWN)
        prover->incomplete = true;
    return answer == ANSWER_NO;
}

const char *claims_check(Prover *prover, int operation)
{
    const IrOperation *op = &prover->program->operations.at[operation];
    for (int step = 0; step < (int)op->subops.count; step++) {
        const SubOp *subop = &op->subops.at[step];
        for (size_t i = 0; i < subop->statements.count; i++)
            if (subop->statements.at[i].claimed && !claims_hold(prover, operation, step, i)) {
                Buffer text = {0};
                buffer_printf(&text, "the assertion ");
                ir_formula_print(&text, prover->program, op, subop->statements.at[i].condition);
                buffer_printf(&text, " at %s of %s (%s:%d) holds (heddle refine checks it)",
                              subop->label, op->name, prover->program->path, subop->line);
                const char *copy = str_copy(prover->arena, buffer_str(&text));
                vec_free(&text);
                return copy;
            }
    }
    return NULL;
}
