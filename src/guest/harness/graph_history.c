#include "guest/harness/graph_history.h"
#include "guest/explore/search/explore.h"
#include <string.h>
#include "base/hash.h"
#include "guest/harness/graph_axioms.h"
#include "guest/explore/graph/graph.h"
#include "guest/explore/schedules/preempt.h"
#include "guest/explore/graph/models/client.h"
#include "guest/explore/graph/models/model.h"
#include "guest/runtime/pages.h"

static void collect_marks(GraphHistory *history)
{
    for (int i = 0; i < order_count; i++) {
        const Event *e = &pool[order[i]];
        if (e->kind != EVENT_MARK)
            continue;
        uint32_t k = e->other;
        ASSERT(k < history->count);
        if (e->test) {
            history->returned |= 1u << k;
            history->ret[k] = order[i];
            history->word[k] = e->value;
        } else {
            history->called |= 1u << k;
            history->call[k] = order[i];
        }
    }
}

/* The event of the graph for event number E of a RealtimeOrder, or NULL. */
static const Event *event_of(const GraphHistory *history, uint32_t e)
{
    uint32_t k = e / 2;
    if (e % 2 == 0)
        return history->called >> k & 1 ? &pool[history->call[k]] : NULL;
    return history->returned >> k & 1 ? &pool[history->ret[k]] : NULL;
}

/* The marks of a history that are there. */
typedef struct Marks {
    uint32_t count;
    const Event *event[2 * REALTIME_MOST];
    uint8_t place[2 * REALTIME_MOST],
        thread[2 * REALTIME_MOST]; /* place: number in a RealtimeOrder */
    EventIndex index[2 * REALTIME_MOST];
} Marks;

static void find_marks(const GraphHistory *history, Marks *marks)
{
    marks->count = 0;
    for (uint32_t e = 0; e < 2 * history->count; e++) {
        const Event *mark = event_of(history, e);
        if (!mark)
            continue;
        uint32_t i = marks->count++;
        marks->event[i] = mark;
        marks->place[i] = (uint8_t)e;
        marks->thread[i] = mark->thread;
        marks->index[i] = mark->index;
    }
}

/* CLOCK of mark J tells which others come before it. */
static void put_before(GraphHistory *history, const Marks *marks, uint32_t j,
                       const ClockEntry *clock)
{
    for (uint32_t i = 0; i < marks->count; i++) {
        uint64_t is_before = (i != j) & (marks->index[i] < clock[marks->thread[i]]);
        history->order.successors[marks->place[i]] |= is_before << marks->place[j];
    }
}

/* ---- the sc order of all events at once ----
 * Clocks of the order po U rf U co U fr, for up to FEW threads: event e comes before f iff
 * e.index < clock(f)[e.thread]. One pass over the graph in an order that respects it (it is acyclic
 * under sc), instead of a search from each mark. Of the predecessors of a write those next to it in
 * coherence order are enough: what reads an earlier write precedes the write that follows that one.
 */

enum { FEW = 8 };
typedef struct SmallClock {
    ClockEntry at[FEW];
} SmallClock;
static SmallClock *sc_clocks; /* by event */
static int clocked[MAX_THREADS];

static void sc_clocks_to(int t, int count);

static void sc_join(SmallClock *into, EventId id)
{
    const Event *e = &pool[id];
    if (clocked[e->thread] <= e->index)
        sc_clocks_to(e->thread, e->index + 1);
    const SmallClock *from = &sc_clocks[id];
    for (int i = 0; i < FEW; i++)
        into->at[i] = into->at[i] > from->at[i] ? into->at[i] : from->at[i];
}

static void sc_clocks_to(int t, int count)
{
    while (clocked[t] < count) {
        int i = clocked[t];
        EventId id = threads[t].po[i];
        const Event *e = &pool[id];
        SmallClock clock = {{0}};
        if (i)
            clock = sc_clocks[threads[t].po[i - 1]];
        else if (t)
            sc_join(&clock, threads[t].create);
        if (e->kind == EVENT_READ && e->rf)
            sc_join(&clock, e->rf);
        if (e->kind == EVENT_JOIN)
            sc_join(&clock, event_id(last_event((int)e->other)));
        if (e->kind == EVENT_WRITE) {
            const Location *x = &locations[e->location];
            if (e->co > 1)
                sc_join(&clock, x->co[e->co - 1]);
            for (int j = 0; j < x->reads; j++) {
                const Event *r = &pool[x->read[j]];
                if (rf_position(r) == e->co - 1 && !(r->thread == t && r->index < i))
                    sc_join(&clock, x->read[j]);
            }
        }
        clock.at[t] = (ClockEntry)(i + 1);
        sc_clocks[id] = clock;
        clocked[t] = i + 1;
    }
}

