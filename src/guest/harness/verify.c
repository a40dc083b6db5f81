#include "guest/harness/verify.h"
#include <stdlib.h>
#include <string.h>
#include "base/hash.h"
#include "guest/explore/graph/models/client.h"
#include "guest/explore/schedules/bounded.h"
#include "judge/graph/sweep.h"
#include "judge/quasi/relax.h"

struct Verifier {
    Automaton *automaton;
    uint32_t count;
    uint32_t (*label)(void *context, uint32_t k, Value result);
    void *context;
    bool (*may_fail)(uint32_t k, Value result); /* or NULL */
    bool (*may_join)(uint32_t k, Value result); /* or NULL */
    uint32_t late;
    RealtimeNotion notion;
    Linearizer *linearizer;
    Sweep *sweep;
    HashMap known; /* of histories that are allowed: one hash -> another, independent one */
    uint64_t undecided;
    Automaton *inner; /* of the specification behind def4; else NULL */
};

/* Serial orders looked for, of one history. Under sc equal histories are looked at once; under weak
 * models each search also asks the graph. */
#define MOST_SEARCHES_SC 1000000
#define MOST_SEARCHES_WEAK 20000

Verifier *verifier_new(void)
{
    Verifier *verifier = calloc(1, sizeof *verifier);
    if (!verifier)
        die("out of memory");
    verifier->linearizer = linearizer_new();
    verifier->sweep = sweep_new();
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
    verifier->inner =
        classes && classes->semantics == RELAX_DEF4 ? automaton_new(classes->inner) : NULL;
}

void verifier_let_fail(Verifier *verifier, bool (*may_fail)(uint32_t k, Value result))
{
    verifier->may_fail = may_fail;
}

void verifier_let_lag(Verifier *verifier, uint32_t late)
{
    verifier->late = late;
}

