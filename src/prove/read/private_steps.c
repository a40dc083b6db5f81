#include "prove/read/private_steps.h"
#include <string.h>

/* Does the step touch nothing but nodes that this operation has allocated before (FRESH)? */
static bool private_step(const SubOp *subop, const bool *fresh)
{
    if (subop->guards.count > 0 || subop->statements.count == 0 || subop->anyone)
        return false;
    for (size_t i = 0; i < subop->statements.count; i++) {
        const IrStatement *s = &subop->statements.at[i];
        if (s->kind == IR_NEW)
            continue;
        if (s->kind != IR_SET || s->target->kind != IR_FIELD || s->target->a->kind != IR_LOCAL ||
            !fresh[s->target->a->index])
            return false;
        if (s->value->kind != IR_NUMBER && s->value->kind != IR_LOCAL)
            return false;
    }
    return true;
}

static bool private_guards_name(const SubOp *subop, const bool *fresh, size_t locals)
{
    for (size_t g = 0; g < subop->guards.count; g++)
        for (size_t l = 0; l < locals; l++)
            if (fresh[l] && ir_formula_uses_local(subop->guards.at[g], (int)l))
                return true;
    return false;
}

bool private_steps_join(Arena *arena, IrOperation *operation)
{
    bool *fresh = arena_array_of(arena, bool, operation->locals.count + 1), joined = false;
    while (operation->subops.count > 1) {
        SubOp *subop = &operation->subops.at[0], *next = &operation->subops.at[1];
        for (size_t k = 0; k < subop->statements.count; k++)
            if (subop->statements.at[k].kind == IR_NEW)
                fresh[subop->statements.at[k].local] = true;
        if (!private_step(subop, fresh) ||
            private_guards_name(next, fresh, operation->locals.count))
            break;
        SubOp both = *next;
        memset(&both.statements, 0, sizeof both.statements);
        for (size_t k = 0; k < subop->statements.count; k++)
            arena_push(arena, &both.statements, subop->statements.at[k]);
        for (size_t k = 0; k < next->statements.count; k++)
            arena_push(arena, &both.statements, next->statements.at[k]);
        *subop = both;
        for (size_t k = 1; k + 1 < operation->subops.count; k++)
            operation->subops.at[k] = operation->subops.at[k + 1];
        operation->subops.count--;
        joined = true;
    }
    return joined;
}
