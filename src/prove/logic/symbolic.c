#include "prove/logic/symbolic.h"
#include <string.h>

void symbolic_init(Symbolic *symbolic, const IrProgram *program, TermPool *pool, Arena *arena)
{
    *symbolic = (Symbolic){.program = program, .pool = pool, .arena = arena};
    size_t fields = program->fields.count, arrays = program->arrays.count;
    symbolic->map_count = (int)(fields + arrays + 2);
    symbolic->base_globals = arena_array_of(arena, uint32_t, program->globals.count + 1);
    symbolic->base_maps = arena_array_of(arena, uint32_t, fields + arrays + 2);
    for (size_t i = 0; i < program->globals.count; i++)
        symbolic->base_globals[i] = term_new_symbol(pool, program->globals.at[i].name);
    for (size_t i = 0; i < fields; i++)
        symbolic->base_maps[i] =
            term_new_map(pool, arena_printf(arena, "%s.%s",
                                            program->structures.at[program->fields.at[i].structure],
                                            program->fields.at[i].name));
    for (size_t i = 0; i < arrays; i++)
        symbolic->base_maps[fields + i] =
            term_new_map(pool, arena_printf(arena, "%s[]", program->arrays.at[i].name));
    symbolic->base_maps[fields + arrays] = term_new_map(pool, "maker");
    symbolic->base_maps[fields + arrays + 1] = term_new_map(pool, "allocated");
    if (program->size >= 0)
        symbolic->wrap = term_new_map(pool, "remainder");
}

void symbolic_set_query(Symbolic *symbolic, const Instance *instances, int count)
{
    static const char *const names[] = {"arbitrary.u", "arbitrary.v", "arbitrary.w"};
    symbolic->query = arena_array_of(symbolic->arena, Instance, (size_t)count);
    memcpy(symbolic->query, instances, sizeof(Instance) * (size_t)count);
    symbolic->query_count = count;
    if (symbolic->arbitrary[0] == symbolic->arbitrary[1])
        for (int i = 0; i < 3; i++)
            symbolic->arbitrary[i] =
                term_symbol(symbolic->pool, term_new_symbol(symbolic->pool, names[i]));
}

void symbolic_free(Symbolic *symbolic)
{
    hashmap_free(&symbolic->locals);
}

const IrOperation *symbolic_operation(const Symbolic *symbolic, Instance instance)
{
    return instance.operation < 0 ? &symbolic->program->initial
                                  : &symbolic->program->operations.at[instance.operation];
}

int symbolic_allocated_map(const Symbolic *symbolic)
{
    return symbolic->map_count - 1;
}

static int symbolic_maker_map(const Symbolic *symbolic)
{
    return symbolic->map_count - 2;
}

static SymState symbolic_state(Symbolic *symbolic, bool empty)
{
    SymState state = {.empty = empty};
    size_t globals = symbolic->program->globals.count;
    state.globals = arena_array_of(symbolic->arena, Term, globals + 1);
    state.maps = arena_array_of(symbolic->arena, const Write *, (size_t)symbolic->map_count);
    for (size_t i = 0; i < globals; i++)
        state.globals[i] = empty && (int)i != symbolic->program->size
                               ? term_number(symbolic->pool, 0)
                               : term_symbol(symbolic->pool, symbolic->base_globals[i]);
    return state;
}

SymState symbolic_unknown(Symbolic *symbolic)
{
    return symbolic_state(symbolic, false);
}

SymState symbolic_empty(Symbolic *symbolic)
{
    return symbolic_state(symbolic, true);
}

static Term symbolic_local_symbol(Symbolic *symbolic, Instance instance, int local)
{
    uint64_t key = ((uint64_t)(uint32_t)instance.number << 48) |
                   ((uint64_t)(uint32_t)(instance.operation + 1) << 24) | (uint32_t)(local + 1);
    bool was_absent;
    uint64_t *slot = hashmap_put(&symbolic->locals, key, &was_absent);
    if (was_absent) {
        const IrOperation *operation = symbolic_operation(symbolic, instance);
        *slot = term_new_symbol(symbolic->pool,
                                arena_printf(symbolic->arena, "%s.%s.%c",
                                             local < 0 ? "ID" : operation->locals.at[local].name,
                                             operation->name, (char)('u' + instance.number)));
    }
    return term_symbol(symbolic->pool, (uint32_t)*slot);
}