void verifier_weaken(Verifier *verifier, RealtimeNotion notion,
                     bool (*may_join)(uint32_t k, Value result))
{
    verifier->notion = notion;
    verifier->may_join = may_join;
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

/* The operations in INCLUDED under their places there, as a history. */
static void restrict_history(const GraphHistory *whole, const uint32_t *included, uint32_t count,
                             GraphHistory *smaller)
{
    *smaller = (GraphHistory){.count = count};
    for (uint32_t i = 0; i < count; i++) {
        uint32_t k = included[i];
        smaller->called |= 1u << i;
        smaller->returned |= 1u << i;
        smaller->call[i] = whole->call[k];
        smaller->ret[i] = whole->ret[k];
    }
    if (count == whole->count) {
        smaller->order = whole->order;
        return;
    }
    for (uint32_t i = 0; i < 2 * count; i++)
        for (uint32_t j = 0; j < 2 * count; j++) {
            uint32_t e = 2 * included[i / 2] + i % 2, f = 2 * included[j / 2] + j % 2;
            if (whole->order.successors[e] >> f & 1)
                smaller->order.successors[i] |= (uint64_t)1 << j;
        }
}

/* The judgement of a graph depends on which operations gave which results, the order on their
 * calls and returns, and under weak models which edges a client may add. 128 bits of two
 * independent hashes stand for it. Most graphs of a test differ from an earlier one in nothing of
 * this. */
typedef struct Key {
    uint64_t first, second;
} Key;

/* Two chains at once, since each waits for its own last step. */
static Key key_extend(Key key, uint64_t word)
{
    return (Key){hash_combine(key.first, word), hash_mix(key.second ^ word)};
}

/* Rows of 2N bits, as many as fit into a word each time. */
static Key key_of_order(Key key, const RealtimeOrder *whole, uint32_t n)
{
    uint32_t bits = 2 * n, filled = 0;
    uint64_t word = 0;
    for (uint32_t e = 0; e < bits; e++) {
        if (filled + bits > 64) {
            key = key_extend(key, word);
            word = filled = 0;
        }
        word |= whole->successors[e] << filled;
        filled += bits;
    }
    return key_extend(key, word);
}

static Key key_of(const GraphHistory *history, const uint32_t *included, uint32_t stuck,
                  const GraphHistory *smaller)
{
    Key key = key_extend((Key){1, 2}, (uint64_t)history->returned << 32 | stuck);
    uint32_t set = 0;
    for (uint32_t i = 0; i < smaller->count; i++) {
        key = key_extend(key, history->word[included[i]]);
        set |= 1u << included[i];
    }
    key = key_extend(key, set);
    for (uint32_t k = 0; k < history->count; k += 2)
        key = key_extend(key, (uint64_t)history->identity[k] << 32 |
                                  (k + 1 < history->count ? history->identity[k + 1] : 0));
    return key_of_order(key, &smaller->order, smaller->count);
}

/* Keys of the same history with other bytes are told apart by the number of the QUESTION. */
static Key key_with(Key key, uint64_t question, const void *bytes, size_t count)
{
    return (Key){hash_bytes(bytes, count, ~key.first + question),
                 hash_bytes(bytes, count, ~key.second + question)};
}

typedef enum Known { KNOWN_NOTHING, KNOWN_HOLDS, KNOWN_OPEN } Known;

static Known recall(const Verifier *verifier, Key key)
{
    const uint64_t *known = hashmap_find(&verifier->known, key.first);
    if (!known || (*known ^ key.second) >> 1)
        return KNOWN_NOTHING;
    return *known & 1 ? KNOWN_OPEN : KNOWN_HOLDS;
}

/* In the lowest bit of the second hash. */
static void remember(Verifier *verifier, Key key, Known known)
{
    *hashmap_put(&verifier->known, key.first, NULL) =
        (key.second & ~(uint64_t)1) | (known == KNOWN_OPEN);
}

/* A question whose key is new, with everything that its judgement needs. */
typedef struct Question {
    const GraphHistory *history;
    const GraphHistory *smaller; /* the included operations under their places */
    const uint32_t *included;
    uint32_t stuck;
    RealtimeProblem problem; /* count 0: not filled yet */
    uint32_t labels[REALTIME_MOST], rank[REALTIME_MOST];
    uint8_t class[REALTIME_MOST];
    Def4Problem def4;
} Question;

/* The operations of the question that WHICH names; none if it is NULL. */
static uint32_t those_of(bool (*which)(uint32_t k, Value result), const Question *q)
{
    uint32_t those = 0;
    for (uint32_t i = 0; which && i < q->smaller->count; i++)
        those |= (uint32_t)which(q->included[i], (Value){q->history->word[q->included[i]]}) << i;
    return those;
}

static void fill_problem(Verifier *verifier, Question *q)
{
    uint32_t count = q->smaller->count, all_ranks[REALTIME_MOST], late = 0;
    graph_history_rank(q->history, all_ranks);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t k = q->included[i];
        q->labels[i] = verifier->label(verifier->context, k, (Value){q->history->word[k]});
        q->rank[i] = all_ranks[k];
        late |= (verifier->late >> k & 1) << i;
    }
    bool sc = model_is_interleaved(options.model);
    q->problem = (RealtimeProblem){
        .failed = those_of(verifier->may_fail, q),
        .late = late,
        .together = those_of(verifier->may_join, q),
        .notion = verifier->notion,
        .automaton = verifier->automaton,
        .rank = q->rank,
        .sweep = verifier->sweep,
        .most_searches = sc ? MOST_SEARCHES_SC : MOST_SEARCHES_WEAK,
        .count = count,
        .labels = q->labels,
        .stuck = q->stuck == UINT32_MAX
                     ? LINEARIZE_NONE
                     : verifier->label(verifier->context, q->stuck, VALUE_UNKNOWN),
        .context = (void *)(uintptr_t)q->smaller};
    if (!verifier->inner)
        return;
    ASSERT(sc);
    q->def4 = def4_problem(verifier, q->labels, count, q->class);
    q->problem.def4 = &q->def4;
    if (q->problem.stuck != LINEARIZE_NONE)
        q->problem.stuck = inner_label(verifier, q->problem.stuck);
}

static RealtimeResult search(Verifier *verifier, Question *q, RealtimeAddable *addable)
{
    LinearizeLimits limits = {0};
    if (!q->problem.automaton)
        fill_problem(verifier, q);
    q->problem.addable = addable;
    return realtime_check(verifier->linearizer, &q->problem, &q->smaller->order, &limits);
}

/* Is it known, or found out now, that all histories with the edges of ADDABLE are allowed? KEY
 * tells all that this depends on. */
static bool holds_with(Verifier *verifier, Question *q, Key key, RealtimeAddable *addable)
{
    Known known = recall(verifier, key);
    if (known == KNOWN_NOTHING || graph_history_check_edges) {
        bool holds = search(verifier, q, addable).verdict == VERDICT_HOLDS;
        Known found = holds ? KNOWN_HOLDS : KNOWN_OPEN;
        if (known != KNOWN_NOTHING && known != found)
            die("internal error: what is remembered of a history is not true of this one");
        known = found;
        remember(verifier, key, known);
    }
    return known == KNOWN_HOLDS;
}

/* Under a weak model the edges that a client may add depend on all of the graph. Fewer edges give
 * fewer histories. So what can be remembered is asked first: is every history allowed, if all edges
 * that make no cycle may be added? If those may that accesses of the operations themselves leave?
 * If those may that are plausible?
 *
 * The first question is that of time (NULL): a set of edges that makes no cycle with the order is
 * part of the real-time order of some linear extension, and a serial order that keeps the whole
 * keeps the part. Operations that may fail overlap less in the whole, so fewer are left out. */
