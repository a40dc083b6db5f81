/* Claim: if reduce_run proves, then for every execution of any number of instances there is an
 * execution of the same steps (same locals) that ends in the same state, in which the steps of each
 * instance stand together, and in which an instance that had finished before another began still
 * stands before it.
 *
 * Proof, by induction over the length. Let H.a be an execution, H reordered into a sequence of
 * prefixes of operations, Q1 ... Qk, each executed without interruption. All states between them
 * are reachable, so the facts hold in them. If a is a first step, append it. Otherwise let x be the
 * prefix of a's instance u in the sequence, Z1 ... Zm the prefixes after x. Move x to the right
 * while it can be swapped with its successor in the very state where they stand. If m is 0 then,
 * x.a stands together. Otherwise x can't be swapped with Z1, and direct: in every state s with the
 * invariants, if x.w.a can run from s and x, w can't be swapped at s, then w, a can be swapped in
 * the state after x; chain:  K are facts about u that hold after x.w whenever x and w can't be
 * swapped, and which every prefix of every other instance keeps; in every state with the
 * invariants, u's point facts and K: if w.a can run, then w, a can be swapped. By chain a moves
 * left over Zm ... Z2 (K holds after Z1 and is kept), by direct over Z1. "Swap" means: the other
 * order can run and ends in the same state; so everything after is untouched. Order of finished
 * operations: only x (not finished: a was to come) moves right, only a (not a first step) moves
 * left, and u began with x, which already stood before the Zi. So no pair of which one had finished
 * before the other began is ever exchanged.
 *
 * Weakened reads. A sub-operation that only reads may be replaced by the guard "the facts of the
 * point after it hold". Whenever the read can run these facts hold (they were proved of it), so all
 * old executions remain; the facts stay inductive by construction; hence the claim is about a
 * larger system. A prefix of weakened reads only can be moved right over anything: it changes
 * nothing, and its guards are facts that every step of others keeps. What is left is to come back:
 * in the reordered execution each operation runs without interruption, and it is checked that from
 * every state with the invariants such a run of a whole operation implies the original guards. For
 * a prefix whose operation never finishes this is not asked (a lock may be taken before a read is
 * validated): the claim is then that finished operations stand as in the text, and unfinished ones
 * with their weakened reads. Serial runs (explore.h) let unfinished operations run in just that
 * way.
 *
 * Tested against exhaustive exploration of random systems: tests/unit/prove_soundness.c. */
#include "prove/reduce.h"
#include "base/stop.h"
#include "prove/movers.h"
#include <string.h>

enum { U = 0, V = 1 };

/* Under what is asserted, must FORMULA be true? A question without an answer is no proof. */
static bool reduce_implied(Prover *prover, Term formula)
{
    solver_push(prover->solver);
    solver_assert(prover->solver, term_not(&prover->pool, formula));
    SolverAnswer answer = solver_check(prover->solver);
    solver_pop(prover->solver);
    if (answer == ANSWER_UNKNOWN)
        prover->incomplete = true;
    return answer == ANSWER_NO;
}

/* ---- weakening ---- */

/* From every state with the invariants: does an uninterrupted run with the reads of SET weakened
 * imply the original conditions? */
static bool reduce_may_weaken(Prover *prover, int operation, uint64_t set)
{
    int points = prover_points(prover, operation);
    Instance u = {U, operation};
    SymState state = symbolic_unknown(&prover->symbolic);
    Terms weak = {0}, strong = {0};
    uint64_t saved = prover->weak[operation];
    prover_assume(prover, &state, &u, 1, false, &weak);
    SymState end = state;
    prover->weak[operation] = set;
    symbolic_set_query(&prover->symbolic, &u, 1);
    prover_run_range(prover, u, 0, points, &end, &weak);
    prover->weak[operation] = 0;
    end = state;
    prover->symbolic.to_show = true;
    prover_run_range(prover, u, 0, points, &end, &strong);
    prover->symbolic.to_show = false;
    prover->weak[operation] = saved;
    solver_push(prover->solver);
    solver_assume_all(prover->solver, &weak);
    bool implied = reduce_implied(prover, term_all(&prover->pool, &strong));
    solver_pop(prover->solver);
    vec_free(&weak);
    vec_free(&strong);
    return implied;
}

