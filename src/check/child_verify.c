#include "check/verify.h"
#include <stdlib.h>
#include <string.h>
#include "base/hash.h"
#include "explore/graph.h"
#include "spec/relax.h"

struct Verifier {
    Automaton *automaton;
    uint32_t count;
    uint32_t (*label)(void *context, uint32_t k, Value result);
    void *context;
    Linearizer *linearizer;
    HashMap known; /* of histories that are allowed: one hash -> another, independent one */
    uint64_t undecided;
    Automaton *inner; /* of the specification behind def4; else NULL */
};

/* Serial orders looked for, of one history. Under sc equal histories are looked at once; under weak models
 * each search also asks the graph. */
#define MOST_SEARCHES_SC 1000000
#define MOST_SEARCHES_WEAK 20000

Verifier *verifier_new(void)
{
    Verifier *verifier = calloc(1, sizeof *verifier);
    if (!verifier)
        die("out of memory");
    verifier->linearizer = linearizer_new();
    return verifier;
}

void verifier_begin(Verifier *verifier, Automaton *automaton, uint32_t count,
                    uint32_t (*label)(void *context, uint32_t k, Value result), void *context)
{
    verifier->automaton = automaton;
    verifier->count = count;
    verifier->label = label;
    verifier->context = context;
    hashmap_clear(&verifier->known);
    const RelaxClasses *classes = relax_classes(automaton_spec(automaton));
    automaton_free(verifier->inner);
    verifier->inner = classes && classes->semantics == RELAX_DEF4 ? automaton_new(classes->inner) : NULL;
}

/* Definition 4 compares with runs of the specification itself. */
static uint32_t inner_label(Verifier *verifier, uint32_t label)
{
    return automaton_label(verifier->inner, automaton_call(verifier->automaton, label));
}

static Def4Problem def4_problem(Verifier *verifier, uint32_t *labels, uint32_t count,
                                uint8_t *class)
{
    const Spec *spec = automaton_spec(verifier->automaton);
    for (uint32_t i = 0; i < count; i++) {
        class[i] = relax_class_of(spec, automaton_call(verifier->automaton, labels[i])->method);
        labels[i] = inner_label(verifier, labels[i]);
    }
    return (Def4Problem){.automaton = verifier->inner,
                         .classes = relax_classes(spec),
                         .labels = labels,
                         .class = class,
                         .count = count,
                         .all = ((uint64_t)1 << count) - 1,
                         .stuck = LINEARIZE_NONE};
}

uint64_t verifier_undecided(const Verifier *verifier)
{
    return verifier->undecided;
}

/* ORDER on the operations in INCLUDED only. */
static void restrict_order(const RealtimeOrder *whole, const uint32_t *included, uint32_t count,
                           RealtimeOrder *smaller)
{
    memset(smaller, 0, sizeof *smaller);
    for (uint32_t i = 0; i < 2 * count; i++)
        for (uint32_t j = 0; j < 2 * count; j++) {
            uint32_t e = 2 * included[i / 2] + i % 2, f = 2 * included[j / 2] + j % 2;
            if (whole->successors[e] >> f & 1)
                smaller->successors[i] |= (uint64_t)1 << j;
        }
}

typedef struct AddableContext {
    GraphHistory smaller; /* the included operations under their places */
    bool asked;
} AddableContext;

static bool addable(void *context, const RealtimeOrder *now, uint32_t a, uint32_t b)
{
    AddableContext *c = context;
    if (!c->asked)
        graph_history_ask(&c->smaller);
    c->asked = true;
    return graph_history_addable(&c->smaller, now, a, b);
}