static bool holds_easily(Verifier *verifier, Question *q, Key key)
{
    const uint32_t *bad;
    if (holds_with(verifier, q, key, NULL))
        return true;
    if (graph_history_ask_own(q->smaller, &bad) &&
        holds_with(verifier, q, key_with(key, 1, bad, q->smaller->count * sizeof *bad),
                   graph_history_own))
        return true;
    if (!graph_history_ask(q->smaller))
        return false;
    ModelClientSummary summary = model_client_summary();
    RealtimeAddable *addable = summary.exact ? graph_history_addable : graph_history_plausible;
    return holds_with(verifier, q, key_with(key, 2, summary.bytes, summary.count), addable);
}

/* Leaves only the order of each thread, and that of main's calls before and after the threads. */
static void forget_time(GraphHistory *history)
{
    for (uint32_t i = 0; i < history->count; i++)
        for (uint32_t j = 0; j < history->count; j++) {
            unsigned a = pool[history->call[i]].thread, b = pool[history->call[j]].thread;
            uint64_t pair = (uint64_t)3 << (2 * j);
            if (a != b && a && b) {
                history->order.successors[2 * i] &= ~pair;
                history->order.successors[2 * i + 1] &= ~pair;
            }
        }
}

static bool check_one(Verifier *verifier, const GraphHistory *history, const uint32_t *included,
                      uint32_t count, uint32_t stuck, VerifyFailure *failure)
{
    Question q;
    GraphHistory part; /* of the history; only if it is not all of it as it is */
    bool timeless = verifier->notion == REALTIME_SEQUENTIAL;
    q.history = q.smaller = history;
    q.included = included;
    q.stuck = stuck;
    q.problem.automaton = NULL;
    if (count < history->count || timeless) {
        restrict_history(history, included, count, &part);
        q.smaller = &part;
    }
    if (timeless)
        forget_time(&part);
    Key key = key_of(history, included, stuck, q.smaller);
    bool weak = !model_is_interleaved(options.model);
    /* which interleavings there are within a bound depends on all of the graph; that of one which
     * is stuck is within it as a whole. (Definition 4 is decided for the order of the graph alone.)
     */
    bool bounded = !weak && stuck == UINT32_MAX && !verifier->inner &&
                   (options.preemptions >= 0 || in_bound.active);
    /* the histories within a bound are some of all those that the order has: first all are asked,
     * and remembered */
    bool easy = weak      ? holds_easily(verifier, &q, key)
                : bounded ? holds_with(verifier, &q, key, NULL)
                          : recall(verifier, key) == KNOWN_HOLDS;
    if (easy && !graph_history_check_edges)
        return true;
    if (weak && graph_history_check_edges && graph_history_ask(q.smaller))
        graph_history_compare(q.smaller);
    RealtimeResult result = search(verifier, &q,
                                   weak      ? graph_history_addable
                                   : bounded ? graph_history_within
                                             : NULL);
    if (easy && result.verdict == VERDICT_VIOLATED)
        die("internal error: with fewer edges to add, a history is not allowed");
    if (result.verdict == VERDICT_INCONCLUSIVE)
        verifier->undecided++;
    if (result.verdict == VERDICT_HOLDS && !weak && !bounded)
        remember(verifier, key, KNOWN_HOLDS);
    if (result.verdict != VERDICT_VIOLATED)
        return true;
    /* only what counts as made, under its places */
    GraphHistory shown = *q.smaller;
    uint32_t places[REALTIME_MOST];
    *failure = (VerifyFailure){.stuck = stuck};
    for (uint32_t i = 0; i < count; i++)
        if (!(result.left_out >> i & 1)) {
            places[failure->count] = i;
            failure->included[failure->count++] = included[i];
        }
    shown.order = result.order;
    restrict_history(&shown, places, failure->count, &part);
    failure->order = part.order;
    return false;
}

/* Judges the operations that have returned, but for those in LEFT_OUT. */
static bool check_included(Verifier *verifier, const GraphHistory *history, uint32_t left_out,
                           bool stuck, VerifyFailure *failure)
{
    uint32_t included[REALTIME_MOST], count = 0;
    for (uint32_t k = 0; k < history->count; k++)
        if ((history->returned & ~left_out) >> k & 1)
            included[count++] = k;
    if (!stuck)
        return check_one(verifier, history, included, count, UINT32_MAX, failure);
    /* each waiting operation needs a serial run of its own that ends with it waiting (Definition 3)
     */
    for (uint32_t k = 0; k < history->count; k++)
        if ((history->called & ~history->returned) >> k & 1)
            if (!check_one(verifier, history, included, count, k, failure))
                return false;
    return true;
}

