/* The shapes below relate numbers to numbers, cells to cells, and, by the witnesses, the nodes of a
 * list to the cells of a sequence (a stack, a queue) or of a set: the node at a position is
 * allocated, knows its position, holds the value, and leads to the one before or after; the globals
 * point to the first or the last; a key is in the set as long as its node is in the list. */
#include "prove/facts/facts_simulation.h"
#include "prove/facts/facts_private.h"
#include <string.h>

typedef Vec(const IrExpr *) Exprs;
typedef Vec(const IrFormula *) Formulas;

typedef struct Relation {
    Maker *m;
    const Simulation *simulation;
    Exprs ends; /* 0 and the specification's counters: between them lie the positions in use */
    Exprs lows, highs; /* two of the ends that positions may lie between; */
    Formulas spans;    /* of position n: it lies between two of the ends */
    Formulas limits;   /* of key n: it lies between the sentinels, ... */
    int64_t low, high; /* ... which have these keys */
    Formulas rests;    /* nobody is in the middle of something */
} Relation;

static void relate(Relation *r, const IrFormula *f)
{
    facts_add(r->m, f, 0, int_type, int_type);
}

static void relate_all(Relation *r, IrType type, const IrFormula *guard, const IrFormula *f)
{
    facts_add(r->m, guard ? join(r->m, FORMULA_IMPLIES, guard, f) : f, 1, type, int_type);
}

static const IrFormula *both(Relation *r, const IrFormula *a, const IrFormula *b)
{
    return join(r->m, FORMULA_AND, a, b);
}

static const IrFormula *same(Relation *r, const IrExpr *a, const IrExpr *b)
{
    return compare(r->m, FORMULA_EQ, a, b);
}

static const IrExpr *plus(Relation *r, const IrExpr *e, int64_t n)
{
    if (e->kind == IR_NUMBER)
        return number(r->m, e->number + n);
    return ir_binary(r->m->arena, n < 0 ? IR_SUB : IR_ADD, e, number(r->m, n < 0 ? -n : n));
}

static bool relation_is_abstract(const Relation *r, size_t global)
{
    size_t first = (size_t)r->simulation->first_global;
    return global >= first && (int)(global - first) != r->simulation->specification->size;
}

/* ---- numbers ---- */

static void relation_add_fixed(Exprs *out, const IrExpr *e)
{
    if (!e)
        return;
    relation_add_fixed(out, e->a);
    relation_add_fixed(out, e->b);
    if (e->kind != IR_CELL || e->a->kind != IR_NUMBER)
        return;
    for (size_t i = 0; i < out->count; i++)
        if (ir_expr_equal(out->at[i], e))
            return;
    vec_push(out, e);
}

static void relation_add_fixed_of(Exprs *out, const IrFormula *f)
{
    if (!f)
        return;
    relation_add_fixed(out, f->left);
    relation_add_fixed(out, f->right);
    relation_add_fixed_of(out, f->a);
    relation_add_fixed_of(out, f->b);
}

/* The cells at fixed positions that the steps of the product name are as good as globals. */
static void relation_collect_fixed(const IrProgram *product, Exprs *out)
{
    for (size_t o = 0; o < product->operations.count; o++) {
        const SubOp *step = &product->operations.at[o].subops.at[0];
        for (size_t i = 0; i < step->statements.count; i++) {
            relation_add_fixed(out, step->statements.at[i].target);
            relation_add_fixed(out, step->statements.at[i].value);
            relation_add_fixed_of(out, step->statements.at[i].condition);
        }
    }
}

static void relation_of_pair(Relation *r, const IrExpr *a, const IrExpr *b)
{
    if (a->type.kind != b->type.kind)
        return;
    relate(r, same(r, a, b));
    if (a->type.kind != KIND_INT)
        return;
    relate(r, compare(r->m, FORMULA_LE, a, b));
    relate(r, compare(r->m, FORMULA_LE, b, a));
}

/* The pointer G leads to the number HIS, or that is one of the constants to which the specification
 * sets it while G leads nowhere, or somewhere. */