Term symbolic_local(Symbolic *symbolic, Instance instance, int local)
{
    return symbolic_local_symbol(symbolic, instance, local);
}

Term symbolic_id(Symbolic *symbolic, Instance instance)
{
    return symbolic_local_symbol(symbolic, instance, -1);
}

static Term symbolic_read_writes(Symbolic *symbolic, bool empty, int map, const Write *write,
                                 Term index)
{
    TermPool *pool = symbolic->pool;
    if (!write)
        return empty ? term_number(pool, 0) : term_read(pool, symbolic->base_maps[map], index);
    Term same = term_eq(pool, write->index, index);
    if (same == term_true(pool))
        return write->value;
    return term_ite(pool, same, write->value,
                    symbolic_read_writes(symbolic, empty, map, write->before, index));
}

Term symbolic_read(Symbolic *symbolic, const SymState *state, int map, Term index)
{
    return symbolic_read_writes(symbolic, state->empty, map, state->maps[map], index);
}

/* A number of times A, as a sum. */
static Term symbolic_times(TermPool *pool, Term a, int64_t times)
{
    if (times < 0)
        return term_sub(pool, term_number(pool, 0), symbolic_times(pool, a, -times));
    if (times < 2)
        return times == 0 ? term_number(pool, 0) : a;
    Term half = symbolic_times(pool, a, times / 2), even = term_add(pool, half, half);
    return times % 2 == 0 ? even : term_add(pool, even, a);
}

/* The quotient or remainder of A: reads of two maps that nothing changes, with what they mean. */
static Term symbolic_divide(Symbolic *symbolic, Term a, int64_t by, bool rest)
{
    TermPool *pool = symbolic->pool;
    size_t at = 0;
    if (term_node(pool, a)->kind == TERM_NUMBER) {
        int64_t known = term_node(pool, a)->number;
        return term_number(pool, rest ? known % by : known / by);
    }
    while (at < symbolic->divisions.count && symbolic->divisions.at[at].by != by)
        at++;
    if (at == symbolic->divisions.count)
        arena_push(symbolic->arena, &symbolic->divisions,
                   (Division){by, term_new_map(pool, "quotient"), term_new_map(pool, "rest")});
    const Division *division = &symbolic->divisions.at[at];
    Term q = term_read(pool, division->quotient, a), r = term_read(pool, division->rest, a);
    Term zero = term_number(pool, 0), positive = term_le(pool, zero, a);
    Term above = term_and(pool, term_le(pool, zero, r), term_lt(pool, r, term_number(pool, by)));
    Term below = term_and(pool, term_le(pool, r, zero), term_lt(pool, term_number(pool, -by), r));
    term_define(pool, q, r,
                term_and(pool, term_eq(pool, a, term_add(pool, symbolic_times(pool, q, by), r)),
                         term_and(pool, term_or(pool, term_not(pool, positive), above),
                                  term_or(pool, positive, below))));
    return rest ? r : q;
}

static Term symbolic_expr(Symbolic *symbolic, const SymState *state, Instance instance,
                          const Term *bound, const IrExpr *e)
{
    TermPool *pool = symbolic->pool;
    switch (e->kind) {
    case IR_NUMBER:
        return term_number(pool, e->number);
    case IR_ID:
        return symbolic_id(symbolic, instance);
    case IR_LOCAL:
        return symbolic_local(symbolic, instance, e->index);
    case IR_GLOBAL:
        return state->globals[e->index];
    case IR_BOUND:
        return bound[e->index];
    case IR_FIELD:
        return symbolic_read(symbolic, state, e->index,
                             symbolic_expr(symbolic, state, instance, bound, e->a));
    case IR_CELL:
        return symbolic_read(symbolic, state, (int)symbolic->program->fields.count + e->index,
                             symbolic_expr(symbolic, state, instance, bound, e->a));
    case IR_WRAP:
        return term_read(pool, symbolic->wrap,
                         symbolic_expr(symbolic, state, instance, bound, e->a));
    case IR_TIMES:
        return symbolic_times(pool, symbolic_expr(symbolic, state, instance, bound, e->a),
                              e->b->number);
    case IR_QUOTIENT:
    case IR_REST:
        return symbolic_divide(symbolic, symbolic_expr(symbolic, state, instance, bound, e->a),
                               e->b->number, e->kind == IR_REST);
    case IR_ADD:
    case IR_SUB: {
        Term a = symbolic_expr(symbolic, state, instance, bound, e->a);
        Term b = symbolic_expr(symbolic, state, instance, bound, e->b);
        return e->kind == IR_ADD ? term_add(pool, a, b) : term_sub(pool, a, b);
    }
    }
    ASSERT(false);
    return 0;
}

