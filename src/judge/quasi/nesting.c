/* x < y says that x stands before y in p'. This is total, so of x < y and y < x exactly one is to
 * be true, and what follows is a search for such an order, with these rules.
 *
 *  - What is certain of real time. Two operations of a class with factor K: x < y if 2K more of the
 *    class lie between them. Of two classes, slot and kooo: x < y if at some moment K of x's class
 *    lie between x and it, and K of y's between it and y (quasi_needs.c). Def4 leaves free how
 *    classes are merged.
 *  - < is transitive, and an element is put before it is taken.
 *  - Stack: not put w < put z < take w < take z. Priority queue, z before w: not put z < take w <
 *    take z. What finds nothing, n: not put z < n < take z. If all such pairs but one are true, the
 *    last one is false. What is never taken counts as taken after all others.
 *  - Places. x has a place among those of its class in p', which is at least 1 + those of the class
 *    before it, and at most so many before the last; and at most K from the places that it can have
 *    in p by real time. If the last place that x can have is not behind the first one that y can
 *    have, x < y. Places in p are at most K from those in p'; an order in p with all of them is a
 *    schedule of jobs of length 1 on one machine with releases, deadlines and precedence: with the
 *    earliest deadline first, one is found if there is one (nesting_places.c).
 *
 * Def4 asks for nothing else: once all pairs are decided, p' is an order that the specification
 * allows, the orders of the classes in p are found by that schedule, and they extend to one order
 * of all (def4.c). Slot and kooo ask for more of p, so that only a contradiction decides.
 *
 * Calls after the end (kooo). There are at most K of each class. In p they stand behind all others,
 * so in p' a take among them is at place n + 1 - K or later, of the n takes in the history: what is
 * never taken there is after a take that has no later place than that. Places are counted without
 * these calls, and are still at most K from those in p, where the n operations x of the history
 * have the places r(x) <= n: with q such calls before x in p', the last of these q has place n + q
 * or more in p, so n + q - K or more in p', and x is behind it; without them x has place n + 1 - K
 * or more, which is more than r(x) - K; and no later one than with them. A value that such a call
 * puts may be taken in place of the history's own (stack only, quasi_needs.c): of such elements
 * nothing is said.
 *
 * Where a guess is wrong both ways, the pair is guessed first from then on, until it is decided
 * (Lecoutre et al., Last conflict based reasoning, 2006): guesses that have nothing to do with the
 * contradiction are left one after the other instead of being tried again. After some such pairs
 * the search begins anew, first tries each of them alone, and then guesses pairs of one class the
 * other way round first: a bad guess near the beginning is not made again. */
#include "judge/quasi/nesting_internal.h"
#include <stdlib.h>

#define NEVER NESTING_NEVER
#define FAR UINT32_MAX

static void flip(NestingRow *row, uint32_t bit)
{
    row->word[bit / 64] ^= (uint64_t)1 << (bit % 64);
}

static const NestingGroup *group_of(const Nesting *n, uint32_t op)
{
    return &n->group[!n->ops[op].puts];
}

/* Decides that x < y. Returns false if y < x. */
bool nesting_decide_pair(Nesting *n, uint32_t x, uint32_t y)
{
    if (x == y || nesting_has(&n->after[y], x))
        return false;
    if (nesting_has(&n->after[x], y))
        return true;
    flip(&n->after[x], y);
    flip(&n->before[y], x);
    vec_push(&n->trail, (NestingPair){(uint16_t)x, (uint16_t)y});
    if (n->ops[x].puts == n->ops[y].puts)
        n->group[!n->ops[x].puts].changed = true;
    return true;
}

static void take_back(Nesting *n, size_t mark)
{
    while (n->trail.count > mark) {
        NestingPair pair = vec_pop(&n->trail);
        flip(&n->after[pair.x], pair.y);
        flip(&n->before[pair.y], pair.x);
    }
    n->followed = mark;
}

/* Not all of these are true: if all but one are, that one is false. */
static bool not_all(Nesting *n, const NestingPair *pairs, size_t count)
{
    const NestingPair *open = NULL;
    for (size_t i = 0; i < count; i++) {
        if (nesting_has(&n->after[pairs[i].y], pairs[i].x))
            return true;
        if (nesting_has(&n->after[pairs[i].x], pairs[i].y))
            continue;
        if (open)
            return true;
        open = &pairs[i];
    }
    return open && nesting_decide_pair(n, open->y, open->x);
}

