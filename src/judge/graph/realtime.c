/* check(P): S := a serial order, allowed by the specification, of the operations with a before b
 * whenever P puts the return of a before the call of b. If there is none, no history of P is
 * linearizable (each contains these edges): a violation. Otherwise, for each pair (a, b) with b
 * before a in S, such that "a returns before b is called" can still be added: check(P + (return a
 * -> call b)); then P := P + (call b -> return a). Correct: let H be a history of P, i.e. the
 * real-time order of some linear extension of P. Either H is contained in S, and S is its witness;
 * or H has an edge (a, b) that S does not satisfy. In the order of the loop take the first such
 * pair that is in H: the pairs before it are not in H, so H's extension has their calls before the
 * returns, and H is a history of the P that is passed to check. The two branches of a pair exclude
 * each other, so no history is looked at twice. The recursion ends, since every call decides at
 * least one more of the n(n - 1) pairs.
 *
 * Under a weak model (`addable` is given) the order is happens-before, not time: that a client did
 * not make a happen before b says nothing about b and a. A history is then a set of edges (a, b),
 * closed under transitivity, with which the execution stays consistent, and the second branch of a
 * pair only forbids that edge: what brings a forbidden edge with it was looked at in an earlier
 * branch. (Putting the call of b before the return of a there would mix time into happens-before
 * and invent histories.)
 *
 * QUIESCENT CONSISTENCY. A cut of a history is a set of operations that have all returned before
 * any other is called. S := a serial order that keeps the cuts K known so far. For each set E of
 * operations that S does not put first, and that can still be made a cut: check(P + E, K + E). Any
 * history of P whose cuts S keeps has S as its witness; any other has a cut E that S does not keep,
 * and is a history of P + E.
 *
 * SET LINEARIZABILITY. S is a serial order of classes of operations; a class of several takes
 * effect as one of them. An edge (a, b) of a history is satisfied by S if the class of a comes
 * before that of b, so two operations of one class satisfy no edge between them: then the history
 * lets them overlap. The argument above uses nothing else of S. For one P all ways to make classes
 * are tried, singletons first.
 *
 * LATE OPERATIONS. The effect of an operation of `late` comes at or after its call, perhaps after
 * its return: its interval ends with the history, so it returns before no other is called. S need
 * not keep the edges of P that leave it, and none that leave it are added; those between other
 * operations are what they are without this.
 *
 * FAILED OPERATIONS. In a history H let I be those of F that overlap nothing. H is allowed if H
 * without F - I has a serial order. To fail means to do nothing, so a serial order of H without F -
 * I gives one without more of F. So it is the same to ask, for every subset I of F and every H in
 * which (at least) these overlap nothing, for a serial order of H without F - I. The orders in
 * which an operation overlaps nothing are those in which each other one comes before it or after
 * it. */
#include "judge/graph/realtime.h"
#include <string.h>
#include "judge/graph/sweep.h"

typedef struct Realtime {
    Linearizer *linearizer;
    const RealtimeProblem *problem;
    const LinearizeLimits *limits;
    uint32_t left_out;      /* operations that count as not made */
    uint64_t most_searches; /* 0: no limit */
    RealtimeResult result;
} Realtime;

static uint32_t call_of(uint32_t op)
{
    return 2 * op;
}

static uint32_t return_of(uint32_t op)
{
    return 2 * op + 1;
}

static bool before(const RealtimeOrder *order, uint32_t a, uint32_t b)
{
    return order->successors[a] >> b & 1;
}

/* Does A have to take effect before B? */
static bool precedes(const RealtimeProblem *problem, const RealtimeOrder *order, uint32_t a,
                     uint32_t b)
{
    return !(problem->late >> a & 1) && before(order, return_of(a), call_of(b));
}