static Term symbolic_none(Symbolic *symbolic, const SymState *state, Instance instance,
                          const IrFormula *f)
{
    TermPool *pool = symbolic->pool;
    Term all = term_true(pool);
    if (symbolic->to_show)
        return term_not(pool, symbolic_formula(symbolic, state, instance,
                                               &symbolic->arbitrary[instance.number], f->a));
    for (int i = 0; i < symbolic->query_count; i++) {
        const IrOperation *op = symbolic_operation(symbolic, symbolic->query[i]);
        for (size_t l = 0; l < op->locals.count; l++) {
            Term value = symbolic_local(symbolic, symbolic->query[i], (int)l);
            if (ir_type_equal(op->locals.at[l].type, f->bound))
                all = term_and(
                    pool, all,
                    term_not(pool, symbolic_formula(symbolic, state, instance, &value, f->a)));
        }
    }
    for (int i = 0; i < 3 && symbolic->query_count > 0; i++)
        all = term_and(pool, all,
                       term_not(pool, symbolic_formula(symbolic, state, instance,
                                                       &symbolic->arbitrary[i], f->a)));
    return all;
}

Term symbolic_formula(Symbolic *symbolic, const SymState *state, Instance instance,
                      const Term *bound, const IrFormula *f)
{
    TermPool *pool = symbolic->pool;
    if (f->kind == FORMULA_NONE)
        return symbolic_none(symbolic, state, instance, f);
    Term l = 0, r = 0;
    if (f->left)
        l = symbolic_expr(symbolic, state, instance, bound, f->left);
    if (f->right)
        r = symbolic_expr(symbolic, state, instance, bound, f->right);
    if (f->a)
        l = symbolic_formula(symbolic, state, instance, bound, f->a);
    if (f->b)
        r = symbolic_formula(symbolic, state, instance, bound, f->b);
    switch (f->kind) {
    case FORMULA_TRUE:
        return term_true(pool);
    case FORMULA_EQ:
        return term_eq(pool, l, r);
    case FORMULA_NE:
        return term_not(pool, term_eq(pool, l, r));
    case FORMULA_LT:
        return term_lt(pool, l, r);
    case FORMULA_LE:
        return term_le(pool, l, r);
    case FORMULA_LIVE: {
        Term allocated = symbolic_read(symbolic, state, symbolic_allocated_map(symbolic), l);
        return term_and(pool, term_not(pool, term_eq(pool, l, term_number(pool, 0))),
                        term_eq(pool, allocated, term_number(pool, 1)));
    }
    case FORMULA_MINE:
        return term_eq(pool, symbolic_read(symbolic, state, symbolic_maker_map(symbolic), l),
                       symbolic_id(symbolic, instance));
    case FORMULA_NONE:
        break;
    case FORMULA_NOT:
        return term_not(pool, l);
    case FORMULA_AND:
        return term_and(pool, l, r);
    case FORMULA_OR:
        return term_or(pool, l, r);
    case FORMULA_IMPLIES:
        return term_or(pool, term_not(pool, l), r);
    }
    ASSERT(false);
    return 0;
}

/* A step that reads a field of NULL can't run. */
static void symbolic_defined(Symbolic *symbolic, const SymState *state, Instance instance,
                             const IrExpr *e, Terms *conditions)
{
    TermPool *pool = symbolic->pool;
    if (!e)
        return;
    symbolic_defined(symbolic, state, instance, e->a, conditions);
    symbolic_defined(symbolic, state, instance, e->b, conditions);
    if (e->kind != IR_FIELD)
        return;
    Term base = symbolic_expr(symbolic, state, instance, NULL, e->a);
    Term defined = term_not(pool, term_eq(pool, base, term_number(pool, 0)));
    if (defined != term_true(pool))
        vec_push(conditions, defined);
}