static void relation_of_held(Relation *r, const IrExpr *g, const IrExpr *his)
{
    Maker *m = r->m;
    const IrFormula *null = equals(m, g, 0);
    for (size_t f = 0; f < m->program->fields.count; f++)
        if (m->program->fields.at[f].structure == g->type.structure &&
            m->program->fields.at[f].type.kind == his->type.kind)
            relate(r, join(m, FORMULA_OR, null, same(r, field(m, f, g), his)));
    relate(r, join(m, FORMULA_IMPLIES, null, equals(m, his, 0)));
    relate(r, join(m, FORMULA_OR, null, equals(m, his, 0)));
    for (size_t o = 0; o <= m->program->operations.count; o++) {
        const IrOperation *op = o == m->program->operations.count ? &m->program->initial
                                                                  : &m->program->operations.at[o];
        for (size_t i = 0; i < op->subops.at[0].statements.count; i++) {
            const IrStatement *s = &op->subops.at[0].statements.at[i];
            if (s->kind != IR_SET || s->value->kind != IR_NUMBER || !ir_expr_equal(s->target, his))
                continue;
            relate(r, join(m, FORMULA_IMPLIES, null, same(r, his, s->value)));
            relate(r, join(m, FORMULA_OR, null, same(r, his, s->value)));
        }
    }
}

static int relation_only_local(const IrExpr *e, int found)
{
    if (!e || found == -2)
        return found;
    if (e->kind == IR_ID || e->kind == IR_FIELD)
        return -2;
    if (e->kind == IR_LOCAL)
        return found == -1 || found == e->index ? e->index : -2;
    return relation_only_local(e->b, relation_only_local(e->a, found));
}

static const IrExpr *relation_instance(Relation *r, const IrExpr *e, const IrExpr *by)
{
    if (!e)
        return NULL;
    if (e->kind == IR_LOCAL)
        return by;
    IrExpr *copy = arena_new_of(r->m->arena, IrExpr);
    *copy = *e;
    copy->a = relation_instance(r, e->a, by);
    copy->b = relation_instance(r, e->b, by);
    return copy;
}

/* Relates what a step stores, made of a local that the specification stores as it is, to the same
 * made of what the specification holds. */
static void relation_of_stored(Relation *r, const SubOp *step)
{
    for (size_t i = 0; i < step->statements.count; i++) {
        const IrStatement *own = &step->statements.at[i];
        int local = own->kind == IR_SET && own->target->kind == IR_GLOBAL
                        ? relation_only_local(own->value, -1)
                        : -1;
        if (local < 0 || own->value->kind == IR_LOCAL ||
            own->target->index >= r->simulation->first_global)
            continue;
        for (size_t k = 0; k < step->statements.count; k++) {
            const IrStatement *his = &step->statements.at[k];
            bool held = his->kind == IR_SET && his->value->kind == IR_LOCAL &&
                        his->value->index == local && his->target->kind == IR_GLOBAL &&
                        relation_is_abstract(r, (size_t)his->target->index);
            if (held)
                relate(r, same(r, own->target, relation_instance(r, own->value, his->target)));
        }
    }
}

/* When nobody is in the middle of something: a lock is free, or a number that the text divides,
 * such as the version of a sequence lock, has some remainder. */
static void relation_find_rests(Relation *r)
{
    enum { MOST = 4 };
    Maker *m = r->m;
    for (size_t g = 0; g < (size_t)r->simulation->first_global; g++) {
        const IrExpr *e = global(m, g);
        if (e->type.kind == KIND_TID)
            vec_push(&r->rests, equals(m, e, 0));
        for (int64_t by = 2; by <= MOST && e->type.kind == KIND_INT; by++)
            for (int64_t rest = 0; rest < by && facts_divides(r->simulation->proved->program, by);
                 rest++)
                vec_push(&r->rests,
                         equals(m, ir_binary(m->arena, IR_REST, e, number(m, by)), rest));
    }
}

