/* The shapes below are those that the thirteen published algorithms need and their like: equality,
 * order and allocation over the words of the text; lists that do not share their tails, are sorted,
 * have unique keys and no gap between neighbours; arrays that are empty beyond a counter. A shape
 * that is false for a program costs one refutation and disappears. */
#include "prove/facts/facts_private.h"
#include <string.h>

void facts_add(Maker *maker, const IrFormula *formula, int bound_count, IrType first, IrType second)
{
    for (size_t i = 0; i < maker->out->count; i++)
        if (ir_formula_equal(maker->out->at[i].formula, formula))
            return;
    vec_push(maker->out,
             (Fact){.formula = formula, .bound_count = bound_count, .bound = {first, second}});
}

typedef struct Numbers { /* 0, and what the text stores besides in one variable or field */
    int64_t at[4];
    int count;
    bool others; /* more than these, or what is no number */
} Numbers;

static void facts_stored_by(const SubOp *subop, const IrExpr *place, Numbers *numbers)
{
    for (size_t i = 0; i < subop->statements.count; i++) {
        const IrStatement *s = &subop->statements.at[i];
        if (s->kind != IR_SET || s->target->kind != place->kind || s->target->index != place->index)
            continue;
        bool known = s->value->kind != IR_NUMBER;
        numbers->others |= known;
        for (int k = 0; k < numbers->count; k++)
            known |= numbers->at[k] == s->value->number;
        if (!known && numbers->count == (int)COUNT_OF(numbers->at))
            numbers->others = true;
        else if (!known)
            numbers->at[numbers->count++] = s->value->number;
    }
}

/* PLACE, a global, a field of any node or any cell of an array, is one of the few numbers that the
 * text stores there. */
static const IrFormula *facts_few_numbers(Maker *m, const IrExpr *place)
{
    const IrProgram *program = m->program;
    Numbers numbers = {.count = 1};
    if (program->initial.subops.count > 0)
        facts_stored_by(&program->initial.subops.at[0], place, &numbers);
    for (size_t o = 0; o < program->operations.count; o++)
        for (size_t i = 0; i < program->operations.at[o].subops.count; i++)
            facts_stored_by(&program->operations.at[o].subops.at[i], place, &numbers);
    if (numbers.others)
        return NULL;
    const IrFormula *any = equals(m, place, 0);
    for (int k = 1; k < numbers.count; k++)
        any = join(m, FORMULA_OR, any, equals(m, place, numbers.at[k]));
    return any;
}

static void facts_of_globals(Maker *m)
{
    const IrProgram *program = m->program;
    for (size_t i = 0; i < program->globals.count; i++) {
        const IrExpr *g = global(m, i);
        IrType type = g->type;
        facts_add(m, compare(m, FORMULA_NE, g, number(m, 0)), 0, int_type, int_type);
        if (type.kind == KIND_INT) {
            const IrFormula *few = facts_few_numbers(m, g);
            facts_add(m, compare(m, FORMULA_NE, g, number(m, 1)), 0, int_type, int_type);
            facts_add(m, compare(m, FORMULA_LE, number(m, 0), g), 0, int_type, int_type);
            facts_add(m, equals(m, g, 0), 0, int_type, int_type);
            if (few)
                facts_add(m, few, 0, int_type, int_type);
        }
        for (size_t k = 0; k < program->ranges.count; k++) {
            const IrRange *range = &program->ranges.at[k];
            if (range->global != (int)i)
                continue;
            facts_add(m, compare(m, FORMULA_LE, number(m, range->low), g), 0, int_type, int_type);
            facts_add(m, compare(m, FORMULA_LE, g, number(m, range->high)), 0, int_type, int_type);
        }
        if (type.kind == KIND_BOOL)
            facts_add(m, join(m, FORMULA_OR, equals(m, g, 0), equals(m, g, 1)), 0, int_type,
                      int_type);
        if (ir_type_is_node(type)) {
            facts_add(m, null_or_live(m, g), 0, int_type, int_type);
            for (size_t f = 0; f < program->fields.count; f++) {
                if (program->fields.at[f].structure != type.structure)
                    continue;
                if (ir_type_is_node(program->fields.at[f].type))
                    facts_add(m, compare(m, FORMULA_NE, field(m, f, g), number(m, 0)), 0, int_type,
                              int_type);
                if (program->fields.at[f].type.kind == KIND_BOOL)
                    facts_add(m, equals(m, field(m, f, g), 0), 0, int_type, int_type);
            }
        }
        for (size_t k = 0; k < i; k++) {
            const IrExpr *h = global(m, k);
            if (!ir_type_equal(type, h->type))
                continue;
            facts_add(m, compare(m, FORMULA_NE, g, h), 0, int_type, int_type);
            if (type.kind == KIND_INT) {
                facts_add(m, compare(m, FORMULA_LE, g, h), 0, int_type, int_type);
                facts_add(m, compare(m, FORMULA_LE, h, g), 0, int_type, int_type);
            }
        }
    }
}

