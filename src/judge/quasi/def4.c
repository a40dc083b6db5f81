/* For each class d let s(d) be an order of its operations that respects real time. Lemma: any
 * choice of the s(d) extends jointly to an order of all operations that respects real time. For if
 * not, there is a cycle x1 <= y1 < x2 <= y2 < ... < x1, `<=` in some s(d), `<` in real time; x <= y
 * in s(d) implies that y does not precede x, so inv x < ret y; with ret y(i-1) < inv x(i) positions
 * grow all the way round: a contradiction. So the definition asks for a run t that the
 * specification allows, and for each class an s(d) with displacements of at most Q(d) from t
 * restricted to d.
 *
 * The search writes t operation by operation and fills the places of each s(d) as late as possible:
 * the i-th place once all operations that could stand there (those at most at place i + Q(d) of t)
 * are written. Pending operations: every choice of those that happened. */
#include "judge/quasi/def4.h"
#include "base/clock.h"
#include "judge/linear/linearize_problem.h"
#include "judge/quasi/relax.h"
#include <stdlib.h>
#include <string.h>

#define MOST 64u
#define MOST_PENDING 12u

typedef struct Node {
    uint64_t written, placed;
    uint32_t state;
    uint8_t waiting_count[RELAX_CLASSES];
    struct {
        uint8_t place, op; /* place in t */
    } waiting[RELAX_CLASSES][MOST];
} Node;

typedef struct Def4 {
    const Def4Problem *problem;
    const RelaxClasses *classes; /* these two are the problem's */
    Automaton *automaton;
    const LinearizeLimits *limits;
    uint64_t in_class[RELAX_CLASSES]; /* operations that take part */
    uint32_t *places;                 /* or NULL */
    Vec(uint64_t) seen;               /* encoded nodes: count, words */
    HashMap index;                    /* hash -> offset + 1; clashes try the next key */
    uint64_t configurations;
    const char *reason;
} Def4;

static bool visited(Def4 *d, const Node *node)
{
    uint64_t code[4 + RELAX_CLASSES + MOST];
    size_t count = 1;
    code[count++] = node->written;
    code[count++] = node->placed;
    code[count++] = node->state;
    for (uint32_t c = 0; c < d->classes->count; c++)
        for (uint32_t i = 0; i < node->waiting_count[c]; i++)
            code[count++] = (uint64_t)node->waiting[c][i].place << 8 | node->waiting[c][i].op;
    code[0] = count;
    for (uint64_t key = hash_bytes(code, count * sizeof *code, 3);; key++) {
        bool absent;
        uint64_t *at = hashmap_put(&d->index, key, &absent);
        if (absent) {
            *at = d->seen.count;
            for (size_t i = 0; i < count; i++)
                vec_push(&d->seen, code[i]);
            return false;
        }
        if (d->seen.at[*at] == count && !memcmp(d->seen.at + *at, code, count * sizeof *code))
            return true;
    }
}

static uint32_t count_of(uint64_t mask)
{
    return (uint32_t)__builtin_popcountll(mask);
}

static bool search(Def4 *d, const Node *node);

/* Fills the places of class C that can wait no longer, in every way; then searches on. */
static bool fill_places(Def4 *d, const Node *node, uint32_t c)
{
    uint32_t total = count_of(d->in_class[c]), factor = d->classes->factor[c];
    uint32_t written = count_of(node->written & d->in_class[c]);
    uint32_t place = count_of(node->placed & d->in_class[c]) + 1;
    if (place > total || written < MIN(total, place + factor))
        return search(d, node);
    for (uint32_t i = 0; i < node->waiting_count[c]; i++) {
        uint32_t op = node->waiting[c][i].op, at = node->waiting[c][i].place;
        if (d->problem->before[op] & d->in_class[c] & ~node->placed)
            continue;
        if ((at > place ? at - place : place - at) > factor)
            continue;
        Node next = *node;
        if (d->places)
            d->places[op] = place;
        next.placed |= (uint64_t)1 << op;
        memmove(&next.waiting[c][i], &next.waiting[c][i + 1],
                (size_t)(node->waiting_count[c] - i - 1) * sizeof next.waiting[c][0]);
        next.waiting_count[c]--;
        if (fill_places(d, &next, c))
            return true;
    }
    return false;
}

static bool over_limit(Def4 *d)
{
    const LinearizeLimits *limits = d->limits;
    if (limits->configurations && d->configurations >= limits->configurations)
        d->reason = "configurations";
    if (d->configurations % 1024 == 0) {
        d->reason = d->reason ? d->reason : linearize_end_wanted(limits);
        size_t bytes = d->seen.capacity * 8 + d->index.capacity * 17;
        if (limits->memory && bytes * 2 + automaton_memory(d->automaton) > limits->memory)
            d->reason = "memory";
    }
    return d->reason != NULL;
}

