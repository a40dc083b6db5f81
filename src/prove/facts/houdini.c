/* Why the result holds in every reachable state, for any number of instances. The global facts hold
 * after init. A step of one instance u at point p keeps them (own step, below); it establishes the
 * facts of its next point; and it keeps the facts of any other instance v at any point q, which are
 * about v's locals and the shared state only. Each check assumes the facts of the state before: of
 * the state itself, of u at p and of v at q; so it is an induction over the length of an execution.
 * Facts that relate three instances are never used, so pairs are enough. Observers (ghost.h) are
 * instances of the operation that they copy, seen with one more local; so what their steps do to
 * others is checked already. */
#include "prove/facts/houdini.h"
#include "base/stop.h"
#include "prove/facts/sift.h"
#include <stdio.h>

enum { STEPPER = 0, OTHER = 1 };

typedef struct Houdini {
    Prover *prover;
    bool force;          /* check again what was checked before */
    unsigned *versions;  /* of the fact lists: 0 global, then one a point */
    size_t *first_point; /* of each operation, in versions */
    HashMap checked;     /* which check: the sum of versions when it last succeeded, plus 1 */
    bool changed;
} Houdini;

static size_t houdini_list(const Houdini *houdini, int operation, int point)
{
    return houdini->first_point[operation] + (size_t)point;
}

/* Goals: FACTS after the step, except those whose text says the same before and after. */
static void houdini_goals(Prover *prover, const FactList *list, Instance instance,
                          const SymState *before, const SymState *after, bool assumed_before,
                          Terms *goals)
{
    Term truth = term_true(&prover->pool);
    for (size_t i = 0; i < list->count; i++) {
        Term goal = truth;
        if (!list->at[i].dead && !list->at[i].axiom) {
            goal = prover_fact(prover, after, instance, &list->at[i], prover->skolem);
            if (assumed_before &&
                goal == prover_fact(prover, before, instance, &list->at[i], prover->skolem))
                goal = truth;
        }
        vec_push(goals, goal);
    }
}

static void houdini_initial(Houdini *houdini)
{
    Prover *prover = houdini->prover;
    const IrOperation *initial = &prover->program->initial;
    Instance nobody = {0, -1};
    SymState state = symbolic_empty(&prover->symbolic);
    Terms conditions = {0}, goals = {0};
    if (initial->subops.count > 0)
        symbolic_run(&prover->symbolic, &initial->subops.at[0], nobody, &state, &conditions);
    if (prover->program->size >= 0)
        vec_push(&conditions, term_le(&prover->pool, term_number(&prover->pool, 2),
                                      state.globals[prover->program->size]));
    for (size_t i = 0; i < prover->facts.global.count; i++) /* of the arbitrary values */
        if (prover->facts.global.at[i].axiom)
            vec_push(&conditions, prover_fact(prover, &state, nobody, &prover->facts.global.at[i],
                                              prover->skolem));
    solver_push(prover->solver);
    solver_assert_all(prover->solver, &conditions);
    houdini_goals(prover, &prover->facts.global, nobody, &state, &state, false, &goals);
    if (prover_drop(prover, &prover->facts.global, &goals, &state, &nobody, 1, "init"))
        houdini->changed = true;
    solver_pop(prover->solver);
    vec_free(&conditions);
    vec_free(&goals);
}

/* Is there something to check that was not checked under the same assumptions? */
static bool houdini_stale(Houdini *houdini, uint64_t key, const size_t *lists, int count)
{
    uint64_t sum = 1;
    for (int i = 0; i < count; i++)
        sum += houdini->versions[lists[i]];
    uint64_t *slot = hashmap_put(&houdini->checked, key, NULL);
    bool stale = houdini->force || *slot != sum;
    *slot = sum;
    return stale;
}

static void houdini_note(Houdini *houdini, size_t list, bool dropped)
{
    if (!dropped)
        return;
    houdini->versions[list]++;
    houdini->changed = true;
}

/* The step of an instance at POINT of OPERATION: global facts, and the facts of the next point. */
static void houdini_own_step(Houdini *houdini, int operation, int point)
{
    Prover *prover = houdini->prover;
    const IrOperation *op = &prover->program->operations.at[operation];
    const SubOp *subop = &op->subops.at[point];
    size_t here = houdini_list(houdini, operation, point),
           next = houdini_list(houdini, operation, point + 1);
    size_t lists[] = {0, here};
    if (!houdini_stale(houdini, hash_combine(here, 0xFFFF), lists, 2))
        return;
    Instance u = {STEPPER, operation};
    SymState before = symbolic_unknown(&prover->symbolic), after = before;
    Terms base = {0}, runs = {0}, goals = {0};
    char step[160];
    snprintf(step, sizeof step, "%s of %s", subop->label, op->name);
    prover_assume(prover, &before, &u, 1, true, &base);
    prover_assume_point(prover, &before, u, point, &base);
    symbolic_set_query(&prover->symbolic, &u, 1);
    symbolic_run(&prover->symbolic, subop, u, &after, &runs);
    solver_push(prover->solver);
    solver_assert_all(prover->solver, &runs);
    solver_assume_all(prover->solver, &base);
    if (!op->observer) { /* its steps are the original's too */
        houdini_goals(prover, &prover->facts.global, u, &before, &after, true, &goals);
        houdini_note(houdini, 0,
                     prover_drop(prover, &prover->facts.global, &goals, &before, &u, 1, step));
    }
    if (point + 1 < (int)op->subops.count) {
        FactList *list = &prover->facts.points[operation][point + 1];
        vec_clear(&goals);
        houdini_goals(prover, list, u, &before, &after, false, &goals);
        houdini_note(houdini, next, prover_drop(prover, list, &goals, &before, &u, 1, step));
    }
    solver_pop(prover->solver);
    vec_free(&base);
    vec_free(&runs);
    vec_free(&goals);
}