void reduce_weakenings(Prover *prover, int operation, WeakSets *out)
{
    const IrOperation *op = &prover->program->operations.at[operation];
    int reads[16], count = 0;
    for (int i = 0; i + 1 < prover_points(prover, operation) && count < 12; i++)
        if (!ir_subop_writes(&op->subops.at[i]))
            reads[count++] = i;
    for (int size = count; size > 0; size--)
        for (uint64_t pick = 1; pick < (uint64_t)1 << count && !stop_wanted(); pick++) {
            if (__builtin_popcountll(pick) != size)
                continue;
            uint64_t set = 0;
            for (int i = 0; i < count; i++)
                if ((pick >> i) & 1)
                    set |= (uint64_t)1 << reads[i];
            /* Weakening less implies more: subsets of a good set are good. */
            bool good = false;
            for (size_t i = 0; i < out->count && !good; i++)
                good = (set & ~out->at[i]) == 0;
            if (good || reduce_may_weaken(prover, operation, set))
                vec_push(out, set);
        }
    vec_push(out, 0);
}

/* ---- swaps ---- */

typedef struct Check { /* of one prefix x of one operation */
    Prover *prover;
    Instance u;
    int prefix;
    FactList chain; /* K */
    Buffer blockers;
    ReduceFailure *failure;
} Check;

static bool reduce_fail(Check *check, Instance v, int w, bool chain, const SymState *state)
{
    Prover *prover = check->prover;
    Instance both[] = {check->u, v};
    Buffer text = {0};
    solver_push(prover->solver);
    if (solver_check(prover->solver) == ANSWER_YES)
        prover_print_state(prover, state, both, 2, &text);
    solver_pop(prover->solver);
    *check->failure = (ReduceFailure){.operation = check->u.operation,
                                      .prefix = check->prefix,
                                      .blocker = v.operation,
                                      .blocker_prefix = w,
                                      .chain = chain,
                                      .state = str_copy(prover->arena, buffer_str(&text))};
    vec_free(&text);
    return false;
}

static void reduce_add_blocker(Check *check, Instance v, int w)
{
    buffer_printf(&check->blockers, "%s%s/%d", check->blockers.count > 0 ? ", " : "",
                  check->prover->program->operations.at[v.operation].name, w);
}

/* Asserts that x.w runs from START and that they can't be swapped; false if that is plainly
 * impossible, and then nothing is pushed. */
static bool reduce_assert_blocked(Check *check, Instance v, int w, SymState *start, StepPair *first)
{
    Prover *prover = check->prover;
    Instance both[] = {check->u, v};
    Terms base = {0};
    *start = symbolic_unknown(&prover->symbolic);
    movers_pair(prover, start, check->u, 0, check->prefix, v, 0, w, first);
    if (first->swaps == term_true(&prover->pool))
        return false;
    prover_assume(prover, start, both, 2, false, &base);
    prover_assume(prover, &first->middle, both, 2, false, &base);
    solver_push(prover->solver);
    solver_assume_all(prover->solver, &base);
    solver_assert_all(prover->solver, &first->run);
    solver_assert(prover->solver, term_not(&prover->pool, first->swaps));
    vec_free(&base);
    return true;
}

/* Is W of V a blocker? Asked where it matters by itself; false stops the enumeration. */
static bool reduce_is_no_blocker(Check *check, Instance v, int w)
{
    Prover *prover = check->prover;
    SymState start;
    StepPair first;
    bool blocked = false;
    if (reduce_assert_blocked(check, v, w, &start, &first)) {
        blocked = solver_check(prover->solver) != ANSWER_NO;
        solver_pop(prover->solver);
    }
    vec_free(&first.run);
    if (blocked)
        reduce_add_blocker(check, v, w);
    return !blocked;
}

/* The direct check for the prefix W of V; also narrows K to what holds after x.w. Whether there is
 * any state in which w is a blocker is not asked first: most often it is known from the state that
 * contradicts some fact of K, and if not, then what is asked is true of no state. */