static void collect_sc_order(GraphHistory *history, const Marks *marks)
{
    if (!sc_clocks)
        sc_clocks = pages_reserve(sizeof(SmallClock) * MAX_EVENTS);
    memset(clocked, 0, sizeof clocked);
    for (ThreadSet left = threads_created; left; left &= left - 1)
        sc_clocks_to(thread_first(left), threads[thread_first(left)].count);
    for (uint32_t j = 0; j < marks->count; j++)
        put_before(history, marks, j, sc_clocks[event_id(marks->event[j])].at);
}

void graph_history_collect(GraphHistory *history, uint32_t count)
{
    *history = (GraphHistory){.count = count};
    collect_marks(history);
    graph_history_order(history);
}

void graph_history_order(GraphHistory *history)
{
    Marks marks;
    find_marks(history, &marks);
    memset(&history->order, 0, sizeof history->order);
    if (!model_is_interleaved(options.model)) {
        for (uint32_t j = 0; j < marks.count; j++)
            put_before(history, &marks, j, marks.event[j]->hb.at);
        return;
    }
    if (!(threads_created >> FEW)) {
        collect_sc_order(history, &marks);
        return;
    }
    for (uint32_t i = 0; i < marks.count; i++) {
        int reach[MAX_THREADS];
        model_sc_reach(marks.event[i], reach);
        for (uint32_t j = 0; j < marks.count; j++)
            if (i != j && marks.index[j] >= reach[marks.thread[j]])
                history->order.successors[marks.place[i]] |= (uint64_t)1 << marks.place[j];
    }
}

/* ---- an interleaving: program order, reads-from, coherence, reads before overwrites ---- */

typedef struct Placing {
    int placed[MAX_THREADS];
    uint32_t next_place;
    uint32_t effect_place[REALTIME_MOST];
    bool effect_writes[REALTIME_MOST];
    int open_operation[MAX_THREADS];
    const int8_t *mark_numbers; /* of the history, may be NULL */
} Placing;
static Placing placing;

/* The graph may be no interleaving under a weak model: an event that waits for itself is just
 * placed, the rank is only a guess. */
static void place_to(int t, int count, int depth)
{
    while (placing.placed[t] < count) {
        int i = placing.placed[t];
        const Event *e = thread_event(t, i);
        if (depth < 64) {
            if (i == 0 && t)
                place_to(pool[threads[t].create].thread, pool[threads[t].create].index + 1,
                         depth + 1);
            if (e->kind == EVENT_READ && e->rf)
                place_to(pool[e->rf].thread, pool[e->rf].index + 1, depth + 1);
            if (e->kind == EVENT_JOIN)
                place_to((int)e->other, threads[e->other].count, depth + 1);
            const Location *x = &locations[e->location];
            if (e->kind == EVENT_WRITE && e->co > 1)
                place_to(pool[x->co[e->co - 1]].thread, pool[x->co[e->co - 1]].index + 1,
                         depth + 1);
            for (int j = 0; e->kind == EVENT_WRITE && j < x->reads; j++) {
                const Event *r = &pool[x->read[j]];
                if (rf_position(r) < e->co && !(r->thread == t && r->index + 1 == i))
                    place_to(r->thread, r->index + 1, depth + 1);
            }
        }
        if (placing.placed[t] > i)
            continue; /* the recursion came by here */
        placing.placed[t] = i + 1;
        placing.next_place++;
        int marked = e->kind != EVENT_MARK  ? -1
                     : placing.mark_numbers ? placing.mark_numbers[e->other]
                                            : (int)e->other;
        if (marked >= 0)
            placing.open_operation[t] = e->test ? -1 : marked;
        int k = placing.open_operation[t];
        if (k >= 0 &&
            (e->kind == EVENT_WRITE || (!placing.effect_writes[k] && e->kind == EVENT_READ))) {
            placing.effect_place[k] = placing.next_place;
            placing.effect_writes[k] |= e->kind == EVENT_WRITE;
        }
    }
}