/* Somebody holds a lock as long as it is set. */
static void facts_of_holders(Maker *m)
{
    for (size_t i = 0; i < m->program->holders.count; i++) {
        const IrHolder *one = &m->program->holders.at[i];
        const IrFormula *open = equals(m, global(m, (size_t)one->lock), 0);
        const IrFormula *none = equals(m, global(m, (size_t)one->holder), 0);
        facts_add(m, join(m, FORMULA_IMPLIES, open, none), 0, int_type, int_type);
        facts_add(m, join(m, FORMULA_IMPLIES, none, open), 0, int_type, int_type);
    }
}

/* Two positions that share a place of a ring are at least its size apart: true of every remainder,
 * so neither checked nor dropped. */
static void facts_of_size(Maker *m)
{
    if (m->program->size < 0)
        return;
    const IrExpr *size = global(m, (size_t)m->program->size);
    const IrExpr *i = bound(m, 0, int_type), *j = bound(m, 1, int_type);
    const IrFormula *shared = join(m, FORMULA_AND, compare(m, FORMULA_LT, i, j),
                                   compare(m, FORMULA_EQ, ir_binary(m->arena, IR_WRAP, i, size),
                                           ir_binary(m->arena, IR_WRAP, j, size)));
    facts_add(m, compare(m, FORMULA_LE, number(m, 2), size), 0, int_type, int_type);
    vec_last(m->out).axiom = true;
    facts_add(m,
              join(m, FORMULA_IMPLIES, shared,
                   compare(m, FORMULA_LE, ir_binary(m->arena, IR_ADD, i, size), j)),
              2, int_type, int_type);
    vec_last(m->out).axiom = true;
}

static void facts_of_arrays(Maker *m)
{
    const IrProgram *program = m->program;
    const IrExpr *i = bound(m, 0, int_type), *j = bound(m, 1, int_type);
    for (size_t a = 0; a < program->arrays.count; a++) {
        const IrFormula *few = NULL;
        if (program->arrays.at[a].type.kind == KIND_INT)
            few = facts_few_numbers(m, cell(m, a, i));
        if (few)
            facts_add(m, few, 1, int_type, int_type);
        if (ir_type_is_node(program->arrays.at[a].type)) {
            facts_add(m, null_or_live(m, cell(m, a, i)), 1, int_type, int_type);
            const IrFormula *same = join(m, FORMULA_AND, compare(m, FORMULA_NE, i, j),
                                         compare(m, FORMULA_EQ, cell(m, a, i), cell(m, a, j)));
            facts_add(m, join(m, FORMULA_IMPLIES, same, equals(m, cell(m, a, i), 0)), 2, int_type,
                      int_type);
        }
        for (size_t g = 0; g < program->globals.count; g++)
            if (program->globals.at[g].type.kind == KIND_INT)
                facts_add(m,
                          join(m, FORMULA_IMPLIES, compare(m, FORMULA_LE, global(m, g), i),
                               equals(m, cell(m, a, i), 0)),
                          1, int_type, int_type);
    }
}