static bool reduce_direct(Check *check, Instance v, int w)
{
    Prover *prover = check->prover;
    Instance u = check->u, both[] = {u, v};
    SymState start;
    StepPair first, second;
    Terms goals = {0};
    if (!reduce_assert_blocked(check, v, w, &start, &first)) {
        vec_free(&first.run);
        return true;
    }
    if (prover->exact) {
        if (solver_check(prover->solver) == ANSWER_NO) {
            solver_pop(prover->solver);
            vec_free(&first.run);
            return true;
        }
        reduce_add_blocker(check, v, w);
    }
    for (size_t i = 0; i < check->chain.count; i++)
        vec_push(&goals, prover_fact(prover, &first.end, u, &check->chain.at[i], NULL));
    if (prover_drop(prover, &check->chain, &goals, &start, both, 2, "") && !prover->exact)
        reduce_add_blocker(check, v, w);
    vec_free(&goals);
    movers_pair(prover, &first.middle, v, 0, w, u, check->prefix, check->prefix + 1, &second);
    solver_assert_all(prover->solver, &second.run);
    bool good = reduce_implied(prover, second.swaps);
    if (!good) {
        solver_assert(prover->solver, term_not(&prover->pool, second.swaps));
        reduce_fail(check, v, w, false, &start);
    }
    solver_pop(prover->solver);
    vec_free(&second.run);
    vec_free(&first.run);
    return good;
}

/* Narrows K to the facts that prefix W of V keeps; true if some fell. */
static bool reduce_chain_stable(Check *check, Instance v, int w)
{
    Prover *prover = check->prover;
    Instance both[] = {check->u, v};
    SymState start = symbolic_unknown(&prover->symbolic), end = start;
    Terms base = {0}, goals = {0};
    Term truth = term_true(&prover->pool);
    bool any = false, changed = false;
    symbolic_set_query(&prover->symbolic, both, 2);
    prover_run_range(prover, v, 0, w, &end, &base);
    for (size_t i = 0; i < check->chain.count; i++) {
        const Fact *fact = &check->chain.at[i];
        Term goal = truth;
        if (!fact->dead) {
            Term before = prover_fact(prover, &start, check->u, fact, NULL);
            goal = prover_fact(prover, &end, check->u, fact, NULL);
            if (goal == before)
                goal = truth;
            else
                any = true;
            vec_push(&base, before);
        }
        vec_push(&goals, goal);
    }
    if (any) {
        prover_assume(prover, &start, both, 2, false, &base);
        prover_assume_point(prover, &start, check->u, check->prefix, &base);
        solver_push(prover->solver);
        solver_assume_all(prover->solver, &base);
        changed = prover_drop(prover, &check->chain, &goals, &start, both, 2, "");
        solver_pop(prover->solver);
    }
    vec_free(&base);
    vec_free(&goals);
    return changed;
}

static bool reduce_chain(Check *check, Instance v, int w)
{
    Prover *prover = check->prover;
    Instance both[] = {check->u, v};
    SymState start = symbolic_unknown(&prover->symbolic);
    StepPair pair;
    Terms base = {0};
    movers_pair(prover, &start, v, 0, w, check->u, check->prefix, check->prefix + 1, &pair);
    bool good = pair.swaps == term_true(&prover->pool);
    if (!good) {
        prover_assume(prover, &start, both, 2, false, &base);
        prover_assume_point(prover, &start, check->u, check->prefix, &base);
        for (size_t i = 0; i < check->chain.count; i++)
            if (!check->chain.at[i].dead)
                vec_push(&base, prover_fact(prover, &start, check->u, &check->chain.at[i], NULL));
        solver_push(prover->solver);
        solver_assume_all(prover->solver, &base);
        solver_assert_all(prover->solver, &pair.run);
        good = reduce_implied(prover, pair.swaps);
        if (!good) {
            solver_assert(prover->solver, term_not(&prover->pool, pair.swaps));
            reduce_fail(check, v, w, true, &start);
        }
        solver_pop(prover->solver);
    }
    vec_free(&base);
    vec_free(&pair.run);
    return good;
}