bool realtime_add(RealtimeOrder *order, uint32_t events, uint32_t a, uint32_t b)
{
    if (a == b || before(order, b, a))
        return false;
    if (before(order, a, b))
        return true;
    uint64_t more = (uint64_t)1 << b | order->successors[b];
    for (uint32_t e = 0; e < events; e++)
        if (e == a || before(order, e, a))
            order->successors[e] |= more;
    return true;
}

static bool has_searched_enough(Realtime *r)
{
    if (!r->most_searches || r->result.searches < r->most_searches)
        return false;
    r->result.reason = "too many real-time orders";
    return true;
}

/* Orders of the classes by Definition 4, for the edges of P. */
static Verdict find_class_orders(Realtime *r, const RealtimeOrder *order, uint32_t *places)
{
    const RealtimeProblem *problem = r->problem;
    uint32_t n = problem->count;
    uint64_t rows[REALTIME_MOST] = {0};
    for (uint32_t k = 0; k < n; k++)
        for (uint32_t j = 0; j < n; j++)
            if (precedes(problem, order, j, k))
                rows[k] |= (uint64_t)1 << j;
    Def4Problem def4 = *problem->def4;
    def4.labels = problem->labels;
    def4.before = rows;
    def4.count = n;
    def4.all = ((uint64_t)1 << n) - 1;
    def4.stuck = problem->stuck;
    LinearizeResult result = def4_search(&def4, r->limits, places);
    r->result.searches++;
    if (result.verdict == VERDICT_INCONCLUSIVE)
        r->result.reason = result.reason;
    return result.verdict;
}

/* Need S not put a before b? Nothing comes after a late operation; by Definition 4 only the order
 * inside a class is compared. */
static bool unrelated(const RealtimeProblem *problem, uint32_t a, uint32_t b)
{
    if (problem->late >> a & 1)
        return true;
    const uint8_t *class = problem->def4 ? problem->def4->class : NULL;
    return class && (class[a] != class[b] || class[a] == RELAX_NO_CLASS);
}

/* A serial order of the operations for the edges of P; places[k] is where operation k stands in it.
 * Operations whose returns need little come first: they are the ones that edges can be added from.
 */
static Verdict find_serial(Realtime *r, const RealtimeOrder *order, uint32_t *places)
{
    const RealtimeProblem *problem = r->problem;
    uint32_t n = problem->count, kept = 0, rank[REALTIME_MOST], needs[REALTIME_MOST];
    LinearizeOp ops[REALTIME_MOST];
    uint64_t rows[REALTIME_MOST] = {0};
    for (uint32_t k = 0; k < n; k++) {
        needs[k] = problem->rank ? problem->rank[k] : 0;
        for (uint32_t e = 0; e < 2 * n && !problem->rank; e++)
            needs[k] += before(order, e, return_of(k));
    }
    for (uint32_t k = 0; k < n; k++) {
        if (r->left_out >> k & 1)
            continue;
        uint32_t place = kept++;
        for (; place && needs[rank[place - 1]] > needs[k]; place--)
            rank[place] = rank[place - 1];
        rank[place] = k;
    }
    for (uint32_t i = 0; i < kept; i++) {
        uint32_t k = rank[i];
        ops[i] = (LinearizeOp){.label = problem->labels[k]};
        for (uint32_t j = 0; j < kept; j++)
            if (precedes(problem, order, rank[j], k))
                rows[i] |= (uint64_t)1 << j;
    }
    LinearizeProblem serial = {.automaton = problem->automaton,
                               .ops = ops,
                               .count = kept,
                               .before = rows,
                               .stuck = problem->stuck};
    LinearizeResult result = linearize(r->linearizer, &serial, r->limits);
    r->result.searches++;
    for (uint32_t i = 0; result.verdict == VERDICT_HOLDS && i < result.order_count; i++)
        places[rank[result.order[i]]] = i;
    if (result.verdict == VERDICT_INCONCLUSIVE)
        r->result.reason = result.reason;
    return result.verdict;
}