#define PAIR(first, second) ((NestingPair){(uint16_t)(first), (uint16_t)(second)})

/* Z is not inside at a TAKE of something else, or of nothing. BELOW: NEVER, or that is so only if Z
 * is put after this one. */
static bool not_inside(Nesting *n, uint32_t z, uint32_t take, uint32_t below)
{
    NestingPair pairs[3];
    size_t count = 0;
    if (n->take_of[z] == NEVER && n->is_late[take])
        return true;
    if (below != NEVER)
        pairs[count++] = PAIR(below, n->put_of[z]);
    pairs[count++] = PAIR(n->put_of[z], take);
    if (n->take_of[z] != NEVER)
        pairs[count++] = PAIR(take, n->take_of[z]);
    return not_all(n, pairs, count);
}

/* The rule for the take of W, and Z. */
static bool elements_fit(Nesting *n, uint32_t w, uint32_t z)
{
    if (n->take_of[w] == NEVER || n->unclear[w] || n->unclear[z])
        return true;
    if (!n->problem->priority)
        return not_inside(n, z, n->take_of[w], n->put_of[w]);
    return n->problem->priority[z] > n->problem->priority[w] ||
           not_inside(n, z, n->take_of[w], NEVER);
}

/* All rules about the elements of two operations. */
static bool ops_fit(Nesting *n, uint32_t x, uint32_t y)
{
    uint32_t w = n->ops[x].element, z = n->ops[y].element;
    if (w == z)
        return true;
    if (w != RANKS_NOTHING && z != RANKS_NOTHING)
        return elements_fit(n, w, z) && elements_fit(n, z, w);
    uint32_t nothing = w == RANKS_NOTHING ? x : y, element = w == RANKS_NOTHING ? z : w;
    return n->unclear[element] || not_inside(n, element, nothing, NEVER);
}

/* Decides what follows from the pairs on the trail. Returns false if they contradict each other. */
static bool follow(Nesting *n)
{
    while (n->followed < n->trail.count) {
        uint32_t x = n->trail.at[n->followed].x, y = n->trail.at[n->followed].y;
        n->followed++;
        for (uint32_t w = 0; w < n->words; w++) {
            for (uint64_t left = n->before[x].word[w] & ~n->before[y].word[w]; left;
                 left &= left - 1)
                if (!nesting_decide_pair(n, w * 64 + (uint32_t)__builtin_ctzll(left), y))
                    return false;
            for (uint64_t left = n->after[y].word[w] & ~n->after[x].word[w]; left; left &= left - 1)
                if (!nesting_decide_pair(n, x, w * 64 + (uint32_t)__builtin_ctzll(left)))
                    return false;
        }
        if (!ops_fit(n, x, y))
            return false;
    }
    return true;
}

/* Decides what follows from all that is decided. Returns false if it is contradictory. */
static bool propagate(Nesting *n)
{
    while (follow(n)) {
        NestingGroup *group = &n->group[!n->group[0].changed];
        if (!group->changed)
            return true;
        group->changed = false;
        if (!nesting_places_fit(n, group))
            return false;
    }
    return false;
}

static bool is_open(const Nesting *n, uint32_t x, uint32_t y)
{
    return x != y && !nesting_has(&n->after[x], y) && !nesting_has(&n->after[y], x);
}

/* Finds the last pair of a group that is not decided: what lies below, or is put and stays, is
 * then known when what lies on it is guessed. */
static bool find_open(const Nesting *n, const NestingGroup *group, NestingPair *pair)
{
    for (uint32_t i = group->count; i-- > 0;)
        for (uint32_t j = i + 1; j < group->count; j++)
            if (is_open(n, group->ops[i], group->ops[j])) {
                *pair = n->turned ? PAIR(group->ops[j], group->ops[i])
                                  : PAIR(group->ops[i], group->ops[j]);
                return true;
            }
    return false;
}

/* Chooses what to guess, and what to guess first: a take before a put. */
static bool choose(const Nesting *n, NestingPair *pair)
{
    *pair = n->conflict;
    if (is_open(n, pair->x, pair->y))
        return true;
    NestingPair put;
    bool takes = find_open(n, &n->group[1], pair), puts = find_open(n, &n->group[0], &put);
    if (puts && (!takes || n->ops[put.x].called > n->ops[pair->x].called))
        *pair = put;
    if (takes || puts)
        return true;
    for (uint32_t i = 0; n->problem->semantics == RELAX_DEF4 && i < n->group[1].count; i++)
        for (uint32_t j = 0; j < n->group[0].count; j++)
            if (is_open(n, n->group[1].ops[i], n->group[0].ops[j])) {
                *pair = PAIR(n->group[1].ops[i], n->group[0].ops[j]);
                return true;
            }
    return false;
}

