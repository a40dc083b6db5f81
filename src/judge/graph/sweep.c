/* A history is the real-time order of a linear extension of P. Histories with more edges are harder
 * (a serial order for more edges is one for fewer), and moving a return to an earlier place or a
 * call to a later one only adds edges. So it is enough to walk over the linear extensions in which
 *
 * - every return comes as soon as all calls that precede it have come: returns that precede it do
 *   so, too, by then. Which operations have returned is a function of the set of those that were
 *   called, and the order of returns without a call in between is the same history;
 *
 * - between returns, a set of calls is made that some return needs, and that contains no smaller
 *   such set. Let L be an extension, and C the calls up to the next return in it. They contain a
 *   minimal set D that some return r needs. Make the calls in D, then r, then the rest of L: of the
 *   events of L only r moves to an earlier place, and those of C - D to later ones behind r.
 *
 * The walk carries the set of configurations (operations in the serial order, state of the
 * specification) that some serial order of what has happened can be in; this is the subset
 * construction on Wing and Gong's search. At a return every configuration without that operation is
 * replaced by all that place operations which have been called, that one last (just in time, see
 * linearize.c). No configuration left: a violation. Of two walks that have called the same set,
 * what can follow is the same, and it fails in the one with more configurations only if it fails
 * in the other. So a walk ends where an earlier one with a subset of its configurations came by.
 *
 * Operations that never change the state are placed as soon as they are called and the state allows
 * them, and never else: where they stand later, moving them changes no state.
 *
 * A violation is told as the edges that the walk made: a in front of b if a had returned when b was
 * called, and if a has returned now and b is not called yet. A serial order of all operations that
 * keeps these has, up to the last of those that have returned, only operations that were called: it
 * would have been among the configurations. */
#include "judge/graph/sweep.h"
#include <stdlib.h>
#include "base/hash.h"

#define MOST_CONFIGURATIONS 256u    /* in one set: they are searched one after the other */
#define MOST_KEPT ((size_t)1 << 18) /* configurations that visited places had */

typedef uint64_t Configuration; /* operations placed << 32 | state */

typedef struct Visited {
    size_t first, count; /* in `kept` */
    size_t next;         /* visit of the same set of called operations, + 1 */
} Visited;

struct Sweep {
    const RealtimeProblem *problem;
    uint32_t readers;                /* operations that never change the state */
    uint32_t needed[REALTIME_MOST];  /* calls that come before the return; that of its own, too */
    uint32_t earlier[REALTIME_MOST]; /* by operation called: those that had returned then */
    uint32_t called, returned;       /* at the violation */
    HashMap places;                  /* called operations -> index of the last visit there, + 1 */
    Vec(Visited) visits;
    Vec(Configuration) kept;
    Vec(Configuration) sets; /* of the walk, in the manner of a stack */
    Vec(Configuration) work;
    uint64_t steps, most_steps; /* of the automaton, and what takes as long */
};

Sweep *sweep_new(void)
{
    Sweep *sweep = calloc(1, sizeof *sweep);
    if (!sweep)
        die("out of memory");
    return sweep;
}

void sweep_free(Sweep *s)
{
    if (!s)
        return;
    hashmap_free(&s->places);
    vec_free(&s->visits);
    vec_free(&s->kept);
    vec_free(&s->sets);
    vec_free(&s->work);
    free(s);
}

static uint32_t all_of(const Sweep *s)
{
    uint32_t n = s->problem->count;
    return n == 32 ? UINT32_MAX : ((uint32_t)1 << n) - 1;
}

/* C with the readers placed that its state allows. */
static Configuration settle(Sweep *s, Configuration c, uint32_t called)
{
    for (uint32_t left = called & s->readers & ~(uint32_t)(c >> 32); left; left &= left - 1) {
        uint32_t op = (uint32_t)__builtin_ctz(left);
        size_t count;
        s->steps++;
        automaton_step(s->problem->automaton, (uint32_t)c, s->problem->labels[op], &count);
        if (count)
            c |= (Configuration)1 << (32 + op);
    }
    return c;
}

static bool is_among(const Configuration *set, size_t count, Configuration c)
{
    for (size_t i = 0; i < count; i++)
        if (set[i] == c)
            return true;
    return false;
}