static void relation_of_numbers(Relation *r)
{
    Maker *m = r->m;
    const IrProgram *product = m->program;
    Exprs own = {0}, his = {0}, fixed = {0};
    relation_collect_fixed(product, &fixed);
    for (size_t i = 0; i < product->globals.count; i++)
        if (i < (size_t)r->simulation->first_global)
            vec_push(&own, global(m, i));
        else if (relation_is_abstract(r, i))
            vec_push(&his, global(m, i));
    for (size_t g = 0; g < (size_t)r->simulation->first_global; g++)
        for (size_t f = 0; f < product->fields.count; f++)
            if (ir_type_is_node(product->globals.at[g].type) &&
                product->fields.at[f].structure == product->globals.at[g].type.structure &&
                !ir_type_is_node(product->fields.at[f].type))
                vec_push(&own, field(m, f, global(m, g)));
    for (size_t i = 0; i < fixed.count; i++)
        if (fixed.at[i]->index < r->simulation->first_array)
            vec_push(&own, fixed.at[i]);
        else
            vec_push(&his, fixed.at[i]);
    for (size_t i = 0; i < his.count; i++) {
        const IrExpr *a = his.at[i];
        if (a->type.kind == KIND_INT) {
            relate(r, compare(m, FORMULA_LE, number(m, 0), a));
            relate(r, equals(m, a, 0));
        }
        if (a->type.kind == KIND_BOOL)
            relate(r, join(m, FORMULA_OR, equals(m, a, 0), equals(m, a, 1)));
        for (size_t k = 0; k < own.count; k++) {
            relation_of_pair(r, own.at[k], a);
            for (size_t l = 0; l < r->rests.count && own.at[k]->type.kind == a->type.kind; l++)
                relate(r, join(m, FORMULA_IMPLIES, r->rests.at[l], same(r, own.at[k], a)));
            relate(r, join(m, FORMULA_IMPLIES, equals(m, a, 0), equals(m, own.at[k], 0)));
            relate(r, join(m, FORMULA_IMPLIES, equals(m, own.at[k], 0), equals(m, a, 0)));
        }
        for (size_t k = 0; k < i; k++)
            relation_of_pair(r, his.at[k], a);
        for (size_t g = 0; g < (size_t)r->simulation->first_global; g++)
            if (ir_type_is_node(product->globals.at[g].type))
                relation_of_held(r, global(m, g), a);
        for (size_t k = 0; k < his.count && product->size >= 0; k++)
            if (k != i && a->type.kind == KIND_INT && his.at[k]->type.kind == KIND_INT)
                relate(r, compare(m, FORMULA_LE, a,
                                  ir_binary(m->arena, IR_ADD, his.at[k],
                                            global(m, (size_t)product->size))));
    }
    for (size_t o = 0; o < product->operations.count; o++)
        relation_of_stored(r, &product->operations.at[o].subops.at[0]);
    vec_free(&own);
    vec_free(&his);
    vec_free(&fixed);
}

/* One turn later the place is the same: true of every remainder. */
static void relation_of_size(Relation *r)
{
    Maker *m = r->m;
    if (m->program->size < 0)
        return;
    const IrExpr *size = global(m, (size_t)m->program->size), *n = bound(m, 0, int_type);
    relate_all(r, int_type, NULL,
               same(r, ir_binary(m->arena, IR_WRAP, ir_binary(m->arena, IR_ADD, n, size), size),
                    ir_binary(m->arena, IR_WRAP, n, size)));
    vec_last(m->out).axiom = true;
    const IrExpr *rest = ir_binary(m->arena, IR_WRAP, n, size);
    const IrFormula *known[] = {compare(m, FORMULA_LE, number(m, 0), rest),
                                compare(m, FORMULA_LT, rest, size),
                                join(m, FORMULA_IMPLIES, compare(m, FORMULA_LE, number(m, 0), n),
                                     compare(m, FORMULA_LE, rest, n))};
    for (size_t i = 0; i < COUNT_OF(known); i++) {
        relate_all(r, int_type, NULL, known[i]);
        vec_last(m->out).axiom = true;
    }
}

/* ---- cells ---- */

typedef struct Terms1 { /* expressions and conditions of the text with just one number free */
    Exprs cells;
    Formulas conditions;
} Terms1;

static void relation_add_cell(Relation *r, Terms1 *out, const IrOperation *op, const IrExpr *e)
{
    if (!e)
        return;
    int local = relation_only_local(e, -1);
    if (e->kind == IR_CELL && local >= 0 && e->a->kind != IR_LOCAL &&
        op->locals.at[local].type.kind == KIND_INT) {
        const IrExpr *cell_n = relation_instance(r, e, bound(r->m, 0, int_type));
        for (size_t i = 0; i < out->cells.count; i++)
            if (ir_expr_equal(out->cells.at[i], cell_n))
                return;
        vec_push(&out->cells, cell_n);
    }
    relation_add_cell(r, out, op, e->a);
    relation_add_cell(r, out, op, e->b);
}

static void relation_add_condition(Relation *r, Terms1 *out, const IrOperation *op,
                                   const IrFormula *f)
{
    relation_add_cell(r, out, op, f->left);
    relation_add_cell(r, out, op, f->right);
    int local = relation_only_local(f->right, relation_only_local(f->left, -1));
    bool cell = f->left && (f->left->kind == IR_CELL || (f->right && f->right->kind == IR_CELL));
    if (local < 0 || !cell || f->kind > FORMULA_LE || f->kind == FORMULA_TRUE ||
        op->locals.at[local].type.kind != KIND_INT)
        return;
    const IrExpr *n = bound(r->m, 0, int_type);
    const IrFormula *made =
        compare(r->m, f->kind, relation_instance(r, f->left, n), relation_instance(r, f->right, n));
    for (size_t i = 0; i < out->conditions.count; i++)
        if (ir_formula_equal(out->conditions.at[i], made))
            return;
    vec_push(&out->conditions, made);
}

