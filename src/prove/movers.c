/* Why steps are enough. In reduce.c a prefix x of u is followed by prefixes Z1 ... Zm of others,
 * and then comes the next step a of u. Write Z1 ... Zm as single steps s1 ... sk. (Right) If in
 * every reachable state where x and then a step s of another instance can run, s and then x can too
 * and end in the same state, x goes after s1, then after s2, and so on: each order in between is an
 * execution, so the facts hold in its states, those of the points of u and of s's instance
 * included. At the end x stands before a. (Left) If in every reachable state where s and then a can
 * run, a and then s can too and end in the same state, a goes before sk, then before s(k-1), and so
 * on, until it stands behind x. Either way x.a stands together, the steps of each Zi still do, and
 * nothing was exchanged but x, which is not finished, with steps after it, or a, which is no first
 * step, with steps before it; so the order of finished operations is kept as in reduce.c. */
#include "prove/movers.h"
#include "base/stop.h"

enum { U = 0, V = 1 };

void movers_pair(Prover *prover, const SymState *start, Instance a, int a0, int a1, Instance b,
                 int b0, int b1, StepPair *pair)
{
    Terms other = {0};
    *pair = (StepPair){.middle = *start};
    symbolic_set_query(&prover->symbolic, (Instance[]){a, b}, 2);
    prover_run_range(prover, a, a0, a1, &pair->middle, &pair->run);
    pair->end = pair->middle;
    prover_run_range(prover, b, b0, b1, &pair->end, &pair->run);
    SymState swapped = *start;
    prover->symbolic.to_show = true;
    prover_run_range(prover, b, b0, b1, &swapped, &other);
    prover_run_range(prover, a, a0, a1, &swapped, &other);
    prover->symbolic.to_show = false;
    vec_push(&other, symbolic_same(&prover->symbolic, &pair->end, &swapped));
    /* A pair that is known already needs no proof. */
    size_t kept = 0;
    for (size_t i = 0; i < other.count; i++) {
        bool known = false;
        for (size_t k = 0; k < pair->run.count && !known; k++)
            known = pair->run.at[k] == other.at[i];
        if (!known)
            other.at[kept++] = other.at[i];
    }
    other.count = kept;
    pair->swaps = term_all(&prover->pool, &other);
    vec_free(&other);
}

typedef struct Exchange { /* steps [a0, a1) of A, then [b0, b1) of B */
    Instance a, b;
    int a0, a1, b0, b1;
} Exchange;

/* Assumes what is known of A at point P and of B at point Q in STATE; of a point past the last step
 * nothing is. */
static void movers_assume_points(Prover *prover, const SymState *state, const Exchange *exchange,
                                 int p, int q, Terms *base)
{
    if (p < prover_points(prover, exchange->a.operation))
        prover_assume_point(prover, state, exchange->a, p, base);
    if (q < prover_points(prover, exchange->b.operation))
        prover_assume_point(prover, state, exchange->b, q, base);
}

/* In every reachable state where the two run one after the other, do they swap? The facts about all
 * states are asserted here for the state between, and by movers_each, at the first question, for
 * the state before; *OPEN says whether they are. */
static bool movers_swap(Prover *prover, Exchange exchange, bool *open)
{
    Instance both[] = {exchange.a, exchange.b};
    SymState start = symbolic_unknown(&prover->symbolic);
    StepPair pair;
    Terms base = {0};
    movers_pair(prover, &start, exchange.a, exchange.a0, exchange.a1, exchange.b, exchange.b0,
                exchange.b1, &pair);
    bool good = pair.swaps == term_true(&prover->pool);
    if (!good) {
        if (!*open) {
            prover_assume(prover, &start, both, 2, false, &base);
            solver_push(prover->solver);
            solver_assume_all(prover->solver, &base);
            vec_clear(&base);
            *open = true;
        }
        movers_assume_points(prover, &start, &exchange, exchange.a0, exchange.b0, &base);
        prover_assume(prover, &pair.middle, both, 2, false, &base);
        movers_assume_points(prover, &pair.middle, &exchange, exchange.a1, exchange.b0, &base);
        solver_push(prover->solver);
        solver_assume_all(prover->solver, &base);
        solver_assert_all(prover->solver, &pair.run);
        solver_assert(prover->solver, term_not(&prover->pool, pair.swaps));
        good = solver_check(prover->solver) == ANSWER_NO; /* no answer: the long way may know */
        solver_pop(prover->solver);
    }
    vec_free(&base);
    vec_free(&pair.run);
    return good;
}

/* Exchanges the first PREFIX steps of OPERATION (RIGHT), or the step after them, with each step of
 * each other instance, until one can't be. */
static bool movers_each(Prover *prover, int operation, int prefix, bool right)
{
    bool good = true;
    for (int op = 0; op < (int)prover->program->operations.count && good; op++) {
        bool open = false;
        Instance u = {U, operation}, v = {V, op};
        for (int p = 0; p < prover_points(prover, op) && good; p++)
            good = !stop_wanted() &&
                   movers_swap(prover,
                               right ? (Exchange){u, v, 0, prefix, p, p + 1}
                                     : (Exchange){v, u, p, p + 1, prefix, prefix + 1},
                               &open);
        if (open)
            solver_pop(prover->solver);
    }
    return good;
}

bool movers_right(Prover *prover, int operation, int prefix)
{
    return movers_each(prover, operation, prefix, true);
}

bool movers_left(Prover *prover, int operation, int prefix)
{
    return movers_each(prover, operation, prefix, false);
}