/* Considers the step at POINT of OPERATION as seen by another instance at point Q of OTHER_OP. What
 * is known of every state is asserted already, see houdini_pair; *OPEN says whether it is. */
static void houdini_interference(Houdini *houdini, int operation, int point, int other_op, int q,
                                 bool *open)
{
    Prover *prover = houdini->prover;
    const IrOperation *op = &prover->program->operations.at[operation];
    const SubOp *subop = &op->subops.at[point];
    FactList *list = &prover->facts.points[other_op][q];
    size_t here = houdini_list(houdini, operation, point),
           there = houdini_list(houdini, other_op, q);
    size_t lists[] = {0, here, there};
    if (list->count == 0 ||
        !houdini_stale(houdini, hash_combine(here, there), lists, here == there ? 2 : 3))
        return;
    Instance instances[] = {{STEPPER, operation}, {OTHER, other_op}};
    SymState before = symbolic_unknown(&prover->symbolic), after = before;
    Terms base = {0}, runs = {0}, goals = {0};
    symbolic_set_query(&prover->symbolic, instances, 2);
    symbolic_run(&prover->symbolic, subop, instances[STEPPER], &after, &runs);
    houdini_goals(prover, list, instances[OTHER], &before, &after, true, &goals);
    bool any = false;
    for (size_t i = 0; i < goals.count; i++)
        any |= goals.at[i] != term_true(&prover->pool);
    if (any) {
        char step[160];
        snprintf(step, sizeof step, "%s of another %s", subop->label, op->name);
        if (!*open) {
            prover_assume(prover, &before, instances, 2, false, &base);
            solver_push(prover->solver);
            solver_assume_all(prover->solver, &base);
            *open = true;
            vec_clear(&base);
        }
        prover_assume_point(prover, &before, instances[STEPPER], point, &base);
        prover_assume_point(prover, &before, instances[OTHER], q, &base);
        solver_push(prover->solver);
        solver_assert_all(prover->solver, &runs);
        solver_assume_all(prover->solver, &base);
        houdini_note(houdini, there,
                     prover_drop(prover, list, &goals, &before, instances, 2, step));
        solver_pop(prover->solver);
    }
    vec_free(&base);
    vec_free(&runs);
    vec_free(&goals);
}

/* All steps of OPERATION as seen by an instance of OTHER at any of its points. The global facts are
 * the same for all of them, and none falls here: the solver is told them once. */
static void houdini_pair(Houdini *houdini, int operation, int other)
{
    Prover *prover = houdini->prover;
    const IrOperation *stepper = &prover->program->operations.at[operation];
    bool open = false;
    for (int p = 0; p < prover_points(prover, operation); p++)
        if (ir_subop_writes(&stepper->subops.at[p]))
            for (int q = 1; q < prover_points(prover, other) && !stop_wanted(); q++)
                houdini_interference(houdini, operation, p, other, q, &open);
    if (open)
        solver_pop(prover->solver);
}

static void houdini_round(Houdini *houdini)
{
    Prover *prover = houdini->prover;
    int count = (int)prover->program->operations.count;
    for (int op = 0; op < count; op++)
        for (int p = 0; p < prover_points(prover, op) && !stop_wanted(); p++)
            houdini_own_step(houdini, op, p);
    for (int op = 0; op < count; op++)
        for (int other = 0; other < count && !prover->program->operations.at[op].observer; other++)
            houdini_pair(houdini, op, other);
}

static void houdini_start(Houdini *houdini, Prover *prover)
{
    size_t count = prover->program->operations.count, lists = 1;
    *houdini = (Houdini){.prover = prover};
    houdini->first_point = arena_array_of(prover->arena, size_t, count);
    for (size_t i = 0; i < count; i++) {
        houdini->first_point[i] = lists;
        lists += prover->program->operations.at[i].subops.count + 1;
    }
    houdini->versions = arena_array_of(prover->arena, unsigned, lists);
}

void houdini_run(Prover *prover)
{
    sift_facts(prover);
    houdini_keep(prover);
}

static void houdini_drop_dead(FactList *list, bool all)
{
    if (all)
        vec_clear(list);
    else
        facts_drop_dead(list);
}

void houdini_keep(Prover *prover)
{
    Houdini houdini;
    houdini_start(&houdini, prover);
    houdini_initial(&houdini);
    do {
        houdini.changed = false;
        prover->rounds++;
        houdini_round(&houdini);
    } while (houdini.changed && !stop_wanted());
    hashmap_free(&houdini.checked);
    bool stopped = stop_wanted(); /* then it is not known which facts are inductive: none is kept */
    prover->incomplete |= stopped;
    houdini_drop_dead(&prover->facts.global, stopped);
    for (size_t i = 0; i < prover->program->operations.count; i++)
        for (int p = 0; p <= prover_points(prover, (int)i); p++)
            houdini_drop_dead(&prover->facts.points[i][p], stopped);
}

bool houdini_verify(Prover *prover)
{
    Houdini houdini;
    houdini_start(&houdini, prover);
    houdini.force = true;
    houdini_initial(&houdini);
    houdini_round(&houdini);
    hashmap_free(&houdini.checked);
    return !houdini.changed;
}