static void relation_collect(Relation *r, Terms1 *out)
{
    const IrProgram *program = r->simulation->proved->program;
    for (size_t o = 0; o < program->operations.count; o++) {
        const IrOperation *op = &program->operations.at[o];
        for (size_t p = 0; p < op->subops.count; p++) {
            const SubOp *subop = &op->subops.at[p];
            for (size_t i = 0; i < subop->guards.count; i++)
                if (!ir_formula_has_none(subop->guards.at[i]))
                    relation_add_condition(r, out, op, subop->guards.at[i]);
            for (size_t i = 0; i < subop->statements.count; i++)
                if (subop->statements.at[i].kind == IR_SET) {
                    relation_add_cell(r, out, op, subop->statements.at[i].target);
                    relation_add_cell(r, out, op, subop->statements.at[i].value);
                }
        }
    }
}

static void relation_cell(Relation *r, IrType index, const IrExpr *own, const IrExpr *his,
                          const Terms1 *terms)
{
    relate_all(r, index, NULL, same(r, own, his));
    if (index.kind != KIND_INT)
        return;
    for (size_t i = 0; i < r->spans.count; i++) {
        relate_all(r, index, r->spans.at[i], same(r, own, his));
        for (size_t c = 0; c < terms->conditions.count; c++)
            for (size_t d = 0; d < c; d++)
                relate_all(
                    r, index, r->spans.at[i],
                    join(r->m, FORMULA_OR, terms->conditions.at[c], terms->conditions.at[d]));
        for (size_t c = 0; c < terms->conditions.count; c++)
            relate_all(r, index, both(r, r->spans.at[i], terms->conditions.at[c]),
                       same(r, own, his));
    }
}

/* Places beyond the end are not yet so. */
static void relation_beyond(Relation *r, const Terms1 *terms)
{
    const IrExpr *n = bound(r->m, 0, int_type);
    for (size_t i = 1; i < r->ends.count; i++)
        for (size_t c = 0; c < terms->conditions.count; c++)
            relate_all(r, int_type, compare(r->m, FORMULA_LE, r->ends.at[i], n),
                       ir_formula_not(r->m->arena, terms->conditions.at[c]));
}

/* The bounds of the globals that were declared with some; 0: not from 0 on. */
static int64_t relation_count_of(const Relation *r, int global)
{
    const IrProgram *program = r->simulation->proved->program;
    for (size_t i = 0; i < program->ranges.count; i++)
        if (program->ranges.at[i].global == global && program->ranges.at[i].low == 0)
            return program->ranges.at[i].high + 1;
    return 0;
}

/* Places that begin at the global G where those of the specification begin at LOW; they may go
 * round at the count of G. */
static void relation_shifted(Relation *r, size_t array, const IrExpr *his, const IrExpr *g,
                             const IrExpr *low, const IrFormula *span)
{
    Maker *m = r->m;
    const IrExpr *n = bound(m, 0, int_type);
    const IrExpr *at = ir_binary(m->arena, IR_ADD, n, ir_binary(m->arena, IR_SUB, g, low));
    int64_t count = relation_count_of(r, g->index);
    relate_all(r, int_type, span, same(r, cell(m, array, at), his));
    if (count == 0)
        return;
    const IrExpr *end = number(m, count);
    relate_all(r, int_type, both(r, span, compare(m, FORMULA_LT, at, end)),
               same(r, cell(m, array, at), his));
    relate_all(r, int_type, both(r, span, compare(m, FORMULA_LE, end, at)),
               same(r, cell(m, array, ir_binary(m->arena, IR_SUB, at, end)), his));
}

static void relation_of_shifts(Relation *r, size_t array, const IrExpr *his)
{
    Maker *m = r->m;
    if (m->program->size >= 0)
        return; /* places go round by themselves */
    for (size_t i = 0; i < r->spans.count; i++)
        for (size_t g = 0; g < (size_t)r->simulation->first_global; g++)
            if (r->lows.at[i]->kind == IR_GLOBAL &&
                m->program->globals.at[g].type.kind == KIND_INT && (int)g != m->program->size)
                relation_shifted(r, array, his, global(m, g), r->lows.at[i], r->spans.at[i]);
}