void graph_history_rank(const GraphHistory *history, uint32_t *rank)
{
    placing = (Placing){.mark_numbers = history->numbers};
    for (int t = 0; t < MAX_THREADS; t++)
        placing.open_operation[t] = -1;
    for (ThreadSet left = threads_created; left; left &= left - 1)
        place_to(thread_first(left), threads[thread_first(left)].count, 0);
    memcpy(rank, placing.effect_place, sizeof(uint32_t) * history->count);
}

bool graph_history_check_edges;
static enum { /* who answers whether a client's edges can be added */
              BY_MATRICES,
              BY_CLIENT, /* models/client.h, fast */
              BY_AXIOMS  /* see below */
} answers_by;

/* Where memory is accessed in several sizes, the axioms know bytes, and the other ways to answer
 * know whole locations, which order writes that share no byte: their answer may be no for a graph
 * where it is yes for that with the other order. Models with store buffers explore both graphs.
 * rc11 does not (blocks.h), so there the axioms answer, for the accesses and orders of bytes that
 * the graph stands for. Then nothing is lost: an execution with a client's edges is one without
 * them, too, so it is explored, or blocks_incomplete says that it may not be. */
static bool axioms_answer(void)
{
    return UNLIKELY(facts_met[FACT_blocks]) && model_forbids_races(options.model);
}

bool graph_history_ask(const GraphHistory *history)
{
    if (axioms_answer())
        answers_by = BY_AXIOMS;
    else if (model_client_begin(history->call, history->ret, history->count))
        answers_by = BY_CLIENT;
    else
        answers_by = BY_MATRICES;
    return answers_by == BY_CLIENT;
}

static int list_edges(const GraphHistory *history, const uint32_t *added, ModelEdge *edges)
{
    int count = 0;
    for (uint32_t x = 0; x < history->count; x++)
        for (uint32_t left = added[x]; left; left &= left - 1)
            edges[count++] =
                (ModelEdge){history->ret[x], history->call[(uint32_t)__builtin_ctz(left)]};
    return count;
}

static bool slow_addable(const GraphHistory *history, const uint32_t *added)
{
    ModelEdge edges[REALTIME_MOST * REALTIME_MOST];
    int count = list_edges(history, added, edges);
    return answers_by == BY_AXIOMS ? !graph_axioms_broken(edges, count)
                                   : model_allows_edges(edges, count);
}

/* By matrices, and by the axioms alone. Where memory is accessed in several sizes
 * (graph_history_ask) the axioms' answer is taken, and what is compared is the verdict
 * (72_check_edges.sh). */
static bool compare_answers(const GraphHistory *history, const uint32_t *added, bool answer)
{
    ModelEdge edges[REALTIME_MOST * REALTIME_MOST];
    int count = list_edges(history, added, edges);
    const char *broken = graph_axioms_broken(edges, count);
    if (facts_met[FACT_blocks] || (answer == model_allows_edges(edges, count) && answer == !broken))
        return !broken;
    die("internal error: three ways to add an edge disagree (the fast one: %s; the slow one: %s; "
        "the axioms: %s)",
        answer ? "yes" : "no", model_allows_edges(edges, count) ? "yes" : "no",
        broken ? broken : "yes");
}

/* ORDER with (A, B) as relations between operations: all pairs, and those that a client adds. False
 * if it makes a cycle. */
static bool relations_with(const GraphHistory *history, const RealtimeOrder *order_now, uint32_t a,
                           uint32_t b, uint32_t *after, uint32_t *added)
{
    RealtimeOrder more = *order_now;
    if (!realtime_add(&more, 2 * history->count, 2 * a + 1, 2 * b))
        return false;
    for (uint32_t x = 0; x < history->count; x++) {
        after[x] = added[x] = 0;
        for (uint32_t y = 0; y < history->count; y++) {
            after[x] |= (uint32_t)(more.successors[2 * x + 1] >> (2 * y) & 1) << y;
            added[x] |= (uint32_t)((order_now->successors[2 * x + 1] &
                                    ~history->order.successors[2 * x + 1]) >>
                                       (2 * y) &
                                   1)
                        << y;
        }
    }
    added[a] |= 1u << b;
    return true;
}