static bool check_one(Verifier *verifier, const GraphHistory *history, const uint32_t *included,
                      uint32_t count, uint32_t stuck, VerifyFailure *failure)
{
    RealtimeOrder known_order;
    restrict_order(&history->order, included, count, &known_order);
    /* 128 bits of two independent hashes stand for the history; under weak models the edges that can be
     * added depend on the graph as well, so only the sc order makes histories alike */
    bool shared = options.model == MODEL_SC;
    uint64_t key[REALTIME_MOST * 4 + 2], first = 0, second = 0;
    size_t words = 0;
    if (shared) {
        key[words++] =
            stuck == UINT32_MAX ? stuck : (uint64_t)history->identity[stuck] << 32 | stuck;
        for (uint32_t i = 0; i < count; i++)
            key[words++] = (uint64_t)history->identity[included[i]] << 32 | included[i],
            key[words++] = history->word[included[i]];
        for (uint32_t e = 0; e < 2 * count; e++)
            key[words++] = known_order.successors[e];
        first = hash_bytes(key, words * 8, 0x1234567);
        second = hash_bytes(key, words * 8, 7);
    }
    uint64_t *known = shared ? hashmap_find(&verifier->known, first) : NULL;
    if (known && *known == second)
        return true;

    uint32_t labels[REALTIME_MOST];
    for (uint32_t i = 0; i < count; i++)
        labels[i] = verifier->label(verifier->context, included[i],
                                    (Value){history->word[included[i]]});
    AddableContext context = {.asked = false};
    context.smaller.count = count;
    context.smaller.order = known_order;
    for (uint32_t i = 0; i < count; i++) {
        context.smaller.called |= 1u << i;
        context.smaller.returned |= 1u << i;
        context.smaller.call[i] = history->call[included[i]];
        context.smaller.ret[i] = history->ret[included[i]];
    }
    uint32_t all_ranks[REALTIME_MOST], rank[REALTIME_MOST];
    graph_history_rank(history, all_ranks);
    for (uint32_t i = 0; i < count; i++)
        rank[i] = all_ranks[included[i]];
    RealtimeProblem problem = {.automaton = verifier->automaton,
                               .rank = rank,
                               .most_searches = shared ? MOST_SEARCHES_SC : MOST_SEARCHES_WEAK,
                               .count = count,
                               .labels = labels,
                               .stuck = stuck == UINT32_MAX
                                            ? LINEARIZE_NONE
                                            : verifier->label(verifier->context, stuck,
                                                              VALUE_UNKNOWN),
                               .addable = shared ? NULL : addable,
                               .context = &context};
    uint8_t class[REALTIME_MOST];
    Def4Problem def4;
    if (verifier->inner) {
        ASSERT(shared);
        def4 = def4_problem(verifier, labels, count, class);
        problem.def4 = &def4;
        if (problem.stuck != LINEARIZE_NONE)
            problem.stuck = inner_label(verifier, problem.stuck);
    }
    LinearizeLimits limits = {0};
    RealtimeResult result = realtime_check(verifier->linearizer, &problem, &known_order, &limits);
    if (result.verdict == VERDICT_INCONCLUSIVE) {
        verifier->undecided++;
        return true;
    }
    if (result.verdict == VERDICT_HOLDS) {
        if (shared)
            *hashmap_put(&verifier->known, first, NULL) = second;
        return true;
    }
    failure->stuck = stuck;
    failure->count = count;
    memcpy(failure->included, included, sizeof(uint32_t) * count);
    failure->order = result.order;
    return false;
}

bool verifier_check(Verifier *verifier, const GraphHistory *history, bool stuck,
                    VerifyFailure *failure)
{
    uint32_t included[REALTIME_MOST], count = 0;
    for (uint32_t k = 0; k < history->count; k++)
        if (history->returned >> k & 1)
            included[count++] = k;
    if (!stuck)
        return check_one(verifier, history, included, count, UINT32_MAX, failure);
    /* each waiting operation needs a serial run of its own that ends with it waiting (Definition 3) */
    for (uint32_t k = 0; k < history->count; k++)
        if ((history->called & ~history->returned) >> k & 1)
            if (!check_one(verifier, history, included, count, k, failure))
                return false;
    return true;
}

/* ---- the slow twin ---- */

static bool precedes(const VerifyFailure *failure, uint32_t i, uint32_t j)
{
    return failure->order.successors[2 * i + 1] >> (2 * j) & 1;
}