/* Distances of two numbers of the program and of two ends: while there is something between these,
 * or a lock is free; modulo the count of the numbers. */
static void relation_of_distance(Relation *r, const IrExpr *from, const IrExpr *to,
                                 const IrExpr *low, const IrExpr *high)
{
    Maker *m = r->m;
    const IrExpr *own = ir_binary(m->arena, IR_SUB, to, from);
    const IrExpr *his = ir_binary(m->arena, IR_SUB, high, low);
    int64_t count = relation_count_of(r, from->index);
    relate(r, same(r, own, his));
    relate(r, join(m, FORMULA_IMPLIES, compare(m, FORMULA_LT, low, high), same(r, own, his)));
    relate(r, join(m, FORMULA_IMPLIES, same(r, low, high), compare(m, FORMULA_LE, to, from)));
    for (size_t l = 0; l < (size_t)r->simulation->first_global; l++)
        if (global(m, l)->type.kind == KIND_TID)
            relate(r, join(m, FORMULA_IMPLIES, equals(m, global(m, l), 0), same(r, own, his)));
    if (count == 0)
        return;
    const IrExpr *round = ir_binary(m->arena, IR_ADD, own, number(m, count));
    relate(r, join(m, FORMULA_IMPLIES, compare(m, FORMULA_LE, from, to), same(r, own, his)));
    relate(r, join(m, FORMULA_IMPLIES, compare(m, FORMULA_LT, to, from), same(r, round, his)));
}

static void relation_of_distances(Relation *r)
{
    Maker *m = r->m;
    const IrProgram *program = r->simulation->proved->program;
    for (size_t i = 0; i < r->spans.count; i++)
        for (size_t g = 0; g < program->globals.count; g++)
            for (size_t h = 0; h < program->globals.count; h++)
                if (r->lows.at[i]->kind == IR_GLOBAL && g != h &&
                    program->globals.at[g].type.kind == KIND_INT &&
                    program->globals.at[h].type.kind == KIND_INT && (int)g != program->size &&
                    (int)h != program->size)
                    relation_of_distance(r, global(m, g), global(m, h), r->lows.at[i],
                                         r->highs.at[i]);
}

static void relation_of_arrays(Relation *r)
{
    Maker *m = r->m;
    const IrProgram *product = m->program;
    Terms1 terms = {0};
    relation_collect(r, &terms);
    relation_beyond(r, &terms);
    size_t end = (size_t)r->simulation->first_array + r->simulation->specification->arrays.count;
    for (size_t s = (size_t)r->simulation->first_array; s < product->arrays.count; s++) {
        size_t spec = s - (size_t)r->simulation->first_array;
        IrType index = int_type;
        if (s < end)
            index = r->simulation->index.at[spec];
        for (size_t k = 0; s >= end && k < r->simulation->witness.count; k++)
            if (r->simulation->witness.at[k] == (int)s)
                index = r->simulation->index.at[k];
        const IrExpr *his = cell(m, s, bound(m, 0, index));
        for (size_t a = 0; a < (size_t)r->simulation->first_array; a++)
            if (ir_type_equal(product->arrays.at[a].type, product->arrays.at[s].type)) {
                relation_cell(r, index, cell(m, a, bound(m, 0, index)), his, &terms);
                if (index.kind == KIND_INT && s < end)
                    relation_of_shifts(r, a, his);
            }
        for (size_t i = 0; i < terms.cells.count && s < end; i++)
            if (terms.cells.at[i]->type.kind == product->arrays.at[s].type.kind)
                relation_cell(r, index, terms.cells.at[i], his, &terms);
    }
    vec_free(&terms.cells);
    vec_free(&terms.conditions);
}

/* ---- sequences of nodes ---- */