/* The order that P demands of the classes, by their leaders; false if it is cyclic, above all where
 * P orders two operations of one class. */
static bool contract(const RealtimeProblem *problem, const RealtimeOrder *order,
                     const uint32_t *leader, RealtimeOrder *classes)
{
    uint32_t n = problem->count;
    uint32_t after[REALTIME_MOST] = {0};
    for (uint32_t a = 0; a < n; a++)
        for (uint32_t b = 0; b < n; b++)
            if (precedes(problem, order, a, b))
                after[leader[a]] |= 1u << leader[b];
    for (uint32_t middle = 0; middle < n; middle++)
        for (uint32_t a = 0; a < n; a++)
            if (after[a] >> middle & 1)
                after[a] |= after[middle];
    *classes = (RealtimeOrder){{0}};
    for (uint32_t a = 0; a < n; a++) {
        if (after[a] >> a & 1)
            return false;
        for (uint32_t b = 0; b < n; b++)
            classes->successors[return_of(a)] |= (uint64_t)(after[a] >> b & 1) << call_of(b);
    }
    return true;
}

/* A serial order of classes. Operations below K have their leaders; each of the others becomes one,
 * or joins an earlier one. */
static Verdict find_classes(Realtime *r, const RealtimeOrder *order, uint32_t *leader, uint32_t k,
                            uint32_t *places)
{
    const RealtimeProblem *problem = r->problem;
    uint32_t n = problem->count, outer = r->left_out;
    if (k < n) {
        leader[k] = k;
        Verdict verdict = find_classes(r, order, leader, k + 1, places);
        for (uint32_t l = 0; l < k && verdict == VERDICT_VIOLATED; l++) {
            if (!(problem->together >> l & problem->together >> k & 1) || leader[l] != l ||
                problem->labels[l] != problem->labels[k])
                continue;
            leader[k] = l;
            verdict = find_classes(r, order, leader, k + 1, places);
        }
        return verdict;
    }
    RealtimeOrder classes;
    if (!contract(problem, order, leader, &classes))
        return VERDICT_VIOLATED;
    if (has_searched_enough(r))
        return VERDICT_INCONCLUSIVE;
    for (uint32_t i = 0; i < n; i++)
        r->left_out |= (uint32_t)(leader[i] != i) << i;
    Verdict verdict = find_serial(r, &classes, places);
    r->left_out = outer;
    for (uint32_t i = 0; i < n && verdict == VERDICT_HOLDS; i++)
        places[i] = places[leader[i]];
    return verdict;
}

/* Finds what the notion asks for: an order of the operations, or of classes of them, that keeps P.
 */
static Verdict find_order(Realtime *r, const RealtimeOrder *order, uint32_t *places)
{
    uint32_t leader[REALTIME_MOST];
    if (r->problem->def4)
        return find_class_orders(r, order, places);
    if (r->problem->notion == REALTIME_SET)
        return find_classes(r, order, leader, 0, places);
    return find_serial(r, order, places);
}

typedef struct Forbidden {
    uint64_t after[REALTIME_MOST]; /* after[a] has the bit of b's call: not "a returns before it" */
} Forbidden;

/* ORDER has no edge that is forbidden. Would it get one with "a returns before b is called"? */
static bool brings_forbidden(const RealtimeOrder *order, const Forbidden *forbidden, uint32_t n,
                             uint32_t a, uint32_t b)
{
    uint64_t later = (uint64_t)1 << call_of(b) | order->successors[call_of(b)];
    for (uint32_t x = 0; x < n; x++)
        if (forbidden->after[x] & later && (x == a || before(order, return_of(x), return_of(a))))
            return true;
    return false;
}