/* Facts about a pointer field F, with a bool field B that tells live members from removed ones. */
static void facts_of_members(Maker *m, size_t f, size_t b, IrType node)
{
    const IrProgram *program = m->program;
    const IrExpr *n = bound(m, 0, node), *k = bound(m, 1, node);
    const IrExpr *next = field(m, f, n);
    const IrFormula *n_in = equals(m, field(m, b, n), 0), *k_in = equals(m, field(m, b, k), 0);
    const IrFormula *live_n = join(m, FORMULA_AND, ir_formula_live(m->arena, n), n_in);
    const IrFormula *live_k = join(m, FORMULA_AND, ir_formula_live(m->arena, k), k_in);
    const IrFormula *has_next =
        join(m, FORMULA_AND, live_n, compare(m, FORMULA_NE, next, number(m, 0)));
    facts_add(m, join(m, FORMULA_IMPLIES, has_next, equals(m, field(m, b, next), 0)), 1, node,
              node);
    const IrFormula *shared =
        join(m, FORMULA_AND, join(m, FORMULA_AND, compare(m, FORMULA_NE, n, k), n_in),
             join(m, FORMULA_AND, k_in, compare(m, FORMULA_EQ, next, field(m, f, k))));
    facts_add(m, join(m, FORMULA_IMPLIES, shared, equals(m, next, 0)), 2, node, node);
    for (size_t y = 0; y < program->fields.count; y++) {
        if (program->fields.at[y].structure != node.structure ||
            program->fields.at[y].type.kind != KIND_KEY)
            continue;
        const IrExpr *n_key = field(m, y, n), *k_key = field(m, y, k);
        const IrFormula *both = join(m, FORMULA_AND, live_n, live_k);
        facts_add(m,
                  join(m, FORMULA_IMPLIES,
                       join(m, FORMULA_AND, both, compare(m, FORMULA_EQ, n_key, k_key)),
                       compare(m, FORMULA_EQ, n, k)),
                  2, node, node);
        const IrFormula *gap = join(m, FORMULA_AND, compare(m, FORMULA_NE, next, number(m, 0)),
                                    compare(m, FORMULA_LE, field(m, y, next), k_key));
        facts_add(m,
                  join(m, FORMULA_IMPLIES,
                       join(m, FORMULA_AND, both, compare(m, FORMULA_LT, n_key, k_key)), gap),
                  2, node, node);
    }
}

static void facts_of_pointer_field(Maker *m, size_t f, IrType node)
{
    const IrProgram *program = m->program;
    const IrExpr *n = bound(m, 0, node), *k = bound(m, 1, node);
    const IrExpr *next = field(m, f, n);
    IrType to = program->fields.at[f].type;
    facts_add(m, null_or_live(m, next), 1, node, node);
    const IrFormula *shared = join(m, FORMULA_AND, compare(m, FORMULA_NE, n, k),
                                   compare(m, FORMULA_EQ, next, field(m, f, k)));
    facts_add(m, join(m, FORMULA_IMPLIES, shared, equals(m, next, 0)), 2, node, node);
    for (size_t g = 0; g < program->globals.count; g++)
        if (ir_type_equal(program->globals.at[g].type, to))
            facts_add(m, compare(m, FORMULA_NE, next, global(m, g)), 1, node, node);
    if (!ir_type_equal(to, node))
        return;
    /* Only the end of the list, or the node just linked behind it, has no successor. */
    for (size_t g = 0; g < program->globals.count; g++)
        if (ir_type_equal(program->globals.at[g].type, node))
            facts_add(m,
                      join(m, FORMULA_IMPLIES,
                           join(m, FORMULA_AND, ir_formula_live(m->arena, n), equals(m, next, 0)),
                           join(m, FORMULA_OR, compare(m, FORMULA_EQ, n, global(m, g)),
                                compare(m, FORMULA_EQ, field(m, f, global(m, g)), n))),
                      1, node, node);
    const IrFormula *linked = join(m, FORMULA_AND, ir_formula_live(m->arena, n),
                                   compare(m, FORMULA_NE, next, number(m, 0)));
    for (size_t y = 0; y < program->fields.count; y++) {
        if (program->fields.at[y].structure != node.structure)
            continue;
        if (program->fields.at[y].type.kind == KIND_KEY)
            facts_add(m,
                      join(m, FORMULA_IMPLIES, linked,
                           compare(m, FORMULA_LT, field(m, y, n), field(m, y, next))),
                      1, node, node);
        if (program->fields.at[y].type.kind == KIND_BOOL)
            facts_of_members(m, f, y, node);
    }
}