static void relation_of_positions(Relation *r, size_t array, const IrFormula *span,
                                  const IrExpr *low, const IrExpr *high)
{
    Maker *m = r->m;
    const IrProgram *product = m->program;
    int witness = r->simulation->witness.at[array];
    const IrExpr *n = bound(m, 0, int_type), *node = cell(m, (size_t)witness, n);
    const IrExpr *held = cell(m, (size_t)r->simulation->first_array + array, n);
    int position = r->simulation->positions.at[node->type.structure];
    relate_all(r, int_type, span, ir_formula_live(m->arena, node));
    if (position >= 0)
        relate_all(r, int_type, span, same(r, field(m, (size_t)position, node), n));
    for (size_t f = 0; f < product->fields.count; f++) {
        IrType type = product->fields.at[f].type;
        const IrExpr *value = field(m, f, node);
        if (product->fields.at[f].structure != node->type.structure || (int)f == position)
            continue;
        if (type.kind == held->type.kind)
            relate_all(r, int_type, span, same(r, value, held));
        if (type.kind == KIND_BOOL)
            relate_all(r, int_type, span, equals(m, value, 0));
        if (!ir_type_equal(type, node->type))
            continue;
        const IrFormula *more = compare(m, FORMULA_LT, plus(r, n, 1), high);
        const IrFormula *less = compare(m, FORMULA_LT, low, n);
        relate_all(r, int_type, both(r, span, more),
                   same(r, value, cell(m, (size_t)witness, plus(r, n, 1))));
        relate_all(r, int_type, both(r, span, less),
                   same(r, value, cell(m, (size_t)witness, plus(r, n, -1))));
        relate_all(r, int_type, both(r, span, same(r, plus(r, n, 1), high)), equals(m, value, 0));
        relate_all(r, int_type, both(r, span, same(r, n, low)), equals(m, value, 0));
    }
}

/* Where the global G points to, if there is something between LOW and HIGH (SOME), and if not. */
static void relation_of_pointer(Relation *r, size_t witness, const IrExpr *g, const IrExpr *low,
                                const IrExpr *high)
{
    Maker *m = r->m;
    const IrProgram *product = m->program;
    const IrFormula *some = compare(m, FORMULA_LT, low, high), *none = same(r, low, high);
    const IrExpr *first = cell(m, witness, low), *last = cell(m, witness, plus(r, high, -1));
    relate(r, join(m, FORMULA_IMPLIES, some, same(r, g, first)));
    relate(r, join(m, FORMULA_IMPLIES, some, same(r, g, last)));
    relate(r, join(m, FORMULA_IMPLIES, none, equals(m, g, 0)));
    for (size_t f = 0; f < product->fields.count; f++) {
        if (product->fields.at[f].structure != g->type.structure ||
            !ir_type_equal(product->fields.at[f].type, g->type))
            continue;
        const IrExpr *next = field(m, f, g);
        const IrFormula *end = equals(m, next, 0);
        const IrFormula *behind = compare(m, FORMULA_NE, next, number(m, 0));
        relate(r, join(m, FORMULA_IMPLIES, some, same(r, next, first)));
        relate(r, join(m, FORMULA_IMPLIES, none, end));
        for (size_t l = 0; l < (size_t)r->simulation->first_global; l++)
            if (global(m, l)->type.kind == KIND_TID)
                relate(r, join(m, FORMULA_IMPLIES, equals(m, global(m, l), 0), end));
        relate(r, join(m, FORMULA_IMPLIES, both(r, some, end), same(r, g, last)));
        relate(r, join(m, FORMULA_IMPLIES, both(r, some, behind), same(r, next, last)));
        for (size_t h = 0; h < (size_t)r->simulation->first_global; h++) {
            const IrExpr *other = global(m, h);
            if (!ir_type_equal(other->type, g->type) || (int)h == g->index)
                continue;
            relate(r, join(m, FORMULA_IMPLIES, both(r, none, end), same(r, g, other)));
            relate(r, join(m, FORMULA_IMPLIES, both(r, none, behind), same(r, next, other)));
            relate(r, join(m, FORMULA_IMPLIES, none, same(r, g, other)));
        }
    }
}

static void relation_of_sequence(Relation *r, size_t array)
{
    Maker *m = r->m;
    size_t witness = (size_t)r->simulation->witness.at[array];
    IrType node = m->program->arrays.at[witness].type;
    for (size_t i = 0; i < r->spans.count; i++) {
        relation_of_positions(r, array, r->spans.at[i], r->lows.at[i], r->highs.at[i]);
        for (size_t g = 0; g < (size_t)r->simulation->first_global; g++)
            if (ir_type_equal(m->program->globals.at[g].type, node))
                relation_of_pointer(r, witness, global(m, g), r->lows.at[i], r->highs.at[i]);
    }
}

/* ---- sets of nodes ---- */