static void symbolic_defined_formula(Symbolic *symbolic, const SymState *state, Instance instance,
                                     const IrFormula *f, Terms *conditions)
{
    if (!f || f->kind == FORMULA_NONE)
        return;
    symbolic_defined(symbolic, state, instance, f->left, conditions);
    symbolic_defined(symbolic, state, instance, f->right, conditions);
    symbolic_defined_formula(symbolic, state, instance, f->a, conditions);
    symbolic_defined_formula(symbolic, state, instance, f->b, conditions);
}

static void symbolic_write(Symbolic *symbolic, SymState *state, int map, Term index, Term value)
{
    Write *write = arena_new_of(symbolic->arena, Write);
    *write = (Write){index, value, state->maps[map]};
    state->maps[map] = write;
}

static void symbolic_statement(Symbolic *symbolic, const IrStatement *s, Instance instance,
                               SymState *state, Terms *conditions)
{
    TermPool *pool = symbolic->pool;
    int allocated = symbolic_allocated_map(symbolic);
    if (s->kind == IR_NEW) {
        Term node = symbolic_local(symbolic, instance, s->local);
        vec_push(conditions, term_lt(pool, term_number(pool, 0), node));
        vec_push(conditions,
                 term_not(pool, term_eq(pool, symbolic_read(symbolic, state, allocated, node),
                                        term_number(pool, 1))));
        symbolic_write(symbolic, state, allocated, node, term_number(pool, 1));
        symbolic_write(symbolic, state, symbolic_maker_map(symbolic), node,
                       symbolic_id(symbolic, instance));
        return;
    }
    if (s->kind == IR_FREE) {
        Term node = symbolic_local(symbolic, instance, s->local);
        symbolic_write(symbolic, state, allocated, node, term_number(pool, 0));
        return;
    }
    if (s->kind == IR_ASSUME) {
        symbolic_defined_formula(symbolic, state, instance, s->condition, conditions);
        vec_push(conditions, symbolic_formula(symbolic, state, instance, NULL, s->condition));
        return;
    }
    symbolic_defined(symbolic, state, instance, s->target, conditions);
    symbolic_defined(symbolic, state, instance, s->value, conditions);
    Term value = symbolic_expr(symbolic, state, instance, NULL, s->value);
    const IrExpr *target = s->target;
    if (target->kind == IR_LOCAL) {
        Term local = symbolic_local(symbolic, instance, target->index);
        vec_push(conditions, term_eq(pool, local, value));
    } else if (target->kind == IR_GLOBAL) {
        state->globals[target->index] = value;
    } else {
        int map = target->kind == IR_FIELD ? target->index
                                           : (int)symbolic->program->fields.count + target->index;
        Term index = symbolic_expr(symbolic, state, instance, NULL, target->a);
        symbolic_write(symbolic, state, map, index, value);
    }
}

void symbolic_run(Symbolic *symbolic, const SubOp *subop, Instance instance, SymState *state,
                  Terms *conditions)
{
    SymState after = symbolic_state(symbolic, state->empty);
    memcpy(after.globals, state->globals, sizeof(Term) * symbolic->program->globals.count);
    memcpy(after.maps, state->maps, sizeof(const Write *) * (size_t)symbolic->map_count);
    for (size_t i = 0; i < subop->guards.count; i++) {
        const IrFormula *guard = subop->guards.at[i];
        symbolic_defined_formula(symbolic, state, instance, guard, conditions);
        vec_push(conditions, symbolic_formula(symbolic, state, instance, NULL, guard));
    }
    for (size_t i = 0; i < subop->statements.count; i++)
        symbolic_statement(symbolic, &subop->statements.at[i], instance, &after, conditions);
    *state = after;
}

Term symbolic_same(Symbolic *symbolic, const SymState *a, const SymState *b)
{
    TermPool *pool = symbolic->pool;
    Term same = term_true(pool);
    ASSERT(a->empty == b->empty);
    for (size_t i = 0; i < symbolic->program->globals.count; i++)
        same = term_and(pool, same, term_eq(pool, a->globals[i], b->globals[i]));
    /* Both maps are the same unknown map with writes: they can differ where one was written
     * only. */
    for (int map = 0; map < symbolic->map_count; map++) {
        if (a->maps[map] == b->maps[map])
            continue;
        for (int side = 0; side < 2; side++)
            for (const Write *w = side ? b->maps[map] : a->maps[map]; w; w = w->before)
                same = term_and(pool, same,
                                term_eq(pool, symbolic_read(symbolic, a, map, w->index),
                                        symbolic_read(symbolic, b, map, w->index)));
    }
    return same;
}