static void facts_of_fields(Maker *m)
{
    const IrProgram *program = m->program;
    for (size_t f = 0; f < program->fields.count; f++) {
        IrType node = {KIND_NODE, program->fields.at[f].structure};
        IrType type = program->fields.at[f].type;
        const IrExpr *n = bound(m, 0, node), *value = field(m, f, n);
        facts_add(m,
                  join(m, FORMULA_IMPLIES, ir_formula_not(m->arena, ir_formula_live(m->arena, n)),
                       equals(m, value, 0)),
                  1, node, node);
        if (type.kind == KIND_INT) {
            const IrFormula *few = facts_few_numbers(m, value);
            if (few)
                facts_add(m, few, 1, node, node);
        }
        if (type.kind == KIND_BOOL) {
            facts_add(m, join(m, FORMULA_OR, equals(m, value, 0), equals(m, value, 1)), 1, node,
                      node);
            for (size_t k = 0; k < program->fields.count; k++)
                if (k != f && program->fields.at[k].structure == node.structure &&
                    program->fields.at[k].type.kind == KIND_BOOL)
                    facts_add(
                        m,
                        join(m, FORMULA_IMPLIES, equals(m, value, 0), equals(m, field(m, k, n), 0)),
                        1, node, node);
        }
        if (ir_type_is_node(type))
            facts_of_pointer_field(m, f, node);
    }
}

typedef Vec(const IrExpr *) IrExprs;
typedef Vec(const IrFormula *) IrFormulas;

static void facts_collect_expr(IrExprs *terms, const IrExpr *e)
{
    if (!e)
        return;
    facts_collect_expr(terms, e->a);
    facts_collect_expr(terms, e->b);
    if (e->kind == IR_NUMBER || (e->kind >= IR_ADD && e->kind != IR_REST) ||
        e->type.kind == KIND_RANK)
        return;
    for (size_t i = 0; i < terms->count; i++)
        if (ir_expr_equal(terms->at[i], e))
            return;
    vec_push(terms, e);
}

static void facts_collect_formula(IrExprs *terms, const IrFormula *f)
{
    if (!f || f->kind == FORMULA_NONE)
        return;
    facts_collect_expr(terms, f->left);
    facts_collect_expr(terms, f->right);
    facts_collect_formula(terms, f->a);
    facts_collect_formula(terms, f->b);
}

/* The words of the text up to the point. */
static void facts_collect_steps(Maker *m, const IrOperation *operation, int point, IrExprs *terms)
{
    for (int i = 0; i < point; i++) {
        const SubOp *subop = &operation->subops.at[i];
        for (size_t k = 0; k < subop->guards.count; k++)
            facts_collect_formula(terms, subop->guards.at[k]);
        for (size_t k = 0; k < subop->statements.count; k++) {
            const IrStatement *s = &subop->statements.at[k];
            if (s->kind == IR_SET) {
                facts_collect_expr(terms, s->target);
                facts_collect_expr(terms, s->value);
            } else if (s->kind == IR_ASSUME) {
                facts_collect_formula(terms, s->condition);
            } else {
                facts_collect_expr(terms, ir_variable(m->arena, IR_LOCAL, s->local,
                                                      operation->locals.at[s->local].type));
            }
        }
    }
}