static uint32_t failed_of(const Verifier *verifier, const GraphHistory *history)
{
    uint32_t failed = 0;
    for (uint32_t k = 0; verifier->may_fail && k < history->count; k++)
        if (history->returned >> k & 1 && verifier->may_fail(k, (Value){history->word[k]}))
            failed |= 1u << k;
    return failed;
}

/* Operations wait for ever, and others may have failed beside them. Whether F overlaps one that
 * waits may be open: in some histories it does, and counts as not made; in others it returned
 * before. An edge to an operation that waits orders nothing else, so the others are those of the
 * same order. Under a weak model nobody tells whether they exist: then the answer is that this is
 * not known. */
static bool check_waiting(Verifier *verifier, const GraphHistory *history, uint32_t failed,
                          uint32_t left_out, VerifyFailure *failure)
{
    uint32_t waiting = history->called & ~history->returned;
    for (uint32_t f = 0; f < history->count; f++)
        for (uint32_t w = 0; failed >> f & 1 && w < history->count; w++) {
            RealtimeOrder more = history->order;
            if (!(waiting >> w & 1) || history->order.successors[2 * f + 1] >> (2 * w) & 1)
                continue;
            failed &= ~(1u << f);
            if (!check_waiting(verifier, history, failed, left_out | 1u << f, failure))
                return false;
            if (verifier->late >> f & 1 || /* it overlaps whatever it does not follow */
                !realtime_add(&more, 2 * history->count, 2 * f + 1, 2 * w) ||
                check_waiting(verifier, history, failed, left_out, failure))
                return true;
            bool weak = !model_is_interleaved(options.model);
            verifier->undecided += weak;
            return weak;
        }
    return check_included(verifier, history, left_out, true, failure);
}

bool verifier_check(Verifier *verifier, const GraphHistory *history, bool stuck,
                    VerifyFailure *failure)
{
    return stuck ? check_waiting(verifier, history, failed_of(verifier, history), 0, failure)
                 : check_included(verifier, history, 0, false, failure);
}

/* ---- the slow twin ---- */

static bool precedes(const VerifyFailure *failure, uint32_t i, uint32_t j)
{
    return failure->order.successors[2 * i + 1] >> (2 * j) & 1;
}

/* May every operation before I have taken effect once those in DONE have? */
static bool ready_after(const VerifyFailure *failure, uint32_t done, uint32_t i)
{
    for (uint32_t j = 0; j < failure->count; j++)
        if (!(done >> j & 1) && j != i && precedes(failure, j, i))
            return false;
    return !(done >> i & 1);
}

/* The operations that may take effect together with I, as one: those that are ready, too, and are
 * the same call with the same result. */
static uint32_t may_join(const Verifier *verifier, const GraphHistory *history,
                         const VerifyFailure *failure, uint32_t done, uint32_t i, uint32_t label)
{
    uint32_t others = 0, k = failure->included[i];
    if (!verifier->may_join || !verifier->may_join(k, (Value){history->word[k]}))
        return 0;
    for (uint32_t j = 0; j < failure->count; j++) {
        k = failure->included[j];
        if (j != i && ready_after(failure, done, j) &&
            verifier->label(verifier->context, k, (Value){history->word[k]}) == label)
            others |= 1u << j;
    }
    return others;
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
        if (!ready_after(failure, done, i))
            continue;
        uint32_t k = failure->included[i];
        uint32_t label = verifier->label(verifier->context, k, (Value){history->word[k]});
        uint32_t others = may_join(verifier, history, failure, done, i, label);
        size_t steps;
        const uint32_t *next = automaton_step(verifier->automaton, state, label, &steps);
        Vec(uint32_t) copy = {0}; /* the next step moves what `next` points to */
        for (size_t s = 0; s < steps; s++)
            vec_push(&copy, next[s]);
        bool found = false;
        for (uint32_t with = others;; with = (with - 1) & others) { /* every subset */
            for (size_t s = 0; s < copy.count && !found; s++)
                found = some_order(verifier, history, failure, done | 1u << i | with, copy.at[s]);
            if (found || !with)
                break;
        }
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

VerifyShown verifier_shown;

void verifier_show(const GraphHistory *history, const VerifyFailure *failure)
{
    verifier_shown.count = 0;
    for (uint32_t i = 0; i < failure->count; i++)
        for (uint32_t j = 0; j < failure->count; j++)
            if (i != j && precedes(failure, i, j))
                verifier_shown.pairs[verifier_shown.count++] = (PreemptPair){
                    history->ret[failure->included[i]], history->call[failure->included[j]]};
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
                    Automaton *automaton,
                    uint32_t (*label)(void *context, uint32_t k, Value result), void *context,
                    uint32_t *serial)
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