/* Does the order that was found let every take find what it took, and has each group an order in p?
 * A slow look at the result. */
static bool is_allowed(Nesting *n)
{
    uint32_t order[NESTING_MOST], inside[NESTING_MOST], count = 0;
    for (uint32_t x = 0; x < n->count; x++)
        order[nesting_count_both(n, &n->before[x], &n->before[x])] = x;
    for (uint32_t i = 0; i < n->count; i++) {
        const RanksOp *op = &n->ops[order[i]];
        uint32_t next = count - 1;
        for (uint32_t j = 0; n->problem->priority && j < count; j++)
            if (n->problem->priority[inside[j]] < n->problem->priority[inside[next]])
                next = j;
        if (op->puts)
            inside[count++] = op->element;
        else if ((count ? inside[next] : RANKS_NOTHING) != op->element)
            return false;
        else if (count)
            inside[next] = inside[--count];
    }
    return nesting_order_is_found(n, &n->group[0]) && nesting_order_is_found(n, &n->group[1]);
}

/* Do the limits ask for an end? Once they do, there are no guesses any more. */
static bool is_time_up(Nesting *n)
{
    if (linearize_end_wanted(n->problem->limits))
        n->most = 0;
    return n->most == 0;
}

/* Can what is decided be completed? */
static bool solve(Nesting *n)
{
    NestingPair pair;
    if (!choose(n, &pair))
        return true; /* that there are orders of the groups in p was seen with the last pair */
    if (n->guesses++ >= n->most || is_time_up(n))
        n->patience = 0;
    if (n->most == 0)
        return false;
    size_t mark = n->trail.count;
    for (int way = 0; way < 2; way++) {
        if (nesting_decide_pair(n, way ? pair.y : pair.x, way ? pair.x : pair.y) && propagate(n) &&
            solve(n))
            return true;
        take_back(n, mark);
        if (n->conflicts.count >= n->patience)
            return false;
    }
    n->conflict = pair;
    vec_push(&n->conflicts, pair);
    return false;
}

/* Decides each of the pairs that were wrong both ways for which one way is contradictory without a
 * guess. Returns false if both are. */
static bool learn(Nesting *n)
{
    for (size_t i = n->conflicts.count; i-- > 0;)
        for (int way = 0; way < 2; way++) {
            NestingPair pair = n->conflicts.at[i];
            uint32_t x = way ? pair.y : pair.x, y = way ? pair.x : pair.y;
            size_t mark = n->trail.count;
            if (!is_open(n, x, y) || is_time_up(n))
                break;
            bool fits = nesting_decide_pair(n, x, y) && propagate(n);
            take_back(n, mark);
            n->guesses++;
            if (!fits && (!nesting_decide_pair(n, y, x) || !propagate(n)))
                return false;
        }
    vec_clear(&n->conflicts);
    return true;
}

/* Solves, and begins again after PATIENCE pairs that were wrong both ways: the guess that led there
 * may be long before them. */
static Verdict solve_with_patience(Nesting *n)
{
    for (n->patience = 16; n->guesses < n->most; n->patience += n->patience / 4) {
        if (solve(n)) {
            ASSERT(n->problem->semantics != RELAX_DEF4 || is_allowed(n));
            return VERDICT_HOLDS;
        }
        if (n->conflicts.count < n->patience || !learn(n))
            return VERDICT_VIOLATED;
        n->turned = !n->turned;
    }
    return VERDICT_INCONCLUSIVE;
}

/* The position by which K of the group, called after X's return, have returned; or FAR. */
static uint32_t kth_return(const Nesting *n, const NestingGroup *group, uint32_t x, uint32_t k)
{
    uint32_t position = n->ops[x].returned;
    for (uint32_t found = 0; found < k; found++) {
        uint32_t next = FAR;
        for (uint32_t i = 0; i < group->count; i++) {
            const RanksOp *op = &n->ops[group->ops[i]];
            if (op->called > n->ops[x].returned && op->returned > position)
                next = MIN(next, op->returned);
        }
        if (next == FAR)
            return FAR;
        position = next;
    }
    return position;
}