/* These, all globals, and the fields of the nodes it knows. */
static void facts_collect_terms(Maker *m, const IrOperation *operation, int point, IrExprs *terms)
{
    const IrProgram *program = m->program;
    facts_collect_steps(m, operation, point, terms);
    for (size_t g = 0; g < program->globals.count; g++)
        facts_collect_expr(terms, global(m, g));
    /* Adds what the ghosts say of the operation's own element, and of the one it observes. */
    for (int i = 0; i < 2 && program->ghost_arrays > 0; i++) {
        int local = i == 0 ? (operation->role.kind != ROLE_NONE ? operation->role.element : -1)
                           : (operation->observer ? operation->witness : -1);
        if (local < 0)
            continue;
        const IrExpr *e = ir_variable(m->arena, IR_LOCAL, local, operation->locals.at[local].type);
        bool named = false; /* before it is, nothing is known of it */
        for (size_t t = 0; t < terms->count && !named; t++)
            named = ir_expr_equal(terms->at[t], e);
        if (!named)
            continue;
        for (size_t a = program->arrays.count - (size_t)program->ghost_arrays;
             a < program->arrays.count; a++)
            facts_collect_expr(terms, cell(m, a, e));
    }
    size_t known = terms->count;
    for (size_t i = 0; i < known; i++)
        if (terms->at[i]->kind == IR_LOCAL && ir_type_is_node(terms->at[i]->type))
            for (size_t f = 0; f < program->fields.count; f++)
                if (program->fields.at[f].structure == terms->at[i]->type.structure)
                    facts_collect_expr(terms, field(m, f, terms->at[i]));
}

/* Has the step read the variable or place on one side of an equation into the local on the other?
 */
static void facts_reads(Maker *m, const SubOp *subop, IrFormulas *reads)
{
    for (size_t i = 0; i < subop->guards.count; i++)
        if (subop->guards.at[i]->kind == FORMULA_EQ)
            vec_push(reads, subop->guards.at[i]);
    for (size_t i = 0; i < subop->statements.count; i++) {
        const IrStatement *s = &subop->statements.at[i];
        if (s->kind == IR_SET && s->target->kind == IR_LOCAL)
            vec_push(reads, compare(m, FORMULA_EQ, s->target, s->value));
    }
}

/* One sub-operation may read several things at once: while the first is still so, so is the other.
 */
static void facts_of_joint_reads(Maker *m, const SubOp *subop)
{
    IrFormulas reads = {0};
    facts_reads(m, subop, &reads);
    for (size_t i = 0; i < reads.count; i++)
        for (size_t k = 0; k < reads.count; k++)
            if (i != k)
                facts_add(m, join(m, FORMULA_IMPLIES, reads.at[i], reads.at[k]), 0, int_type,
                          int_type);
    vec_free(&reads);
}

/* Whatever was read while a version (a global number) had the value that was read before, is so
 * while it still has. */
static void facts_of_versions(Maker *m, const IrOperation *op, int point)
{
    IrFormulas versions = {0};
    for (int i = 0; i < point; i++) {
        IrFormulas reads = {0};
        facts_reads(m, &op->subops.at[i], &reads);
        for (size_t v = 0; v < versions.count; v++)
            for (size_t k = 0; k < reads.count; k++)
                facts_add(m, join(m, FORMULA_IMPLIES, versions.at[v], reads.at[k]), 0, int_type,
                          int_type);
        for (size_t k = 0; k < reads.count; k++) {
            const IrExpr *l = reads.at[k]->left, *r = reads.at[k]->right;
            if ((l->kind == IR_LOCAL && r->kind == IR_GLOBAL && r->type.kind == KIND_INT) ||
                (r->kind == IR_LOCAL && l->kind == IR_GLOBAL && l->type.kind == KIND_INT))
                vec_push(&versions, reads.at[k]);
        }
        vec_free(&reads);
    }
    vec_free(&versions);
}

/* A fact that a step made true of shared memory may be so until a ghost says that something has
 * happened to the operation's element. */
