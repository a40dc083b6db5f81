/* Let K be KEEP, f FIELD, T UNTIL. Checked, for every state with the invariants and every step of
 * every operation (primes are the state after it), for every node n that is allocated: (1) K holds
 * of the node in GLOBAL; (2) K(n) and n.f = c, c not NULL imply K(c) and that c is allocated; (3)
 * not K(n) implies not K'(n), and not K'(n) implies n.f' = n.f; allocated nodes stay allocated; (4)
 * K(n) and not K'(n) imply T(n), if there is a T; (5) every other condition that the first
 * sub-operation tests is the same before and after, or follows from K, T and those that are. Lemma:
 * if K(n) at some time t since the call and n.f = c is read later, c not NULL, then K(c) at some
 * time since the call. For if K(n) still holds at the read, (2) applies then. Otherwise K(n) fell
 * at one step after t; by (3) n.f did not change in it nor since, so n.f = c in the state before
 * that step, where K(n) held, and (2) applies there. With (1), by induction along the walk, the
 * node met satisfied K at some time since the call. If T holds of it at the end: either K does too,
 * then; or K fell at some step, before which, by (4), K and T both held. By (5) the other
 * conditions hold at that time, as they do when they are read or because they follow. If the link
 * n.f = c of the last node is read too, it held at that time as well: at the read if K(n) held
 * then, else before the step at which K(n) fell. So the first sub-operation could have run then,
 * which is what the text says. */
#include "prove/facts/walk.h"
#include <string.h>

enum { WALKER = 0, STEPPER = 1, SUCCESSOR = 2 };

typedef struct WalkCheck {
    Prover *prover;
    const Walk *walk;
    Instance walker, successor; /* the successor's local of the same name is the next node */
} WalkCheck;

static Term walk_all(WalkCheck *check, const IrFormula *const *list, size_t count,
                     Instance instance, const SymState *state)
{
    TermPool *pool = &check->prover->pool;
    Term all = term_true(pool);
    for (size_t i = 0; i < count; i++)
        all = term_and(pool, all,
                       symbolic_formula(&check->prover->symbolic, state, instance, NULL, list[i]));
    return all;
}

static Term walk_keep(WalkCheck *check, Instance instance, const SymState *state)
{
    return walk_all(check, check->walk->keep.at, check->walk->keep.count, instance, state);
}

static Term walk_live(WalkCheck *check, Term node, const SymState *state)
{
    Prover *prover = check->prover;
    Term allocated =
        symbolic_read(&prover->symbolic, state, symbolic_allocated_map(&prover->symbolic), node);
    return term_and(
        &prover->pool,
        term_not(&prover->pool, term_eq(&prover->pool, node, term_number(&prover->pool, 0))),
        term_eq(&prover->pool, allocated, term_number(&prover->pool, 1)));
}

static bool walk_prove(Prover *prover, const Terms *assumed, Term goal)
{
    solver_push(prover->solver);
    solver_assume_all(prover->solver, assumed);
    solver_assert(prover->solver, term_not(&prover->pool, goal));
    SolverAnswer answer = solver_check(prover->solver);
    solver_pop(prover->solver);
    if (answer == ANSWER_UNKNOWN)
        prover->incomplete = true;
    return answer == ANSWER_NO;
}

/* (1) and (2): in one state. */
static const char *walk_check_state(WalkCheck *check)
{
    Prover *prover = check->prover;
    TermPool *pool = &prover->pool;
    const Walk *walk = check->walk;
    Instance both[] = {check->walker, check->successor};
    SymState state = symbolic_unknown(&prover->symbolic);
    Term node = symbolic_local(&prover->symbolic, check->walker, walk->local);
    Term next = symbolic_local(&prover->symbolic, check->successor, walk->local);
    Terms base = {0};
    const char *reason = NULL;
    prover_assume(prover, &state, both, 2, false, &base);
    size_t known = base.count;
    vec_push(&base, term_eq(pool, node, state.globals[walk->global]));
    if (!walk_prove(prover, &base,
                    term_and(pool, walk_live(check, node, &state),
                             walk_keep(check, check->walker, &state))))
        reason = "the node it starts from need not satisfy it";
    base.count = known;
    vec_push(&base, walk_live(check, node, &state));
    vec_push(&base, walk_keep(check, check->walker, &state));
    vec_push(&base,
             term_eq(pool, next, symbolic_read(&prover->symbolic, &state, walk->field, node)));
    vec_push(&base, term_not(pool, term_eq(pool, next, term_number(pool, 0))));
    if (!reason && !walk_prove(prover, &base,
                               term_and(pool, walk_live(check, next, &state),
                                        walk_keep(check, check->successor, &state))))
        reason = "the successor of a node that satisfies it need not";
    vec_free(&base);
    return reason;
}