static Verdict check(Realtime *r, RealtimeOrder order, Forbidden forbidden)
{
    const RealtimeProblem *problem = r->problem;
    uint32_t n = problem->count, places[REALTIME_MOST];
    if (has_searched_enough(r))
        return VERDICT_INCONCLUSIVE;
    Verdict verdict = find_order(r, &order, places);
    if (verdict == VERDICT_VIOLATED) {
        r->result.order = order;
        r->result.left_out = r->left_out;
    }
    if (verdict != VERDICT_HOLDS || problem->notion == REALTIME_SEQUENTIAL)
        return verdict;
    for (uint32_t a = 0; a < n; a++)
        for (uint32_t b = 0; b < n; b++) {
            /* satisfied by S, or a cycle: realtime_add, below, would find that out */
            if (a == b || (r->left_out >> a | r->left_out >> b) & 1 || unrelated(problem, a, b) ||
                places[a] < places[b] || before(&order, call_of(b), return_of(a)))
                continue;
            if (brings_forbidden(&order, &forbidden, n, a, b) ||
                (problem->addable && !problem->addable(problem->context, &order, a, b)))
                continue;
            RealtimeOrder more = order;
            realtime_add(&more, 2 * n, return_of(a), call_of(b));
            verdict = check(r, more, forbidden);
            if (verdict != VERDICT_HOLDS)
                return verdict;
            if (problem->addable)
                forbidden.after[a] |= (uint64_t)1 << call_of(b);
            else
                realtime_add(&order, 2 * n, call_of(b), return_of(a));
        }
    return VERDICT_HOLDS;
}

/* Does what check() does, but leaves orders with many histories to the sweep. Its answer that one
 * of them has no serial order is checked by searching for one. Both give up early first: either may
 * take much longer than the other, and what is done again is a small part. */
static Verdict check_with_sweep(Realtime *r, const RealtimeOrder *order)
{
    enum { STEPS_A_SEARCH = 128, FACTOR = 16 };
    uint64_t most = r->most_searches;
    ASSERT(!r->problem->late && !r->problem->failed); /* the sweep knows neither */
    for (uint64_t few = REALTIME_SWEEP_AFTER;; few *= FACTOR) {
        RealtimeOrder bad;
        bool last = few > UINT32_MAX || (most && few >= most);
        r->most_searches = last ? most : few;
        r->result.searches = 0;
        r->result.reason = NULL;
        Verdict verdict = check(r, *order, (Forbidden){{0}});
        if (verdict != VERDICT_INCONCLUSIVE || last || r->result.searches < few)
            return verdict;
        verdict = sweep_check(r->problem->sweep, r->problem, order, few * STEPS_A_SEARCH, &bad);
        if (verdict == VERDICT_INCONCLUSIVE)
            continue;
        r->result.reason = NULL;
        if (verdict == VERDICT_VIOLATED) {
            r->most_searches = few + 1;
            verdict = check(r, bad, (Forbidden){{0}});
            ASSERT(verdict != VERDICT_HOLDS);
        }
        return verdict;
    }
}

/* Makes the set CUT return before all others are called; false if the execution does not allow
 * it. */
static bool add_cut(const RealtimeProblem *problem, RealtimeOrder *order, uint32_t cut)
{
    uint32_t n = problem->count;
    for (uint32_t a = 0; a < n; a++)
        for (uint32_t b = 0; b < n; b++) {
            if (!(cut >> a & 1) || cut >> b & 1 || precedes(problem, order, a, b))
                continue;
            RealtimeOrder more = *order;
            if (problem->late >> a & 1 || !realtime_add(&more, 2 * n, return_of(a), call_of(b)) ||
                (problem->addable && !problem->addable(problem->context, order, a, b)))
                return false;
            *order = more;
        }
    return true;
}

/* Is CUT the beginning of the serial order? */
static bool comes_first(const uint32_t *places, uint32_t n, uint32_t cut)
{
    for (uint32_t k = 0; k < n; k++)
        if ((cut >> k & 1) != (places[k] < (uint32_t)__builtin_popcount(cut)))
            return false;
    return true;
}