/* The sentinels are the first and the last. */
static void relation_of_sentinels(Relation *r)
{
    Maker *m = r->m;
    for (size_t f = 0; f < m->program->fields.count; f++) {
        IrType node = {KIND_NODE, m->program->fields.at[f].structure};
        const IrExpr *n = bound(m, 0, node);
        if (m->program->fields.at[f].type.kind != KIND_KEY || r->limits.count == 0)
            continue;
        const IrFormula *live = ir_formula_live(m->arena, n);
        relate_all(r, node, live, compare(m, FORMULA_LE, number(m, r->low), field(m, f, n)));
        relate_all(r, node, live, compare(m, FORMULA_LE, field(m, f, n), number(m, r->high)));
    }
}

static void relation_of_member(Relation *r, size_t array, size_t key)
{
    Maker *m = r->m;
    const IrProgram *product = m->program;
    IrType index = r->simulation->index.at[array];
    size_t witness = (size_t)r->simulation->witness.at[array];
    const IrExpr *k = bound(m, 0, index), *node = cell(m, witness, k);
    const IrFormula *there = compare(m, FORMULA_NE, node, number(m, 0));
    relate_all(r, index, there, same(r, field(m, key, node), k));
    const IrExpr *n = bound(m, 0, node->type);
    const IrFormula *known = same(r, cell(m, witness, field(m, key, n)), n);
    for (size_t b = 0; b < product->fields.count; b++) {
        if (product->fields.at[b].structure != node->type.structure ||
            product->fields.at[b].type.kind != KIND_BOOL)
            continue;
        const IrFormula *member =
            both(r, ir_formula_live(m->arena, n), equals(m, field(m, b, n), 0));
        relate_all(r, index, there, equals(m, field(m, b, node), 0));
        relate_all(r, node->type, member, known);
        for (size_t i = 0; i < r->limits.count; i++)
            relate_all(r, node->type,
                       both(r, member,
                            ir_formula_instantiate(m->arena, r->limits.at[i], field(m, key, n))),
                       known);
    }
}

static void relation_of_set(Relation *r, size_t array)
{
    Maker *m = r->m;
    const IrProgram *product = m->program;
    IrType index = r->simulation->index.at[array];
    size_t witness = (size_t)r->simulation->witness.at[array];
    const IrExpr *k = bound(m, 0, index), *node = cell(m, witness, k);
    const IrExpr *in = cell(m, (size_t)r->simulation->first_array + array, k);
    relate_all(r, index, NULL, join(m, FORMULA_OR, equals(m, in, 0), equals(m, in, 1)));
    relate_all(r, index, equals(m, in, 0), equals(m, node, 0));
    relate_all(r, index, equals(m, node, 0), equals(m, in, 0));
    relate_all(r, index, NULL, null_or_live(m, node));
    for (size_t i = 0; i < r->limits.count; i++)
        relate_all(r, index, equals(m, in, 1), r->limits.at[i]);
    for (size_t f = 0; f < product->fields.count; f++)
        if (product->fields.at[f].structure == node->type.structure &&
            product->fields.at[f].type.kind == index.kind)
            relation_of_member(r, array, f);
}

/* The smallest and the largest constant with which keys are compared. */
static void relation_of_constants(const IrFormula *f, int64_t *low, int64_t *high, bool *any)
{
    if (!f)
        return;
    relation_of_constants(f->a, low, high, any);
    relation_of_constants(f->b, low, high, any);
    const IrExpr *sides[] = {f->left, f->right};
    for (int i = 0; i < 2 && f->left && f->right; i++)
        if (sides[i]->kind == IR_NUMBER && sides[1 - i]->type.kind == KIND_KEY) {
            *low = *any ? MIN(*low, sides[i]->number) : sides[i]->number;
            *high = *any ? MAX(*high, sides[i]->number) : sides[i]->number;
            *any = true;
        }
}

static void relation_find_limits(Relation *r)
{
    const IrProgram *program = r->simulation->proved->program;
    Maker *m = r->m;
    int64_t low = 0, high = 0;
    bool any = false;
    for (size_t o = 0; o < program->operations.count; o++)
        for (size_t p = 0; p < program->operations.at[o].subops.count; p++) {
            const SubOp *subop = &program->operations.at[o].subops.at[p];
            for (size_t i = 0; i < subop->guards.count; i++)
                relation_of_constants(subop->guards.at[i], &low, &high, &any);
        }
    const SubOp *init = program->initial.subops.count > 0 ? &program->initial.subops.at[0] : NULL;
    for (size_t i = 0; init && i < init->statements.count; i++) {
        const IrStatement *s = &init->statements.at[i];
        if (s->kind != IR_SET || s->target->type.kind != KIND_KEY || s->value->kind != IR_NUMBER)
            continue;
        low = any ? MIN(low, s->value->number) : s->value->number;
        high = any ? MAX(high, s->value->number) : s->value->number;
        any = true;
    }
    const IrExpr *k = bound(m, 0, (IrType){KIND_KEY, -1});
    r->low = low;
    r->high = high;
    if (any && low < high)
        vec_push(&r->limits, both(r, compare(m, FORMULA_LT, number(m, low), k),
                                  compare(m, FORMULA_LT, k, number(m, high))));
}