/* Is the condition one of the walk's own? */
static bool walk_gives(const WalkCheck *check, const IrFormula *guard)
{
    bool given = guard->kind == FORMULA_LIVE;
    for (size_t k = 0; k < check->walk->keep.count; k++)
        given |= ir_formula_equal(guard, check->walk->keep.at[k]);
    for (size_t k = 0; k < check->walk->until.count; k++)
        given |= ir_formula_equal(guard, check->walk->until.at[k]);
    return given;
}

/* That the last node's link was `to`, if the walk has one. */
static Term walk_link(WalkCheck *check, const SymState *state)
{
    Prover *prover = check->prover;
    if (check->walk->to < 0)
        return term_true(&prover->pool);
    Term node = symbolic_local(&prover->symbolic, check->walker, check->walk->local);
    return term_eq(&prover->pool, symbolic_local(&prover->symbolic, check->walker, check->walk->to),
                   symbolic_read(&prover->symbolic, state, check->walk->field, node));
}

/* Does no step change the truth of GUARD, while the node (and the one it led to) is allocated? */
static bool walk_immutable(WalkCheck *check, const IrFormula *guard)
{
    Prover *prover = check->prover;
    TermPool *pool = &prover->pool;
    Term node = symbolic_local(&prover->symbolic, check->walker, check->walk->local);
    bool immutable = true;
    for (int op = 0; immutable && op < (int)prover->program->operations.count; op++)
        for (int p = 0; immutable && p < prover_points(prover, op); p++) {
            Instance stepper = {STEPPER, op}, both[] = {check->walker, stepper};
            SymState before = symbolic_unknown(&prover->symbolic), after = before;
            Terms base = {0};
            symbolic_run(&prover->symbolic, &prover->program->operations.at[op].subops.at[p],
                         stepper, &after, &base);
            Term x = symbolic_formula(&prover->symbolic, &before, check->walker, NULL, guard);
            Term y = symbolic_formula(&prover->symbolic, &after, check->walker, NULL, guard);
            if (x != y) {
                prover_assume(prover, &before, both, 2, false, &base);
                prover_assume_point(prover, &before, stepper, p, &base);
                vec_push(&base, walk_live(check, node, &before));
                if (check->walk->to >= 0) { /* a link leads to an allocated node or NULL: (2) */
                    Term to = symbolic_local(&prover->symbolic, check->walker, check->walk->to);
                    vec_push(&base, term_or(pool, term_eq(pool, to, term_number(pool, 0)),
                                            walk_live(check, to, &before)));
                }
                immutable = walk_prove(prover, &base,
                                       term_and(pool, term_or(pool, x, term_not(pool, y)),
                                                term_or(pool, y, term_not(pool, x))));
            }
            vec_free(&base);
        }
    return immutable;
}

/* (5) */
static const char *walk_check_guards(WalkCheck *check)
{
    Prover *prover = check->prover;
    const SubOp *first = &prover->program->operations.at[check->walker.operation].subops.at[0];
    SymState state = symbolic_unknown(&prover->symbolic);
    Term node = symbolic_local(&prover->symbolic, check->walker, check->walk->local);
    Terms base = {0}, rest = {0};
    prover_assume(prover, &state, &check->walker, 1, false, &base);
    vec_push(&base, walk_live(check, node, &state));
    vec_push(&base, walk_keep(check, check->walker, &state));
    vec_push(&base, walk_all(check, check->walk->until.at, check->walk->until.count, check->walker,
                             &state));
    vec_push(&base, walk_link(check, &state));
    for (size_t i = 0; i < first->guards.count; i++) {
        const IrFormula *guard = first->guards.at[i];
        if (walk_gives(check, guard))
            continue;
        Term term = symbolic_formula(&prover->symbolic, &state, check->walker, NULL, guard);
        if (walk_immutable(check, guard))
            vec_push(&base, term);
        else
            vec_push(&rest, term);
    }
    bool good = walk_prove(prover, &base, term_all(&prover->pool, &rest));
    vec_free(&base);
    vec_free(&rest);
    return good ? NULL : "what else the first step tests may have changed since";
}