/* KEPT: the edges of the cuts that were chosen. */
static Verdict check_cuts(Realtime *r, RealtimeOrder order, const RealtimeOrder *kept)
{
    const RealtimeProblem *problem = r->problem;
    uint32_t n = problem->count, places[REALTIME_MOST];
    if (has_searched_enough(r))
        return VERDICT_INCONCLUSIVE;
    Verdict verdict = find_serial(r, kept, places);
    if (verdict == VERDICT_VIOLATED)
        r->result.order = *kept;
    for (uint32_t cut = 1; verdict == VERDICT_HOLDS && cut + 1 < 1u << n; cut++) {
        RealtimeOrder more = order, keeps = *kept;
        if (comes_first(places, n, cut) || !add_cut(problem, &more, cut))
            continue;
        for (uint32_t a = 0; a < n; a++)
            for (uint32_t b = 0; b < n; b++)
                if (cut >> a & 1 && !(cut >> b & 1))
                    keeps.successors[return_of(a)] |= (uint64_t)1 << call_of(b);
        verdict = check_cuts(r, more, &keeps);
    }
    return verdict;
}

/* Every history of ORDER in which those in ALONE overlap nothing. */
static Verdict check_alone(Realtime *r, const RealtimeOrder *order, uint32_t alone)
{
    const RealtimeProblem *problem = r->problem;
    uint32_t n = problem->count;
    for (uint32_t f = 0; f < n; f++)
        for (uint32_t other = 0; alone >> f & 1 && other < n; other++) {
            if (other == f || precedes(problem, order, f, other) ||
                precedes(problem, order, other, f))
                continue;
            Verdict verdict = VERDICT_HOLDS;
            for (int way = 0; way < 2 && verdict == VERDICT_HOLDS; way++) {
                uint32_t a = way ? f : other, b = way ? other : f;
                RealtimeOrder more = *order;
                if (!(problem->late >> a & 1) &&
                    realtime_add(&more, 2 * n, return_of(a), call_of(b)) &&
                    (!problem->addable || problem->addable(problem->context, order, a, b)))
                    verdict = check_alone(r, &more, alone);
            }
            return verdict;
        }
    return check(r, *order, (Forbidden){{0}});
}

/* Leaves of the order of a violation what a serial order had to keep. */
static RealtimeResult finish(Realtime *r)
{
    for (uint32_t k = 0; k < r->problem->count; k++)
        if (r->problem->late >> k & 1)
            r->result.order.successors[return_of(k)] = 0;
    return r->result;
}

RealtimeResult realtime_check(Linearizer *linearizer, const RealtimeProblem *problem,
                              const RealtimeOrder *order, const LinearizeLimits *limits)
{
    ASSERT(problem->count <= REALTIME_MOST);
    ASSERT(!problem->def4 || !problem->addable);
    Realtime r = {.linearizer = linearizer,
                  .problem = problem,
                  .limits = limits,
                  .most_searches = problem->most_searches};
    ASSERT(problem->notion == REALTIME_SET || !problem->together);
    ASSERT(!problem->failed || (!problem->def4 && problem->notion == REALTIME_LINEARIZABLE));
    if (problem->notion == REALTIME_QUIESCENT) {
        static const RealtimeOrder nothing;
        r.result.verdict = check_cuts(&r, *order, &nothing);
        return finish(&r);
    }
    if (problem->sweep && problem->notion == REALTIME_LINEARIZABLE && !problem->failed &&
        !problem->late && !problem->def4 && !problem->addable) {
        r.result.verdict = check_with_sweep(&r, order);
        return finish(&r);
    }
    for (uint32_t alone = 0;; alone = (alone - problem->failed) & problem->failed) {
        r.left_out = problem->failed & ~alone; /* all subsets, the empty one first */
        r.result.verdict = check_alone(&r, order, alone);
        if (r.result.verdict != VERDICT_HOLDS || alone == problem->failed)
            return finish(&r);
    }
}