/* Calls FUNCTION for every prefix of every operation, by another instance, until one fails. */
static bool reduce_each(Check *check, bool (*function)(Check *, Instance, int))
{
    Prover *prover = check->prover;
    for (int op = 0; op < (int)prover->program->operations.count; op++)
        for (int w = 1; w <= prover_points(prover, op); w++)
            if (stop_wanted() || !function(check, (Instance){V, op}, w))
                return false;
    return true;
}

static bool reduce_chain_narrow(Check *check)
{
    Prover *prover = check->prover;
    bool changed = false;
    for (int op = 0; op < (int)prover->program->operations.count; op++)
        for (int w = 1; w <= prover_points(prover, op) && !stop_wanted(); w++)
            changed |= reduce_chain_stable(check, (Instance){V, op}, w);
    return changed;
}

static void reduce_note(Check *check, ReduceResult *result)
{
    Prover *prover = check->prover;
    const IrOperation *op = &prover->program->operations.at[check->u.operation];
    const FactList *known = &prover->facts.points[check->u.operation][check->prefix];
    Buffer text = {0};
    if (check->blockers.count == 0) {
        buffer_printf(&text, "every prefix of others can go before it");
    } else {
        buffer_printf(&text, "%.*s can't go before it, but after the next step",
                      STR_ARG(buffer_str(&check->blockers)));
        bool first = true;
        for (size_t i = 0; i < check->chain.count; i++) {
            bool old = check->chain.at[i].dead;
            for (size_t k = 0; k < known->count && !old; k++)
                old = ir_formula_equal(known->at[k].formula, check->chain.at[i].formula);
            if (old)
                continue;
            buffer_printf(&text, first ? "; from then on " : ", ");
            fact_print(&text, prover->program, op, &check->chain.at[i]);
            first = false;
        }
    }
    ReduceNote note = {.operation = check->u.operation,
                       .prefix = check->prefix,
                       .text = str_copy(prover->arena, buffer_str(&text)),
                       .manner = check->blockers.count > 0 ? MANNER_CHAIN : MANNER_WHOLE};
    for (size_t i = 0; i < check->chain.count; i++)
        if (!check->chain.at[i].dead)
            arena_push(prover->arena, &note.chain, check->chain.at[i]);
    vec_push(&result->notes, note);
    vec_free(&text);
}

static bool reduce_prefix(Prover *prover, int operation, int prefix, ReduceResult *result)
{
    bool all_weak = true;
    for (int i = 0; i < prefix; i++)
        all_weak &= prover_is_weak(prover, operation, i);
    if (all_weak) {
        vec_push(&result->notes,
                 (ReduceNote){.operation = operation,
                              .prefix = prefix,
                              .manner = MANNER_WEAK,
                              .text = "only weakened reads: it can go after every prefix of "
                                      "others"});
        return true;
    }
    if (!prover->exact && movers_right(prover, operation, prefix)) {
        vec_push(&result->notes, (ReduceNote){.operation = operation,
                                              .prefix = prefix,
                                              .manner = MANNER_RIGHT,
                                              .text = "every step of others can go before it"});
        return true;
    }
    if (!prover->exact && movers_left(prover, operation, prefix)) {
        vec_push(&result->notes,
                 (ReduceNote){.operation = operation,
                              .prefix = prefix,
                              .manner = MANNER_LEFT,
                              .text = "every step of others can go after the next step"});
        return true;
    }
    Check check = {
        .prover = prover, .u = {U, operation}, .prefix = prefix, .failure = &result->failure};
    facts_point_candidates(prover->arena, prover->program, operation, prefix, &check.chain);
    bool good = reduce_each(&check, reduce_direct);
    if (good && check.blockers.count == 0 && !prover->exact)
        reduce_each(&check, reduce_is_no_blocker);
    if (good && check.blockers.count > 0) {
        while (reduce_chain_narrow(&check))
            ;
        good = reduce_each(&check, reduce_chain);
    }
    if (good)
        reduce_note(&check, result);
    vec_free(&check.chain);
    vec_free(&check.blockers);
    return good;
}

