/* Candidates about an arbitrary element n: which of the things that ghosts and the program record
 * of it imply which others, and which numbers are the same. A shape that is false for a program
 * costs one refutation and disappears. */
#include "prove/facts/facts_private.h"

typedef Vec(const IrFormula *) Formulas;

typedef struct GhostMaker {
    Maker *maker;
    const IrExpr *n;
    size_t first_ghost; /* array */
    Formulas things;    /* yes or no */
    Formulas numbers;   /* equal, or less */
} GhostMaker;

static void ghosts_yes_no(GhostMaker *g, const IrExpr *e)
{
    Maker *m = g->maker;
    vec_push(&g->things, equals(m, e, 1));
    vec_push(&g->things, equals(m, e, 0));
    facts_add(m, join(m, FORMULA_OR, equals(m, e, 0), equals(m, e, 1)), 1, g->n->type, int_type);
}

/* E, a number that the program has of n, may be what the ghost NUMBER says; it is below what is
 * counted; the element that drew it is n. */
static void ghosts_number(GhostMaker *g, const IrExpr *e)
{
    Maker *m = g->maker;
    const IrProgram *program = m->program;
    for (size_t a = g->first_ghost; a < program->arrays.count; a++)
        if (program->arrays.at[a].type.kind == KIND_INT)
            vec_push(&g->numbers, compare(m, FORMULA_EQ, cell(m, a, g->n), e));
    for (size_t c = 0; c < program->globals.count; c++)
        if (program->globals.at[c].type.kind == KIND_INT)
            vec_push(&g->numbers, compare(m, FORMULA_LT, e, global(m, c)));
    for (size_t k = 0; k < program->drawn_arrays.count; k++)
        vec_push(&g->numbers,
                 compare(m, FORMULA_EQ, cell(m, (size_t)program->drawn_arrays.at[k], e), g->n));
}

/* Adds what ghosts say of the element that field F of n leads to. */
static void ghosts_through(GhostMaker *g, size_t f)
{
    Maker *m = g->maker;
    const IrProgram *program = m->program;
    const IrExpr *to = field(m, f, g->n);
    for (size_t a = g->first_ghost; a < program->arrays.count; a++) {
        const IrExpr *said = cell(m, a, to);
        if (said->type.kind == KIND_BOOL)
            vec_push(&g->numbers, equals(m, said, 1));
        for (size_t h = 0; said->type.kind == KIND_INT && h < program->fields.count; h++)
            if (program->fields.at[h].structure == g->n->type.structure &&
                program->fields.at[h].type.kind == KIND_INT)
                vec_push(&g->numbers, compare(m, FORMULA_EQ, said, field(m, h, g->n)));
    }
}

static void ghosts_of_node(GhostMaker *g)
{
    Maker *m = g->maker;
    const IrProgram *program = m->program;
    const IrFormula *live = ir_formula_live(m->arena, g->n);
    vec_push(&g->things, live);
    vec_push(&g->things, ir_formula_not(m->arena, live));
    for (size_t f = 0; f < program->fields.count; f++) {
        if (program->fields.at[f].structure != g->n->type.structure)
            continue;
        if (program->fields.at[f].type.kind == KIND_BOOL)
            ghosts_yes_no(g, field(m, f, g->n));
        if (program->fields.at[f].type.kind == KIND_INT)
            ghosts_number(g, field(m, f, g->n));
        if (ir_type_equal(program->fields.at[f].type, g->n->type))
            ghosts_through(g, f);
    }
}

static void ghosts_of_position(GhostMaker *g)
{
    Maker *m = g->maker;
    const IrProgram *program = m->program;
    vec_push(&g->things, compare(m, FORMULA_LE, number(m, 0), g->n));
    for (size_t a = 0; a < g->first_ghost - program->drawn_arrays.count; a++) {
        const IrExpr *stored = cell(m, a, g->n);
        vec_push(&g->things, equals(m, stored, 0));
        vec_push(&g->things, compare(m, FORMULA_NE, stored, number(m, 0)));
        if (stored->type.kind == KIND_INT)
            ghosts_number(g, stored);
    }
    for (size_t c = 0; c < program->globals.count; c++)
        if (program->globals.at[c].type.kind == KIND_INT) {
            vec_push(&g->things, compare(m, FORMULA_LT, g->n, global(m, c)));
            vec_push(&g->things, compare(m, FORMULA_LE, global(m, c), g->n));
        }
    ghosts_number(g, g->n);
}