static void facts_until_ghost(Maker *m, const IrOperation *op, const SubOp *subop)
{
    const IrProgram *program = m->program;
    if (program->ghost_arrays == 0 || op->role.kind == ROLE_NONE)
        return;
    const IrExpr *element =
        ir_variable(m->arena, IR_LOCAL, op->role.element, op->locals.at[op->role.element].type);
    for (size_t i = 0; i < subop->statements.count; i++) {
        const IrStatement *s = &subop->statements.at[i];
        if (s->kind != IR_SET || s->target->kind == IR_LOCAL ||
            (s->target->kind == IR_CELL &&
             s->target->index >= (int)program->arrays.count - program->ghost_arrays))
            continue;
        for (size_t a = program->arrays.count - (size_t)program->ghost_arrays;
             a < program->arrays.count; a++)
            if (program->arrays.at[a].type.kind == KIND_BOOL)
                facts_add(m,
                          join(m, FORMULA_OR, compare(m, FORMULA_EQ, s->target, s->value),
                               equals(m, cell(m, a, element), 1)),
                          0, int_type, int_type);
    }
}

/* A global's remainder by a small number that the text asks for is always the same, or is so while
 * a lock is free. */
static void facts_of_remainder(Maker *m, const IrExpr *place, int64_t by, bool locks)
{
    for (int64_t rest = 0; rest < by; rest++) {
        const IrFormula *f = equals(m, ir_binary(m->arena, IR_REST, place, number(m, by)), rest);
        facts_add(m, f, 0, int_type, int_type);
        for (size_t g = 0; g < m->program->globals.count && locks; g++)
            if (m->program->globals.at[g].type.kind == KIND_TID)
                facts_add(m, join(m, FORMULA_IMPLIES, equals(m, global(m, g), 0), f), 0, int_type,
                          int_type);
    }
}

static bool facts_expr_divides(const IrExpr *e, int64_t by)
{
    return e && ((e->kind == IR_REST && e->b->number == by) || facts_expr_divides(e->a, by) ||
                 facts_expr_divides(e->b, by));
}

static bool facts_formula_divides(const IrFormula *f, int64_t by)
{
    return f && (facts_expr_divides(f->left, by) || facts_expr_divides(f->right, by) ||
                 facts_formula_divides(f->a, by) || facts_formula_divides(f->b, by));
}

static bool facts_step_divides(const SubOp *subop, int64_t by)
{
    for (size_t i = 0; i < subop->guards.count; i++)
        if (facts_formula_divides(subop->guards.at[i], by))
            return true;
    for (size_t i = 0; i < subop->statements.count; i++) {
        const IrStatement *s = &subop->statements.at[i];
        if (facts_expr_divides(s->target, by) || facts_expr_divides(s->value, by) ||
            facts_formula_divides(s->condition, by))
            return true;
    }
    return false;
}

bool facts_divides(const IrProgram *program, int64_t by)
{
    for (size_t o = 0; o < program->operations.count; o++)
        for (size_t i = 0; i < program->operations.at[o].subops.count; i++)
            if (facts_step_divides(&program->operations.at[o].subops.at[i], by))
                return true;
    return false;
}

static void facts_of_remainders(Maker *m, bool locks)
{
    enum { MOST = 4 };
    for (int64_t by = 2; by <= MOST; by++) {
        bool divides = facts_divides(m->program, by);
        for (size_t g = 0; g < m->program->globals.count && divides; g++)
            if (m->program->globals.at[g].type.kind == KIND_INT)
                facts_of_remainder(m, global(m, g), by, locks);
    }
}

typedef Vec(int64_t) Distances;

/* Keeps the numbers above 0 that F compares differences with. */
static void facts_distances(const IrFormula *f, Distances *numbers)
{
    if (!f)
        return;
    facts_distances(f->a, numbers);
    facts_distances(f->b, numbers);
    for (int side = 0; side < 2 && f->left && f->right; side++) {
        const IrExpr *difference = side ? f->right : f->left, *n = side ? f->left : f->right;
        bool known = difference->kind != IR_SUB || n->kind != IR_NUMBER || n->number <= 0;
        for (size_t i = 0; i < numbers->count && !known; i++)
            known = numbers->at[i] == n->number;
        if (!known)
            vec_push(numbers, n->number);
    }
}

/* One global is at most so far above another as the text asks (the end and the beginning of a
 * ring), and LESS below that. */