static bool reduce_operation(Prover *prover, int operation, ReduceResult *result)
{
    for (int prefix = 1; prefix < prover_points(prover, operation); prefix++)
        if (!reduce_prefix(prover, operation, prefix, result))
            return false;
    return true;
}

/* Index of the first operation that fails, -1 if none. */
static int reduce_attempt(Prover *prover, ReduceResult *result)
{
    vec_clear(&result->notes);
    for (int op = 0; op < (int)prover->program->operations.count; op++)
        if (!reduce_operation(prover, op, result))
            return op;
    return -1;
}

void reduce_run(Prover *prover, bool weaken, ReduceResult *result)
{
    int count = (int)prover->program->operations.count;
    WeakSets *sets = arena_array_of(prover->arena, WeakSets, (size_t)count);
    size_t *chosen = arena_array_of(prover->arena, size_t, (size_t)count);
    bool first = true;
    ReduceFailure first_failure = {0};
    *result = (ReduceResult){0};
    for (int i = 0; i < count; i++) {
        if (weaken)
            reduce_weakenings(prover, i, &sets[i]);
        else
            vec_push(&sets[i], 0);
    }
    for (;;) {
        for (int i = 0; i < count; i++)
            prover->weak[i] = sets[i].at[chosen[i]];
        int failed = reduce_attempt(prover, result);
        if (failed < 0) {
            result->proved = true;
            break;
        }
        if (stop_wanted())
            break;
        if (first)
            first_failure = result->failure;
        first = false;
        if (++chosen[failed] >= sets[failed].count) {
            result->failure = first_failure;
            break;
        }
    }
    for (int i = 0; i < count; i++)
        vec_free(&sets[i]);
}

bool reduce_verify(Prover *prover)
{
    ReduceResult result = {0};
    bool good = true;
    for (int op = 0; op < (int)prover->program->operations.count && good; op++)
        good = prover->weak[op] == 0 || reduce_may_weaken(prover, op, prover->weak[op]);
    good = good && reduce_attempt(prover, &result) < 0;
    reduce_result_free(&result);
    return good;
}

void reduce_result_free(ReduceResult *result)
{
    vec_free(&result->notes);
}

const char *reduce_check_ensures(Prover *prover, int operation)
{
    const IrOperation *op = &prover->program->operations.at[operation];
    const char *reason = NULL;
    Instance u = {U, operation};
    uint64_t saved = prover->weak[operation];
    prover->weak[operation] = 0;
    for (size_t i = 0; i < op->ensures.count && !reason; i++) {
        const Ensure *ensure = &op->ensures.at[i];
        SymState start = symbolic_unknown(&prover->symbolic), end = start;
        Terms base = {0};
        prover_assume(prover, &start, &u, 1, ensure->bound_count > 0, &base);
        symbolic_set_query(&prover->symbolic, &u, 1);
        prover_run_range(prover, u, 0, prover_points(prover, operation), &end, &base);
        Term claim =
            symbolic_formula(&prover->symbolic, &start, u, prover->skolem, ensure->formula);
        if (ensure->bound_count > 0)
            claim = term_not(&prover->pool, claim);
        solver_push(prover->solver);
        solver_assume_all(prover->solver, &base);
        if (!reduce_implied(prover, claim)) {
            Buffer text = {0};
            buffer_printf(&text, "%s:%d: a run of %s alone does not ensure ", prover->program->path,
                          ensure->line, op->name);
            buffer_printf(&text, ensure->bound_count ? "that no n has " : "");
            ir_formula_print(&text, prover->program, op, ensure->formula);
            solver_assert(prover->solver, term_not(&prover->pool, claim));
            if (solver_check(prover->solver) == ANSWER_YES) {
                buffer_printf(&text, ", from the state\n");
                prover_print_state(prover, &start, &u, 1, &text);
            }
            reason = str_copy(prover->arena, buffer_str(&text));
            vec_free(&text);
        }
        solver_pop(prover->solver);
        vec_free(&base);
    }
    prover->weak[operation] = saved;
    return reason;
}