/* Can the operations not in DONE follow STATE in some order? */
static bool some_order(Verifier *verifier, const GraphHistory *history,
                       const VerifyFailure *failure, uint32_t done, uint32_t state)
{
    if (done == (failure->count == 32 ? UINT32_MAX : (1u << failure->count) - 1)) {
        return automaton_accepts(verifier->automaton, state) &&
               (failure->stuck == UINT32_MAX ||
                automaton_waits(verifier->automaton, state,
                                verifier->label(verifier->context, failure->stuck, VALUE_UNKNOWN)));
    }
    for (uint32_t i = 0; i < failure->count; i++) {
        if (done >> i & 1)
            continue;
        bool ready = true;
        for (uint32_t j = 0; j < failure->count && ready; j++)
            ready = (done >> j & 1) || j == i || !precedes(failure, j, i);
        if (!ready)
            continue;
        uint32_t k = failure->included[i];
        size_t steps;
        const uint32_t *next =
            automaton_step(verifier->automaton, state,
                           verifier->label(verifier->context, k, (Value){history->word[k]}), &steps);
        Vec(uint32_t) copy = {0}; /* the next step moves what `next` points to */
        for (size_t s = 0; s < steps; s++)
            vec_push(&copy, next[s]);
        bool found = false;
        for (size_t s = 0; s < copy.count && !found; s++)
            found = some_order(verifier, history, failure, done | 1u << i, copy.at[s]);
        vec_free(&copy);
        if (found)
            return true;
    }
    return false;
}

#define DEF4_STEPS 5000000u

static bool confirm_def4(Verifier *verifier, const GraphHistory *history,
                         const VerifyFailure *failure)
{
    uint32_t labels[REALTIME_MOST];
    uint64_t rows[REALTIME_MOST] = {0};
    uint8_t class[REALTIME_MOST];
    for (uint32_t i = 0; i < failure->count; i++) {
        uint32_t k = failure->included[i];
        labels[i] = verifier->label(verifier->context, k, (Value){history->word[k]});
        for (uint32_t j = 0; j < failure->count; j++)
            if (j != i && precedes(failure, j, i))
                rows[i] |= (uint64_t)1 << j;
    }
    Def4Problem problem = def4_problem(verifier, labels, failure->count, class);
    problem.before = rows;
    if (failure->stuck != UINT32_MAX)
        problem.stuck = inner_label(
            verifier, verifier->label(verifier->context, failure->stuck, VALUE_UNKNOWN));
    return def4_slow(&problem, DEF4_STEPS) != VERDICT_HOLDS;
}

bool verifier_confirm(Verifier *verifier, const GraphHistory *history, const VerifyFailure *failure)
{
    if (verifier->inner)
        return confirm_def4(verifier, history, failure);
    return !some_order(verifier, history, failure, 0, automaton_initial(verifier->automaton));
}

/* The failure's operations as a problem of partial order. */
static LinearizeProblem problem_of(const GraphHistory *history, const VerifyFailure *failure,
                                   Automaton *automaton,
                                   uint32_t (*label)(void *context, uint32_t k, Value result),
                                   void *context, LinearizeOp *ops, uint64_t *rows)
{
    for (uint32_t i = 0; i < failure->count; i++) {
        uint32_t k = failure->included[i];
        ops[i] = (LinearizeOp){.label = label(context, k, (Value){history->word[k]})};
        rows[i] = 0;
        for (uint32_t j = 0; j < failure->count; j++)
            if (j != i && precedes(failure, j, i))
                rows[i] |= (uint64_t)1 << j;
    }
    return (LinearizeProblem){.automaton = automaton,
                              .ops = ops,
                              .count = failure->count,
                              .before = rows,
                              .stuck = failure->stuck == UINT32_MAX
                                           ? LINEARIZE_NONE
                                           : label(context, failure->stuck, VALUE_UNKNOWN)};
}

bool verifier_order(Verifier *verifier, const GraphHistory *history, const VerifyFailure *failure,
                    Automaton *automaton, uint32_t (*label)(void *context, uint32_t k, Value result),
                    void *context, uint32_t *serial)
{
    LinearizeOp ops[REALTIME_MOST];
    uint64_t rows[REALTIME_MOST];
    LinearizeProblem problem = problem_of(history, failure, automaton, label, context, ops, rows);
    LinearizeLimits limits = {.configurations = 1000000};
    LinearizeResult result = linearize(verifier->linearizer, &problem, &limits);
    for (uint32_t i = 0; result.verdict == VERDICT_HOLDS && i < result.order_count; i++)
        serial[i] = failure->included[result.order[i]];
    return result.verdict == VERDICT_HOLDS;
}