static void facts_of_distances(Maker *m, int64_t less)
{
    Distances numbers = {0};
    for (size_t o = 0; o < m->program->operations.count; o++) {
        const IrOperation *op = &m->program->operations.at[o];
        for (size_t i = 0; i < op->subops.count; i++) {
            for (size_t k = 0; k < op->subops.at[i].guards.count; k++)
                facts_distances(op->subops.at[i].guards.at[k], &numbers);
            for (size_t k = 0; k < op->subops.at[i].statements.count; k++)
                facts_distances(op->subops.at[i].statements.at[k].condition, &numbers);
        }
    }
    for (size_t g = 0; g < m->program->globals.count && numbers.count > 0; g++)
        for (size_t h = 0; h < m->program->globals.count; h++) {
            if (g == h || m->program->globals.at[g].type.kind != KIND_INT ||
                m->program->globals.at[h].type.kind != KIND_INT)
                continue;
            for (size_t k = 0; k < numbers.count; k++)
                facts_add(m,
                          compare(m, FORMULA_LE, global(m, g),
                                  ir_binary(m->arena, IR_ADD, global(m, h),
                                            number(m, numbers.at[k] - less))),
                          0, int_type, int_type);
        }
    vec_free(&numbers);
}

void facts_point_candidates(Arena *arena, const IrProgram *program, int operation, int point,
                            FactList *out)
{
    Maker maker = {arena, program, out}, *m = &maker;
    const IrOperation *op = &program->operations.at[operation];
    IrExprs terms = {0};
    facts_collect_terms(m, op, point, &terms);
    for (size_t i = 0; i < terms.count; i++) {
        const IrExpr *t = terms.at[i];
        if (t->kind == IR_ID)
            continue;
        if (t->type.kind != KIND_KEY) {
            facts_add(m, equals(m, t, 0), 0, int_type, int_type);
            facts_add(m, compare(m, FORMULA_NE, t, number(m, 0)), 0, int_type, int_type);
        }
        if (t->type.kind == KIND_BOOL || t->type.kind == KIND_INT)
            facts_add(m, equals(m, t, 1), 0, int_type, int_type);
        if (t->type.kind == KIND_INT) {
            facts_add(m, compare(m, FORMULA_NE, t, number(m, 1)), 0, int_type, int_type);
            facts_add(m, compare(m, FORMULA_LE, number(m, 0), t), 0, int_type, int_type);
        }
        if (ir_type_is_node(t->type) && t->kind == IR_LOCAL) {
            facts_add(m, null_or_live(m, t), 0, int_type, int_type);
            facts_add(m, ir_formula_live(arena, t), 0, int_type, int_type);
        }
    }
    for (size_t i = 0; i < terms.count; i++)
        for (size_t k = 0; k < i; k++) {
            const IrExpr *a = terms.at[i], *b = terms.at[k];
            if (!ir_type_equal(a->type, b->type) || a->type.kind == KIND_BOOL)
                continue;
            facts_add(m, compare(m, FORMULA_EQ, a, b), 0, int_type, int_type);
            facts_add(m, compare(m, FORMULA_NE, a, b), 0, int_type, int_type);
            if (a->type.kind == KIND_INT || a->type.kind == KIND_KEY) {
                facts_add(m, compare(m, FORMULA_LE, a, b), 0, int_type, int_type);
                facts_add(m, compare(m, FORMULA_LE, b, a), 0, int_type, int_type);
            }
        }
    facts_of_point_ranks(m, terms.at, terms.count);
    facts_of_remainders(m, false);
    facts_of_distances(m, 1);
    facts_of_versions(m, op, point);
    for (int i = 0; i < point; i++) {
        facts_of_joint_reads(m, &op->subops.at[i]);
        facts_until_ghost(m, op, &op->subops.at[i]);
        for (size_t k = 0; k < op->subops.at[i].guards.count; k++) /* what was true may still be */
            if (!ir_formula_has_none(op->subops.at[i].guards.at[k]))
                facts_add(m, op->subops.at[i].guards.at[k], 0, int_type, int_type);
        for (size_t k = 0; k < op->subops.at[i].statements.count; k++) {
            const IrStatement *s = &op->subops.at[i].statements.at[k];
            if (s->kind == IR_ASSUME)
                facts_add(m, s->condition, 0, int_type, int_type);
            if (s->kind == IR_SET && s->target->kind == IR_GLOBAL && s->value->kind >= IR_ADD &&
                ir_expr_is_pure(s->value)) /* what was stored may be there still */
                facts_add(m, compare(m, FORMULA_EQ, s->target, s->value), 0, int_type, int_type);
            if (s->kind == IR_NEW)
                facts_add(m,
                          ir_formula_mine(arena, ir_variable(arena, IR_LOCAL, s->local,
                                                             op->locals.at[s->local].type)),
                          0, int_type, int_type);
        }
    }
    vec_free(&terms);
}