static bool relation_subtracts(const IrExpr *e, const IrExpr *low, const IrExpr *high)
{
    return e && ((e->kind == IR_SUB && ir_expr_equal(e->a, high) && ir_expr_equal(e->b, low)) ||
                 relation_subtracts(e->a, low, high) || relation_subtracts(e->b, low, high));
}

static bool relation_compares(const IrFormula *f, const IrExpr *low, const IrExpr *high)
{
    if (!f)
        return false;
    bool less = (f->kind == FORMULA_LT || f->kind == FORMULA_LE) && ir_expr_equal(f->left, low) &&
                ir_expr_equal(f->right, high);
    return less || relation_subtracts(f->left, low, high) ||
           relation_subtracts(f->right, low, high) || relation_compares(f->a, low, high) ||
           relation_compares(f->b, low, high);
}

/* Does the text compare LOW with HIGH in this order? */
static bool relation_orders(const Relation *r, const IrExpr *low, const IrExpr *high)
{
    for (size_t o = 0; o < r->m->program->operations.count; o++) {
        const SubOp *step = &r->m->program->operations.at[o].subops.at[0];
        for (size_t i = 0; i < step->statements.count; i++)
            if (relation_compares(step->statements.at[i].condition, low, high))
                return true;
    }
    return false;
}

/* Can positions lie between these two? Not if the text only speaks of the other order. */
static bool relation_is_span(const Relation *r, const IrExpr *low, const IrExpr *high)
{
    return low != high && (low->kind == IR_NUMBER || relation_orders(r, low, high) ||
                           !relation_orders(r, high, low));
}

static void relation_find_ends(Relation *r)
{
    Maker *m = r->m;
    const IrExpr *n = bound(m, 0, int_type);
    vec_push(&r->ends, number(m, 0));
    for (size_t g = 0; g < m->program->globals.count; g++)
        if (relation_is_abstract(r, g) && m->program->globals.at[g].type.kind == KIND_INT)
            vec_push(&r->ends, global(m, g));
    for (size_t a = 0; a < r->ends.count; a++)
        for (size_t b = 1; b < r->ends.count; b++)
            if (relation_is_span(r, r->ends.at[a], r->ends.at[b])) {
                vec_push(&r->lows, r->ends.at[a]);
                vec_push(&r->highs, r->ends.at[b]);
                vec_push(&r->spans, both(r, compare(m, FORMULA_LE, r->ends.at[a], n),
                                         compare(m, FORMULA_LT, n, r->ends.at[b])));
            }
}

void facts_of_simulation(Arena *arena, const Simulation *simulation, Facts *facts)
{
    const IrProgram *product = simulation->product;
    const Facts *known = &simulation->proved->facts;
    Maker maker = {arena, product, &facts->global};
    Relation relation = {.m = &maker, .simulation = simulation}, *r = &relation;
    for (size_t i = 0; i < known->global.count; i++)
        if (!known->global.at[i].dead) {
            vec_push(&facts->global, known->global.at[i]);
            vec_last(&facts->global).axiom = true;
            vec_last(&facts->global).user = NULL;
        }
    relation_of_size(r);
    relation_find_ends(r);
    relation_find_limits(r);
    relation_find_rests(r);
    relation_of_numbers(r);
    relation_of_arrays(r);
    relation_of_distances(r);
    relation_of_sentinels(r);
    for (size_t a = 0; a < simulation->witness.count; a++)
        if (simulation->witness.at[a] >= 0) {
            if (simulation->index.at[a].kind == KIND_INT)
                relation_of_sequence(r, a);
            else
                relation_of_set(r, a);
        }
    facts_add_users(product, facts);
    facts->points = arena_array_of(arena, FactList *, product->operations.count);
    for (size_t i = 0; i < product->operations.count; i++)
        facts->points[i] =
            arena_array_of(arena, FactList, product->operations.at[i].subops.count + 1);
    vec_free(&relation.ends);
    vec_free(&relation.lows);
    vec_free(&relation.highs);
    vec_free(&relation.spans);
    vec_free(&relation.limits);
    vec_free(&relation.rests);
}