/* Places OP in C. Results with R go to the set from FIRST on, the others to work. */
static void place(Sweep *s, Configuration c, uint32_t op, uint32_t called, uint32_t r, size_t first)
{
    size_t count;
    const uint32_t *next;
    s->steps += (s->sets.count - first + s->work.count) / 16;
    for (size_t i = 0;; i++) {
        /* settle() overwrites what `next` points to */
        next = automaton_step(s->problem->automaton, (uint32_t)c, s->problem->labels[op], &count);
        s->steps++;
        if (i >= count)
            return;
        Configuration more = (c >> 32 | (uint64_t)1 << op) << 32 | next[i];
        more = settle(s, more, called);
        if (more >> (32 + r) & 1) {
            if (!is_among(s->sets.at + first, s->sets.count - first, more))
                vec_push(&s->sets, more);
        } else if (!is_among(s->work.at, s->work.count, more)) {
            vec_push(&s->work, more);
        }
    }
}

/* R returns: only configurations that have it stay in the set from FIRST on. False if there are too
 * many. */
static bool let_return(Sweep *s, uint32_t called, uint32_t r, size_t first)
{
    size_t stay = first;
    vec_clear(&s->work);
    for (size_t i = first; i < s->sets.count; i++)
        if (s->sets.at[i] >> (32 + r) & 1)
            s->sets.at[stay++] = s->sets.at[i];
        else
            vec_push(&s->work, s->sets.at[i]);
    s->sets.count = stay;
    for (size_t i = 0; i < s->work.count; i++) {
        Configuration c = s->work.at[i];
        for (uint32_t left = called & ~s->readers & ~(uint32_t)(c >> 32); left; left &= left - 1)
            place(s, c, (uint32_t)__builtin_ctz(left), called, r, first);
        if (s->work.count > MOST_CONFIGURATIONS || s->sets.count - first > MOST_CONFIGURATIONS ||
            s->steps > s->most_steps)
            return false;
    }
    return true;
}

/* An operation that has been called and can return, or REALTIME_MOST. */
static uint32_t can_return(const Sweep *s, uint32_t called, uint32_t returned)
{
    for (uint32_t left = called & ~returned; left; left &= left - 1) {
        uint32_t op = (uint32_t)__builtin_ctz(left);
        if (!(s->needed[op] & ~called))
            return op;
    }
    return REALTIME_MOST;
}

/* The minimal sets of calls that let another operation return. The predecessors of these calls are
 * among them, or have come: they precede the return, too. */
static uint32_t find_needs(const Sweep *s, uint32_t called, uint32_t returned, uint32_t *needs)
{
    uint32_t count = 0;
    for (uint32_t left = all_of(s) & ~returned; left; left &= left - 1) {
        uint32_t op = (uint32_t)__builtin_ctz(left), need = s->needed[op] & ~called;
        bool minimal = true;
        for (uint32_t i = 0; i < count && minimal; i++)
            minimal = needs[i] & ~need;
        if (!minimal)
            continue;
        uint32_t kept = 0;
        for (uint32_t i = 0; i < count; i++)
            if (need & ~needs[i])
                needs[kept++] = needs[i];
        needs[kept++] = need;
        count = kept;
    }
    return count;
}

static void sort(Configuration *set, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        Configuration c = set[i];
        size_t at = i;
        for (; at && set[at - 1] > c; at--)
            set[at] = set[at - 1];
        set[at] = c;
    }
}

/* Both are sorted. */
static bool is_subset(const Configuration *a, size_t a_count, const Configuration *b,
                      size_t b_count)
{
    size_t j = 0;
    for (size_t i = 0; i < a_count; i++, j++) {
        while (j < b_count && b[j] < a[i])
            j++;
        if (j == b_count || b[j] != a[i])
            return false;
    }
    return true;
}

/* Was CALLED visited with a subset of the set from FIRST on? If not, it is now. */
static bool was_visited(Sweep *s, uint32_t called, size_t first)
{
    size_t count = s->sets.count - first;
    const Configuration *set = s->sets.at + first;
    uint64_t *last = hashmap_put(&s->places, called, NULL);
    for (size_t v = *last; v; v = s->visits.at[v - 1].next) {
        const Visited *visit = &s->visits.at[v - 1];
        s->steps++;
        if (visit->count <= count && is_subset(s->kept.at + visit->first, visit->count, set, count))
            return true;
    }
    vec_push(&s->visits, (Visited){s->kept.count, count, *last});
    *last = s->visits.count;
    for (size_t i = 0; i < count; i++)
        vec_push(&s->kept, set[i]);
    return false;
}

