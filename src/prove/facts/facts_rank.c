/* Candidates about the numbers of nodes (enlarge.h): a node's successor has the next number, no two
 * nodes have the same, none is beyond the end of the list, and one pointer is not behind another.
 */
#include "prove/facts/facts_private.h"

static const IrExpr *rank_next(Maker *m, size_t r, const IrExpr *node)
{
    return ir_binary(m->arena, IR_ADD, field(m, r, node), number(m, 1));
}

static void facts_of_rank(Maker *m, size_t r)
{
    const IrProgram *program = m->program;
    IrType node = {KIND_NODE, program->fields.at[r].structure};
    const IrExpr *n = bound(m, 0, node), *k = bound(m, 1, node);
    const IrFormula *live_n = ir_formula_live(m->arena, n), *live_k = ir_formula_live(m->arena, k);
    facts_add(m,
              join(m, FORMULA_IMPLIES,
                   join(m, FORMULA_AND, join(m, FORMULA_AND, live_n, live_k),
                        compare(m, FORMULA_EQ, field(m, r, n), field(m, r, k))),
                   compare(m, FORMULA_EQ, n, k)),
              2, node, node);
    for (size_t f = 0; f < program->fields.count; f++) {
        if (program->fields.at[f].structure != node.structure ||
            !ir_type_equal(program->fields.at[f].type, node))
            continue;
        const IrExpr *next = field(m, f, n);
        facts_add(m,
                  join(m, FORMULA_IMPLIES,
                       join(m, FORMULA_AND, live_n, compare(m, FORMULA_NE, next, number(m, 0))),
                       compare(m, FORMULA_EQ, field(m, r, next), rank_next(m, r, n))),
                  1, node, node);
        for (size_t g = 0; g < program->globals.count; g++)
            if (ir_type_equal(program->globals.at[g].type, node))
                facts_add(
                    m,
                    join(m, FORMULA_IMPLIES, live_n,
                         join(m, FORMULA_OR,
                              compare(m, FORMULA_LE, field(m, r, n), field(m, r, global(m, g))),
                              compare(m, FORMULA_EQ, field(m, f, global(m, g)), n))),
                    1, node, node);
    }
    for (size_t g = 0; g < program->globals.count; g++)
        for (size_t h = 0; h < program->globals.count; h++)
            if (g != h && ir_type_equal(program->globals.at[g].type, node) &&
                ir_type_equal(program->globals.at[h].type, node))
                facts_add(
                    m, compare(m, FORMULA_LE, field(m, r, global(m, g)), field(m, r, global(m, h))),
                    0, int_type, int_type);
}

/* Where nodes are freed, what is behind a pointer such as the head of a list may be anything; from
 * it on nobody owns a node, and each leads to an allocated one with the next number. */
static void facts_of_freed(Maker *m, size_t r)
{
    const IrProgram *program = m->program;
    IrType node = {KIND_NODE, program->fields.at[r].structure};
    const IrExpr *n = bound(m, 0, node);
    const IrFormula *live_n = ir_formula_live(m->arena, n);
    for (size_t g = 0; g < program->globals.count; g++) {
        if (!ir_type_equal(program->globals.at[g].type, node))
            continue;
        const IrFormula *from =
            join(m, FORMULA_AND, live_n,
                 compare(m, FORMULA_LE, field(m, r, global(m, g)), field(m, r, n)));
        facts_add(m, ir_formula_live(m->arena, global(m, g)), 0, int_type, int_type);
        if (program->fields.at[program->ghost_owner].structure == node.structure)
            facts_add(m,
                      join(m, FORMULA_IMPLIES, from,
                           equals(m, field(m, (size_t)program->ghost_owner, n), 0)),
                      1, node, node);
        for (size_t f = 0; f < program->fields.count; f++) {
            const IrExpr *next = field(m, f, n);
            if (program->fields.at[f].structure != node.structure ||
                !ir_type_equal(program->fields.at[f].type, node))
                continue;
            facts_add(m,
                      join(m, FORMULA_IMPLIES,
                           join(m, FORMULA_AND, from, compare(m, FORMULA_NE, next, number(m, 0))),
                           join(m, FORMULA_AND, ir_formula_live(m->arena, next),
                                compare(m, FORMULA_EQ, field(m, r, next), rank_next(m, r, n)))),
                      1, node, node);
        }
    }
}

void facts_of_ranks(Maker *m)
{
    for (size_t r = 0; r < m->program->fields.count; r++) {
        if (m->program->fields.at[r].type.kind != KIND_RANK)
            continue;
        facts_of_rank(m, r);
        if (m->program->ghost_owner >= 0)
            facts_of_freed(m, r);
    }
}

void facts_of_point_ranks(Maker *m, const IrExpr *const *nodes, size_t count)
{
    const IrProgram *program = m->program;
    for (size_t r = 0; r < program->fields.count; r++) {
        IrType node = {KIND_NODE, program->fields.at[r].structure};
        for (size_t i = 0; i < count && program->fields.at[r].type.kind == KIND_RANK; i++)
            for (size_t k = 0; k < count; k++) {
                const IrExpr *a = nodes[i], *b = nodes[k];
                if (i == k || !ir_type_equal(a->type, node) || !ir_type_equal(b->type, node) ||
                    (a->kind != IR_LOCAL && a->kind != IR_GLOBAL) ||
                    (b->kind != IR_LOCAL && b->kind != IR_GLOBAL))
                    continue;
                facts_add(m, compare(m, FORMULA_LE, field(m, r, a), field(m, r, b)), 0, int_type,
                          int_type);
                facts_add(m, compare(m, FORMULA_LT, field(m, r, a), field(m, r, b)), 0, int_type,
                          int_type);
            }
    }
}