/* Adds what ghosts say of the element that is held here, on what the program says of it. */
static void ghosts_of_holder(GhostMaker *g, const IrExpr *held, int bound_count)
{
    Maker *m = g->maker;
    const IrProgram *program = m->program;
    const IrFormula *some = compare(m, FORMULA_NE, held, number(m, 0));
    Formulas conditions = {0};
    vec_push(&conditions, some);
    for (size_t f = 0; f < program->fields.count; f++)
        for (int yes = 0; yes < 2; yes++)
            if (program->fields.at[f].structure == g->n->type.structure &&
                program->fields.at[f].type.kind == KIND_BOOL)
                vec_push(&conditions,
                         join(m, FORMULA_AND, some, equals(m, field(m, f, held), yes)));
    for (size_t i = 0; i < conditions.count; i++)
        for (size_t b = g->first_ghost; b < program->arrays.count; b++)
            for (int said = 0; said < 2; said++)
                if (program->arrays.at[b].type.kind == KIND_BOOL)
                    facts_add(m,
                              join(m, FORMULA_IMPLIES, conditions.at[i],
                                   equals(m, cell(m, b, held), said)),
                              bound_count, int_type, int_type);
    vec_free(&conditions);
}

static void ghosts_of_holders(GhostMaker *g)
{
    Maker *m = g->maker;
    const IrProgram *program = m->program;
    for (size_t a = 0; a < g->first_ghost - program->drawn_arrays.count; a++)
        if (ir_type_equal(program->arrays.at[a].type, g->n->type))
            ghosts_of_holder(g, cell(m, a, bound(m, 0, int_type)), 1);
    for (size_t c = 0; c < program->globals.count; c++)
        if (ir_type_equal(program->globals.at[c].type, g->n->type))
            ghosts_of_holder(g, global(m, c), 0);
}

/* Do both say the same of it, or one the opposite of the other, without any program? */
static bool ghosts_trivial(const IrFormula *a, const IrFormula *b)
{
    return a == b || (a->left && b->left && ir_expr_equal(a->left, b->left) && a->right &&
                      b->right && a->right->kind == IR_NUMBER && b->right->kind == IR_NUMBER);
}

void facts_of_ghosts(Maker *m)
{
    const IrProgram *program = m->program;
    if (program->ghost_arrays == 0)
        return;
    IrType type = program->ghost_index;
    GhostMaker g = {.maker = m,
                    .n = bound(m, 0, type),
                    .first_ghost = program->arrays.count - (size_t)program->ghost_arrays};
    for (size_t a = g.first_ghost; a < program->arrays.count; a++)
        if (program->arrays.at[a].type.kind == KIND_BOOL)
            ghosts_yes_no(&g, cell(m, a, g.n));
    size_t own = g.things.count;
    if (ir_type_is_node(type)) {
        ghosts_of_node(&g);
        ghosts_of_holders(&g);
    } else {
        ghosts_of_position(&g);
    }
    for (size_t i = 0; i < g.things.count; i++) {
        for (size_t k = 0; k < g.things.count; k++)
            if (!ghosts_trivial(g.things.at[i], g.things.at[k]))
                facts_add(m, join(m, FORMULA_IMPLIES, g.things.at[i], g.things.at[k]), 1, type,
                          int_type);
        for (size_t k = 0; k < g.numbers.count; k++)
            facts_add(m, join(m, FORMULA_IMPLIES, g.things.at[i], g.numbers.at[k]), 1, type,
                      int_type);
    }
    /* Two things together: of the ghosts what they say of each other and of the program (appeared
     * and not taken), and with what the program says, of numbers; of a position that it is between
     * 0 and what is counted. */
    for (size_t i = 0; i < g.things.count; i++)
        for (size_t k = 0; k < i; k++) {
            if (i >= own && k < own && k % 2 == 0) /* k: one that says yes */
                for (size_t l = 0; l < g.numbers.count; l++)
                    facts_add(m,
                              join(m, FORMULA_IMPLIES,
                                   join(m, FORMULA_AND, g.things.at[k], g.things.at[i]),
                                   g.numbers.at[l]),
                              1, type, int_type);
            bool ghosts = i < own, range = !ir_type_is_node(type) && k == own;
            if ((!ghosts && !range) || ghosts_trivial(g.things.at[i], g.things.at[k]))
                continue;
            const IrFormula *both = join(m, FORMULA_AND, g.things.at[k], g.things.at[i]);
            for (size_t l = range ? 0 : own; l < (range ? own : g.things.count); l++)
                facts_add(m, join(m, FORMULA_IMPLIES, both, g.things.at[l]), 1, type, int_type);
        }
    vec_free(&g.things);
    vec_free(&g.numbers);
}