static bool search(Def4 *d, const Node *node)
{
    const Def4Problem *problem = d->problem;
    if (node->written == problem->all) {
        uint64_t classed = 0;
        for (uint32_t c = 0; c < d->classes->count; c++)
            classed |= d->in_class[c];
        return (node->placed & classed) == classed &&
               (problem->stuck == LINEARIZE_NONE ||
                automaton_waits(d->automaton, node->state, problem->stuck));
    }
    if (d->reason || visited(d, node))
        return false;
    d->configurations++;
    if (over_limit(d))
        return false;
    for (uint64_t left = problem->all & ~node->written; left; left &= left - 1) {
        uint32_t op = (uint32_t)__builtin_ctzll(left);
        uint8_t c = problem->class[op];
        uint32_t at = 0;
        if (c != RELAX_NO_CLASS) { /* its predecessors in the class must still fit before it */
            uint64_t before = problem->before[op] & d->in_class[c];
            at = count_of(node->written & d->in_class[c]) + 1;
            if (count_of(node->placed & d->in_class[c]) + count_of(before & ~node->placed) + 1 >
                at + d->classes->factor[c])
                continue;
        }
        size_t count;
        automaton_step(d->automaton, node->state, problem->labels[op], &count);
        for (size_t s = 0; s < count; s++) {
            Node next = *node;
            size_t again;
            next.state = automaton_step(d->automaton, node->state, problem->labels[op], &again)[s];
            next.written |= (uint64_t)1 << op;
            if (c != RELAX_NO_CLASS) {
                uint8_t last = next.waiting_count[c]++;
                next.waiting[c][last].place = (uint8_t)at;
                next.waiting[c][last].op = (uint8_t)op;
            }
            if (c == RELAX_NO_CLASS ? search(d, &next) : fill_places(d, &next, c))
                return true;
        }
    }
    return false;
}

LinearizeResult def4_search(const Def4Problem *problem, const LinearizeLimits *limits,
                            uint32_t *places)
{
    ASSERT(problem->count <= MOST);
    Def4 d = {.problem = problem,
              .classes = problem->classes,
              .automaton = problem->automaton,
              .limits = limits,
              .places = places};
    for (uint32_t i = 0; i < problem->count; i++)
        if (problem->all >> i & 1 && problem->class[i] != RELAX_NO_CLASS)
            d.in_class[problem->class[i]] |= (uint64_t)1 << i;
    Node start = {.state = automaton_initial(problem->automaton)};
    LinearizeResult result = {.verdict = VERDICT_VIOLATED, .blocked = LINEARIZE_NONE};
    if (search(&d, &start)) {
        result.verdict = VERDICT_HOLDS;
    } else if (d.reason) {
        result.verdict = VERDICT_INCONCLUSIVE;
        result.reason = d.reason;
    }
    result.configurations = d.configurations;
    vec_free(&d.seen);
    hashmap_free(&d.index);
    return result;
}

LinearizeResult def4_check(const Plan *plan, const PlanGroup *group, const LinearizeLimits *limits)
{
    LinearizeResult result = {
        .verdict = VERDICT_INCONCLUSIVE, .reason = "size", .blocked = LINEARIZE_NONE};
    if (!plan->history->before)
        return def4_check_long(plan, group, limits, MOST_PENDING);
    if (group->count > MOST)
        return result;
    const uint32_t *members = vec_from(&plan->members, group->first);
    const RelaxClasses *classes = relax_classes(plan->spec);
    uint32_t labels[MOST];
    uint8_t class[MOST];
    uint64_t before[MOST] = {0}, pending = 0, configurations = 0;
    Automaton *automaton = automaton_new(classes->inner);
    for (uint32_t i = 0; i < group->count; i++) {
        SpecCall call;
        plan_call(plan, members[i], &call);
        labels[i] = automaton_label(automaton, &call);
        class[i] = relax_class_of(plan->spec, call.method);
        if (plan->history->operations.at[members[i]].returned == HISTORY_PENDING)
            pending |= (uint64_t)1 << i;
        for (uint32_t j = 0; j < group->count; j++)
            if (history_precedes(plan->history, members[j], members[i]))
                before[i] |= (uint64_t)1 << j;
    }
    Def4Problem problem = {.automaton = automaton,
                           .classes = classes,
                           .labels = labels,
                           .class = class,
                           .before = before,
                           .count = group->count,
                           .stuck = LINEARIZE_NONE};
    uint64_t everyone = group->count == 64 ? UINT64_MAX : ((uint64_t)1 << group->count) - 1;
    for (uint64_t gone = pending; count_of(pending) <= MOST_PENDING; gone = (gone - 1) & pending) {
        problem.all = everyone & ~gone;
        result = def4_search(&problem, limits, NULL);
        configurations += result.configurations;
        if (!gone || result.verdict != VERDICT_VIOLATED)
            break;
    }
    result.configurations = configurations;
    automaton_free(automaton);
    return result;
}