/* The position of the K-th call, counted back, of those that return before X's call; or 0. */
static uint32_t kth_call(const Nesting *n, const NestingGroup *group, uint32_t x, uint32_t k)
{
    for (uint32_t i = group->count; k && i-- > 0;) {
        const RanksOp *op = &n->ops[group->ops[i]];
        if (op->returned < n->ops[x].called && !--k)
            return op->called;
    }
    return k ? 0 : n->ops[x].called;
}

/* Decides what real time does. */
static bool decide_by_time(Nesting *n)
{
    uint32_t until[NESTING_MOST], from[NESTING_MOST];
    for (uint32_t x = 0; x < n->count; x++) {
        const NestingGroup *group = group_of(n, x);
        until[x] = kth_return(n, group, x, group->factor);
        from[x] = kth_call(n, group, x, group->factor);
    }
    for (uint32_t x = 0; x < n->count; x++) {
        const NestingGroup *group = group_of(n, x);
        uint32_t twice = kth_return(n, group, x, 2 * group->factor);
        for (uint32_t y = 0; y < n->count; y++) {
            bool same = n->ops[x].puts == n->ops[y].puts;
            bool sure = same ? twice < n->ops[y].called : until[x] < from[y];
            if (sure && (same || n->problem->semantics != RELAX_DEF4) &&
                !nesting_decide_pair(n, x, y))
                return false;
        }
    }
    return true;
}

/* Kooo: which elements may be put again, which takes may come after one that is not in the history?
 */
static void find_unclear(Nesting *n)
{
    const NestingGroup *puts = &n->group[0], *takes = &n->group[1];
    for (uint32_t i = 0; i < takes->count; i++) {
        uint32_t x = takes->ops[i], element = n->ops[x].element, later = 0;
        n->is_late[x] = n->real[x].last + 2 * takes->factor > takes->count + 1;
        uint32_t until = kth_return(n, takes, x, takes->factor);
        for (uint32_t j = 0; j < puts->count; j++)
            later += n->ops[puts->ops[j]].called >= until;
        if (element != RANKS_NOTHING && !n->problem->priority)
            n->unclear[element] = later < puts->factor;
    }
}

/* Decides what is certain without a guess. Returns false if that is contradictory. */
static bool start(Nesting *n)
{
    for (uint32_t x = 0; x < n->count; x++)
        n->put_of[x] = n->take_of[x] = NEVER;
    for (uint32_t x = 0; x < n->count; x++) {
        uint32_t *ops = n->ops[x].puts ? n->put_of : n->take_of;
        if (n->ops[x].element != RANKS_NOTHING)
            ops[n->ops[x].element] = x;
    }
    nesting_load_group(n, 0);
    nesting_load_group(n, 1);
    if (n->problem->semantics == RELAX_KOOO)
        find_unclear(n);
    if (!decide_by_time(n))
        return false;
    for (uint32_t e = 0; e < n->count; e++) {
        if (n->take_of[e] == NEVER || n->unclear[e])
            continue;
        if (n->put_of[e] == NEVER || !nesting_decide_pair(n, n->put_of[e], n->take_of[e]))
            return false;
    }
    for (uint32_t x = 0; x < n->count; x++)
        for (uint32_t y = 0; y < x; y++)
            if (!ops_fit(n, x, y))
                return false;
    return propagate(n);
}

Verdict nesting_decide(const NestingProblem *problem, uint64_t most, uint64_t *guesses)
{
    if (problem->count > NESTING_MOST)
        return VERDICT_INCONCLUSIVE;
    Nesting *n = calloc(1, sizeof *n);
    if (!n)
        die("out of memory");
    n->problem = problem;
    n->ops = problem->ops;
    n->count = problem->count;
    n->words = (problem->count + 63) / 64;
    n->most = most;
    n->group[0].factor = problem->put_factor;
    n->group[1].factor = problem->take_factor;
    Verdict verdict = VERDICT_VIOLATED;
    if (start(n))
        verdict = solve_with_patience(n);
    if (verdict == VERDICT_HOLDS && problem->semantics != RELAX_DEF4)
        verdict = VERDICT_INCONCLUSIVE;
    if (guesses)
        *guesses += n->guesses;
    vec_free(&n->trail);
    vec_free(&n->conflicts);
    free(n);
    return verdict;
}
