#include "prove/read/model_roles.h"
#include <string.h>

/* The vectors may be shared with other paths. */
static SubOp roles_copy(Arena *arena, const SubOp *original)
{
    SubOp copy = *original;
    arena_own(arena, &copy.guards);
    arena_own(arena, &copy.statements);
    return copy;
}

static void roles_lock(Arena *arena, IrOperation *op, const IrExpr *lock)
{
    size_t last = op->subops.count - 1;
    SubOp first = roles_copy(arena, &op->subops.at[0]);
    arena_push(arena, &first.guards,
               ir_formula_compare(arena, FORMULA_EQ, lock, ir_number(arena, 0)));
    if (last > 0) {
        SubOp end = roles_copy(arena, &op->subops.at[last]);
        arena_push(arena, &first.statements,
                   (IrStatement){.kind = IR_SET, .target = lock, .value = ir_id(arena)});
        arena_push(arena, &end.statements,
                   (IrStatement){.kind = IR_SET, .target = lock, .value = ir_number(arena, 0)});
        op->subops.at[last] = end;
    }
    op->subops.at[0] = first;
}

void model_roles_apply(Arena *arena, const Model *model, IrProgram *program)
{
    for (int g = 0; g < model->group_count; g++) {
        uint64_t alone = model->groups[g].count == 1 ? model->groups[g].operations : 0;
        for (int h = 0; h < model->group_count; h++)
            if (h != g)
                alone &= ~model->groups[h].operations;
        int lock = -1;
        for (size_t i = 0; i < program->operations.count; i++) {
            IrOperation *op = &program->operations.at[i];
            for (int k = 0; k < model->implementation->operation_count && k < 64; k++) {
                if (!((alone >> k) & 1) ||
                    strcmp(model->implementation->operations[k]->name, op->method) != 0)
                    continue;
                if (lock < 0) {
                    lock = (int)program->globals.count;
                    arena_push(
                        arena, &program->globals,
                        (IrVariable){arena_printf(arena, "thread%d", g + 1), {KIND_TID, -1}});
                }
                if (program->alone.count == 0 || strcmp(vec_last(&program->alone), op->method) != 0)
                    arena_push(arena, &program->alone, op->method);
                roles_lock(arena, op,
                           ir_variable(arena, IR_GLOBAL, lock, program->globals.at[lock].type));
            }
        }
    }
}
