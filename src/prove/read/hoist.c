#include "prove/read/hoist.h"
#include <string.h>

/* The first step by which all locals of F are known. */
static size_t hoist_known_at(const IrOperation *operation, const IrFormula *f, size_t now)
{
    size_t at = 0;
    for (size_t l = 0; l < operation->locals.count; l++) {
        if (!ir_formula_uses_local(f, (int)l))
            continue;
        size_t first = 0;
        while (first < now && !ir_subop_uses_local(&operation->subops.at[first], (int)l))
            first++;
        at = MAX(at, first);
    }
    return at;
}

void hoist_conditions(Arena *arena, IrOperation *operation)
{
    for (size_t i = 0; i < operation->subops.count; i++) { /* others may share the vectors */
        SubOp *subop = &operation->subops.at[i], copy = *subop;
        memset(&copy.statements, 0, sizeof copy.statements);
        for (size_t k = 0; k < subop->statements.count; k++)
            arena_push(arena, &copy.statements, subop->statements.at[k]);
        *subop = copy;
    }
    for (size_t i = 1; i < operation->subops.count; i++) {
        SubOp *subop = &operation->subops.at[i], rest = *subop;
        memset(&rest.guards, 0, sizeof rest.guards);
        memset(&rest.statements, 0, sizeof rest.statements);
        for (size_t k = 0; k < subop->guards.count; k++) {
            const IrFormula *f = subop->guards.at[k];
            size_t at = ir_formula_is_pure(f) ? hoist_known_at(operation, f, i) : i;
            if (at < i)
                arena_push(arena, &operation->subops.at[at].statements,
                           (IrStatement){.kind = IR_ASSUME, .condition = f});
            else
                arena_push(arena, &rest.guards, f);
        }
        for (size_t k = 0; k < subop->statements.count; k++) {
            IrStatement s = subop->statements.at[k];
            size_t at = s.kind == IR_ASSUME && !s.claimed && ir_formula_is_pure(s.condition)
                            ? hoist_known_at(operation, s.condition, i)
                            : i;
            if (at < i)
                arena_push(arena, &operation->subops.at[at].statements, s);
            else
                arena_push(arena, &rest.statements, s);
        }
        *subop = rest;
    }
}
