/* facts_private.h: making candidate facts; shared by facts.c and facts_ghost.c. */
#ifndef HEDDLE_PROVE_FACTS_FACTS_PRIVATE_H
#define HEDDLE_PROVE_FACTS_FACTS_PRIVATE_H
#include "prove/facts/facts.h"

typedef struct Maker {
    Arena *arena;
    const IrProgram *program;
    FactList *out;
} Maker;

void facts_add(Maker *maker, const IrFormula *formula, int bound_count, IrType first,
               IrType second);
/* Shapes that relate ghosts (ghost.h) to the program's own variables. */
void facts_of_ghosts(Maker *maker);
/* Does some step take the remainder by this number? */
bool facts_divides(const IrProgram *program, int64_t by);
/* The facts of the user that PROGRAM comes with. */
void facts_add_users(const IrProgram *program, Facts *facts);
/* About the numbers of nodes (facts_rank.c): of all nodes; of those among NODES at a point. */
void facts_of_ranks(Maker *maker);
void facts_of_point_ranks(Maker *maker, const IrExpr *const *nodes, size_t count);

static inline const IrExpr *number(Maker *m, int64_t value)
{
    return ir_number(m->arena, value);
}
static inline const IrFormula *compare(Maker *m, IrFormulaKind kind, const IrExpr *l,
                                       const IrExpr *r)
{
    return ir_formula_compare(m->arena, kind, l, r);
}
static inline const IrFormula *equals(Maker *m, const IrExpr *l, int64_t value)
{
    return compare(m, FORMULA_EQ, l, number(m, value));
}
static inline const IrFormula *join(Maker *m, IrFormulaKind kind, const IrFormula *a,
                                    const IrFormula *b)
{
    return ir_formula_join(m->arena, kind, a, b);
}
static inline const IrFormula *null_or_live(Maker *m, const IrExpr *node)
{
    return join(m, FORMULA_OR, equals(m, node, 0), ir_formula_live(m->arena, node));
}
static inline const IrExpr *global(Maker *m, size_t i)
{
    return ir_variable(m->arena, IR_GLOBAL, (int)i, m->program->globals.at[i].type);
}
static inline const IrExpr *bound(Maker *m, int i, IrType type)
{
    return ir_variable(m->arena, IR_BOUND, i, type);
}
static inline const IrExpr *field(Maker *m, size_t f, const IrExpr *base)
{
    return ir_field(m->arena, m->program, (int)f, base);
}
static inline const IrExpr *cell(Maker *m, size_t a, const IrExpr *position)
{
    return ir_cell(m->arena, m->program, (int)a, position);
}

static const IrType int_type = {KIND_INT, -1};
#endif