bool graph_history_addable(void *context, const RealtimeOrder *order_now, uint32_t a, uint32_t b)
{
    const GraphHistory *history = context;
    uint32_t after[REALTIME_MOST], added[REALTIME_MOST];
    if (!relations_with(history, order_now, a, b, after, added))
        return false;
    if (answers_by != BY_CLIENT)
        return slow_addable(history, added);
    bool answer = model_client_allows(after, added);
    return UNLIKELY(graph_history_check_edges) ? compare_answers(history, added, answer) : answer;
}

bool graph_history_within(void *context, const RealtimeOrder *order_now, uint32_t a, uint32_t b)
{
    const GraphHistory *history = context;
    uint32_t after[REALTIME_MOST], added[REALTIME_MOST];
    ModelEdge edges[REALTIME_MOST * REALTIME_MOST];
    PreemptPair pairs[REALTIME_MOST * REALTIME_MOST];
    if (!relations_with(history, order_now, a, b, after, added))
        return false;
    int count = list_edges(history, added, edges);
    for (int i = 0; i < count; i++)
        pairs[i] = (PreemptPair){edges[i].from, edges[i].to};
    preempt_order(pairs, (uint32_t)count);
    bool within = preempt_within(options.preemptions);
    preempt_order(NULL, 0);
    return within;
}

static uint32_t own_bad[REALTIME_MOST];

bool graph_history_ask_own(const GraphHistory *history, const uint32_t **bad)
{
    *bad = own_bad;
    return !axioms_answer() &&
           model_client_own_pairs(history->call, history->ret, history->count, own_bad);
}

/* No edge that accesses of its operations forbid may be allowed. */
static void compare_own(const GraphHistory *history)
{
    const uint32_t *bad;
    if (!graph_history_ask_own(history, &bad))
        return;
    for (uint32_t a = 0; a < history->count; a++)
        for (uint32_t left = bad[a]; left; left &= left - 1)
            if (graph_history_addable((void *)(uintptr_t)history, &history->order, a,
                                      (uint32_t)__builtin_ctz(left)))
                die("internal error: accesses of two operations forbid an edge that may be added");
}

/* The search asks little: it stops at the first violation, and only wants edges that a serial order
 * does not satisfy. So whole sets of edges are made at random as well. */
void graph_history_compare(const GraphHistory *history)
{
    enum { SETS = 3 };
    static Random random = {1};
    compare_own(history);
    for (int i = 0; i < SETS && history->count; i++) {
        RealtimeOrder with = history->order;
        for (uint32_t left = history->count; left-- > 0;) {
            uint32_t a = (uint32_t)random_below(&random, history->count);
            uint32_t b = (uint32_t)random_below(&random, history->count);
            if (a != b && !(with.successors[2 * a + 1] >> (2 * b) & 1) &&
                graph_history_addable((void *)(uintptr_t)history, &with, a, b))
                realtime_add(&with, 2 * history->count, 2 * a + 1, 2 * b);
        }
    }
}

bool graph_history_plausible(void *context, const RealtimeOrder *order_now, uint32_t a, uint32_t b)
{
    const GraphHistory *history = context;
    uint32_t after[REALTIME_MOST], added[REALTIME_MOST];
    ASSERT(answers_by == BY_CLIENT);
    return relations_with(history, order_now, a, b, after, added) && model_client_plausible(after);
}

bool graph_history_own(void *context, const RealtimeOrder *order_now, uint32_t a, uint32_t b)
{
    const GraphHistory *history = context;
    uint32_t after[REALTIME_MOST], added[REALTIME_MOST];
    if (!relations_with(history, order_now, a, b, after, added))
        return false;
    for (uint32_t x = 0; x < history->count; x++)
        if (after[x] & own_bad[x])
            return false;
    return true;
}

uint32_t graph_history_serial(uint32_t *operations, uint64_t *words, uint32_t *pending)
{
    uint32_t count = 0;
    *pending = UINT32_MAX;
    for (int i = 0; i < order_count; i++) {
        const Event *e = &pool[order[i]];
        if (e->kind != EVENT_MARK)
            continue;
        if (!e->test) {
            *pending = e->other;
        } else {
            operations[count] = e->other;
            words[count++] = e->value;
            *pending = UINT32_MAX;
        }
    }
    return count;
}

bool graph_history_in_call(unsigned thread, uint32_t *operation)
{
    for (int i = order_count - 1; i >= 0; i--) {
        const Event *e = &pool[order[i]];
        if (e->kind != EVENT_MARK || e->thread != thread)
            continue;
        *operation = e->other;
        return !e->test;
    }
    return false;
}