static bool some_ends_well(const Sweep *s, size_t first)
{
    const RealtimeProblem *problem = s->problem;
    for (size_t i = first; i < s->sets.count; i++) {
        uint32_t state = (uint32_t)s->sets.at[i];
        if (automaton_accepts(problem->automaton, state) &&
            (problem->stuck == LINEARIZE_NONE ||
             automaton_waits(problem->automaton, state, problem->stuck)))
            return true;
    }
    return false;
}

/* Walks on from where CALLED have been called and RETURNED have returned. The set of configurations
 * from FIRST on is that of this place; it stays on the stack. */
static Verdict walk(Sweep *s, uint32_t called, uint32_t returned, size_t first)
{
    uint32_t r;
    while ((r = can_return(s, called, returned)) < REALTIME_MOST) {
        if (!let_return(s, called, r, first))
            return VERDICT_INCONCLUSIVE;
        returned |= (uint32_t)1 << r;
        if (s->sets.count == first)
            break;
    }
    if (s->sets.count == first || (returned == all_of(s) && !some_ends_well(s, first))) {
        s->called = called;
        s->returned = returned;
        return VERDICT_VIOLATED;
    }
    sort(s->sets.at + first, s->sets.count - first);
    if (was_visited(s, called, first))
        return VERDICT_HOLDS;
    if (s->kept.count > MOST_KEPT || s->steps > s->most_steps)
        return VERDICT_INCONCLUSIVE;
    uint32_t needs[REALTIME_MOST], count = find_needs(s, called, returned, needs);
    size_t end = s->sets.count;
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t left = needs[i]; left; left &= left - 1)
            s->earlier[__builtin_ctz(left)] = returned;
        for (size_t c = first; c < end; c++) {
            Configuration settled = settle(s, s->sets.at[c], needs[i]);
            if (!is_among(s->sets.at + end, s->sets.count - end, settled))
                vec_push(&s->sets, settled);
        }
        Verdict verdict = walk(s, called | needs[i], returned, end);
        s->sets.count = end;
        if (verdict != VERDICT_HOLDS)
            return verdict;
    }
    return VERDICT_HOLDS;
}

static void start(Sweep *s, const RealtimeProblem *problem, const RealtimeOrder *order)
{
    uint32_t n = problem->count;
    s->problem = problem;
    s->readers = 0;
    s->steps = 0;
    hashmap_clear(&s->places);
    vec_clear(&s->visits);
    vec_clear(&s->kept);
    vec_clear(&s->sets);
    for (uint32_t k = 0; k < n; k++) {
        s->readers |= (uint32_t)automaton_reads_only(problem->automaton, problem->labels[k]) << k;
        s->needed[k] = (uint32_t)1 << k;
        for (uint32_t j = 0; j < n; j++)
            s->needed[k] |= (uint32_t)(order->successors[2 * j] >> (2 * k + 1) & 1) << j;
    }
}

Verdict sweep_check(Sweep *s, const RealtimeProblem *problem, const RealtimeOrder *order,
                    uint64_t most_steps, RealtimeOrder *bad)
{
    uint32_t n = problem->count;
    ASSERT(n <= REALTIME_MOST);
    start(s, problem, order);
    s->most_steps = most_steps;
    vec_push(&s->sets, automaton_initial(problem->automaton));
    Verdict verdict = walk(s, 0, 0, 0);
    if (verdict != VERDICT_VIOLATED)
        return verdict;
    *bad = *order;
    for (uint32_t b = 0; b < n; b++) {
        uint32_t earlier = s->called >> b & 1 ? s->earlier[b] : s->returned;
        for (; earlier; earlier &= earlier - 1)
            ASSERT(realtime_add(bad, 2 * n, 2 * (uint32_t)__builtin_ctz(earlier) + 1, 2 * b));
    }
    return verdict;
}