/* (3), (4): for one step. */
static const char *walk_check_step(WalkCheck *check, int operation, int point)
{
    Prover *prover = check->prover;
    TermPool *pool = &prover->pool;
    const IrOperation *op = &prover->program->operations.at[operation];
    Instance stepper = {STEPPER, operation}, both[] = {check->walker, stepper};
    SymState before = symbolic_unknown(&prover->symbolic), after = before;
    Term node = symbolic_local(&prover->symbolic, check->walker, check->walk->local);
    Terms base = {0};
    const char *broken = NULL;
    prover_assume(prover, &before, both, 2, false, &base);
    prover_assume_point(prover, &before, stepper, point, &base);
    symbolic_run(&prover->symbolic, &op->subops.at[point], stepper, &after, &base);
    vec_push(&base, walk_live(check, node, &before));
    Term keeps = walk_keep(check, check->walker, &before);
    Term keeps_after = walk_keep(check, check->walker, &after);
    Term same_field =
        term_eq(pool, symbolic_read(&prover->symbolic, &before, check->walk->field, node),
                symbolic_read(&prover->symbolic, &after, check->walk->field, node));
    if (!walk_prove(prover, &base, term_or(pool, keeps, term_not(pool, keeps_after))))
        broken = "makes a node satisfy it again";
    else if (!walk_prove(prover, &base, term_or(pool, keeps_after, same_field)))
        broken = "changes the link of a node that does not satisfy it";
    else if (!walk_prove(prover, &base, walk_live(check, node, &after)))
        broken = "frees a node that may be met";
    else if (check->walk->until.count > 0 &&
             !walk_prove(
                 prover, &base,
                 term_or(pool, term_not(pool, keeps),
                         term_or(pool, keeps_after,
                                 walk_all(check, check->walk->until.at, check->walk->until.count,
                                          check->walker, &before)))))
        broken = "ends it where `until` does not hold yet";
    vec_free(&base);
    if (!broken)
        return NULL;
    return arena_printf(prover->arena, "%s of %s %s", op->subops.at[point].label, op->name, broken);
}

bool walk_guard_is_immutable(Prover *prover, int operation, int walk, size_t guard)
{
    const IrOperation *op = &prover->program->operations.at[operation];
    WalkCheck check = {prover, &op->walks.at[walk], {WALKER, operation}, {SUCCESSOR, operation}};
    const IrFormula *f = op->subops.at[0].guards.at[guard];
    return !walk_gives(&check, f) && walk_immutable(&check, f);
}

const char *walk_check(Prover *prover, int operation)
{
    const IrOperation *op = &prover->program->operations.at[operation];
    for (size_t i = 0; i < op->walks.count; i++) {
        WalkCheck check = {prover, &op->walks.at[i], {WALKER, operation}, {SUCCESSOR, operation}};
        if (ir_subop_writes(&op->subops.at[0]))
            return "the first sub-operation writes";
        const char *reason = walk_check_state(&check);
        if (!reason)
            reason = walk_check_guards(&check);
        for (int other = 0; !reason && other < (int)prover->program->operations.count; other++)
            for (int p = 0; !reason && p < prover_points(prover, other); p++)
                if (ir_subop_writes(&prover->program->operations.at[other].subops.at[p]))
                    reason = walk_check_step(&check, other, p);
        if (reason)
            return arena_printf(prover->arena, "%s:%d: what the walk of %s keeps: %s",
                                prover->program->path, op->walks.at[i].line, op->name, reason);
    }
    return NULL;
}