void facts_add_users(const IrProgram *program, Facts *facts)
{
    for (size_t i = 0; i < program->facts.count; i++) {
        const UserFact *user = &program->facts.at[i];
        Fact fact = {.formula = user->formula,
                     .bound_count = user->bound_count,
                     .bound = {user->bound[0], user->bound[1]},
                     .user = user};
        if (user->operation < 0)
            vec_push(&facts->global, fact);
        else if (user->point < (int)program->operations.at[user->operation].subops.count)
            vec_push(&facts->points[user->operation][user->point], fact);
    }
}

/* A cell whose position is a number is as good as a global; the few numbers that are stored in its
 * array are not looked up for each question. */
static void facts_of_fixed_cells(Maker *m)
{
    const IrProgram *program = m->program;
    IrExprs terms = {0};
    for (size_t o = 0; o < program->operations.count; o++)
        facts_collect_steps(m, &program->operations.at[o],
                            (int)program->operations.at[o].subops.count, &terms);
    for (size_t i = 0; i < terms.count; i++) {
        const IrExpr *e = terms.at[i];
        const IrFormula *few =
            e->kind == IR_CELL && e->a->kind == IR_NUMBER && e->type.kind == KIND_INT
                ? facts_few_numbers(m, e)
                : NULL;
        if (few)
            facts_add(m, few, 0, int_type, int_type);
    }
    vec_free(&terms);
}

void facts_candidates(Arena *arena, const IrProgram *program, Facts *facts)
{
    Maker maker = {arena, program, &facts->global};
    facts_of_size(&maker);
    facts_of_globals(&maker);
    facts_of_holders(&maker);
    facts_of_arrays(&maker);
    facts_of_fixed_cells(&maker);
    facts_of_remainders(&maker, true);
    facts_of_distances(&maker, 0);
    facts_of_fields(&maker);
    facts_of_ghosts(&maker);
    facts_of_ranks(&maker);
    facts->points = arena_array_of(arena, FactList *, program->operations.count);
    for (size_t i = 0; i < program->operations.count; i++) {
        size_t count = program->operations.at[i].subops.count;
        facts->points[i] = arena_array_of(arena, FactList, count + 1);
        for (size_t p = 1; p < count; p++)
            facts_point_candidates(arena, program, (int)i, (int)p, &facts->points[i][p]);
    }
    facts_add_users(program, facts);
}

void facts_drop_dead(FactList *list)
{
    size_t kept = 0;
    for (size_t i = 0; i < list->count; i++)
        if (!list->at[i].dead)
            list->at[kept++] = list->at[i];
    list->count = kept;
}

void facts_free(const IrProgram *program, Facts *facts)
{
    vec_free(&facts->global);
    for (size_t i = 0; facts->points && i < program->operations.count; i++)
        for (size_t p = 0; p <= program->operations.at[i].subops.count; p++)
            vec_free(&facts->points[i][p]);
}

void fact_print(Buffer *out, const IrProgram *program, const IrOperation *operation,
                const Fact *fact)
{
    static const char *const names[] = {"n", "m"};
    if (fact->bound_count > 0)
        buffer_printf(out, "for all %s%s%s: ", names[0], fact->bound_count > 1 ? ", " : "",
                      fact->bound_count > 1 ? names[1] : "");
    ir_formula_print(out, program, operation, fact->formula);
}
