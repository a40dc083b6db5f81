/* The judge of long executions against the one that writes the axioms down with matrices, on random
 * graphs of every kind of event: consistent and not, in every model and by each rule for release
 * sequences. Then long executions, in time. */
#include "judge/graph/sparse.h"
#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>
#include <stdlib.h>
#include "base/hash.h"

enum { MOST = 40, THREADS = 4, LOCATIONS = 2 };
typedef struct Graph {
    AxiomEvent events[MOST];
    AxiomEdge edges[2];
    size_t count, edge_count;
    unsigned next[THREADS], writes[LOCATIONS];
    int last[LOCATIONS]; /* write of each location, in the order of the calls */
    bool begun[THREADS], ended[THREADS];
} Graph;

static int below(Random *random, unsigned bound)
{
    return (int)random_below(random, bound);
}

static AxiomEvent *add(Graph *g, unsigned thread, AxiomKind kind, AxiomOrder order)
{
    AxiomEvent *e = &g->events[g->count++];
    *e = (AxiomEvent){.thread = thread,
                      .index = g->next[thread]++,
                      .kind = kind,
                      .order = order,
                      .rf = AXIOM_NONE,
                      .rmw = AXIOM_NONE};
    return e;
}

static AxiomOrder order_of(Random *random, int sc_percent)
{
    return below(random, 100) < sc_percent ? AXIOM_SEQ_CST : (AxiomOrder)below(random, 5);
}

/* A read of the last write, or, STALE of 100 times, of another one. */
static void add_read(Graph *g, Random *random, unsigned t, int l, AxiomOrder order, int stale)
{
    AxiomEvent *e = add(g, t, AXIOM_READ, order);
    e->location = l;
    e->rf = g->last[l];
    bool other = below(random, 100) < stale;
    if (other && below(random, 3) == 0)
        e->rf = AXIOM_NONE;
    for (int tries = 0; other && tries < 6; tries++) {
        int w = below(random, (unsigned)g->count);
        if (g->events[w].kind == AXIOM_WRITE && g->events[w].location == l)
            e->rf = w;
    }
    e->value = e->rf == AXIOM_NONE ? 0 : g->events[e->rf].value;
}

static void add_write(Graph *g, unsigned t, int l, AxiomOrder order)
{
    AxiomEvent *e = add(g, t, AXIOM_WRITE, order);
    e->location = l;
    e->value = g->count;
    e->coherence = ++g->writes[l];
    g->last[l] = (int)g->count - 1;
}

static void add_some(Graph *g, Random *random, unsigned t, int stale, int sc_percent)
{
    int l = below(random, LOCATIONS), what = below(random, 10);
    AxiomOrder order = order_of(random, sc_percent);
    if (what < 4) {
        add_read(g, random, t, l, order, stale);
        g->events[g->count - 1].plain = below(random, 12) == 0;
        g->events[g->count - 1].locked = below(random, 6) == 0;
    } else if (what < 7) {
        add_write(g, t, l, order);
        g->events[g->count - 1].plain = below(random, 12) == 0;
        g->events[g->count - 1].locked = below(random, 6) == 0;
    } else if (what < 8) {
        add_read(g, random, t, l, order, stale);
        int r = (int)g->count - 1;
        add_write(g, t, l, order);
        g->events[r].locked = g->events[r + 1].locked = true;
        g->events[r + 1].rmw = r;
    } else {
        add(g, t, AXIOM_FENCE, order_of(random, sc_percent));
    }
}

/* Gives two writes of a location each other's places in its coherence order. */
static void swap_writes(Graph *g, Random *random)
{
    AxiomEvent *a = &g->events[below(random, (unsigned)g->count)];
    AxiomEvent *b = &g->events[below(random, (unsigned)g->count)];
    if (a->kind == AXIOM_WRITE && b->kind == AXIOM_WRITE && a->location == b->location) {
        unsigned place = a->coherence;
        a->coherence = b->coherence;
        b->coherence = place;
    }
}

/* Two or three threads that each write, and then read another location: the shapes in which the
 * models differ. */
static void make_shape(Graph *g, Random *random, int threads, int sc_percent)
{
    for (unsigned t = 0; t < (unsigned)threads; t++) {
        int steps = 2 + below(random, 2), l = below(random, LOCATIONS);
        for (int i = 0; i < steps; i++) {
            if (below(random, 4) == 0)
                add(g, t, AXIOM_FENCE, order_of(random, sc_percent));
            if (below(random, 4) ? i == 0 : below(random, 2))
                add_write(g, t, l, order_of(random, sc_percent));
            else
                add_read(g, random, t, l, order_of(random, sc_percent), 0);
            l = (l + 1) % LOCATIONS;
        }
    }
}

/* Lets every read that is alone read from any write of its location, or none. */
static void read_anything(Graph *g, Random *random)
{
    for (size_t i = 0; i < g->count; i++) {
        AxiomEvent *e = &g->events[i];
        bool alone = i + 1 == g->count || g->events[i + 1].rmw != (int)i;
        if (e->kind != AXIOM_READ || !alone)
            continue;
        e->rf = AXIOM_NONE;
        for (size_t j = 0, writes = 1; j < g->count; j++)
            if (g->events[j].kind == AXIOM_WRITE && g->events[j].location == e->location &&
                below(random, (unsigned)++writes) == 0)
                e->rf = (int)j;
        e->value = e->rf == AXIOM_NONE ? 0 : g->events[e->rf].value;
    }
}

static void make(Graph *g, uint64_t seed)
{
    Random random = {hash_mix(seed + 5)};
    bool loose = below(&random, 2);
    *g = (Graph){.begun = {true}};
    for (int l = 0; l < LOCATIONS; l++)
        g->last[l] = AXIOM_NONE;
    int threads = loose ? 2 + below(&random, 2) : 1 + below(&random, THREADS);
    int steps = loose ? 0 : 4 + below(&random, 12);
    int stale = below(&random, 4) * 30, sc_percent = below(&random, 4) * 30;
    for (int i = 0; i < steps; i++) {
        unsigned t = (unsigned)below(&random, (unsigned)threads);
        if (g->ended[t])
            continue;
        if (!g->begun[t]) { /* some begin by themselves, as the test's threads do elsewhere */
            g->begun[t] = true;
            if (below(&random, 2)) {
                add(g, 0, AXIOM_CREATE, AXIOM_RELAXED)->peer = t;
                add(g, t, AXIOM_BEGIN, AXIOM_RELAXED);
            }
        }
        add_some(g, &random, t, stale, sc_percent);
        if (t && below(&random, 12) == 0) {
            g->ended[t] = true;
            add(g, t, AXIOM_END, AXIOM_RELAXED);
            if (!g->ended[0])
                add(g, 0, AXIOM_JOIN, AXIOM_RELAXED)->peer = t;
        }
    }
    if (loose) {
        make_shape(g, &random, threads, sc_percent);
        read_anything(g, &random);
    }
    for (int i = below(&random, 4) - 2; i > 0; i--)
        swap_writes(g, &random);
    int from = below(&random, (unsigned)g->count), to = below(&random, (unsigned)g->count);
    if (below(&random, 5) == 0 && g->events[from].kind == AXIOM_FENCE &&
        g->events[to].kind == AXIOM_FENCE && from != to)
        g->edges[g->edge_count++] = (AxiomEdge){from, to};
}

static void same_verdicts(void **state)
{
    (void)state;
    const char *more = getenv("HEDDLE_NIGHTLY");
    uint64_t graphs = more && *more ? 1000000 : 20000, fine[MODEL_COUNT] = {0}, by_psc = 0;
    Arena *arena = arena_new();
    for (uint64_t seed = 0; seed < graphs; seed++) {
        Graph g;
        make(&g, seed);
        AxiomGraph graph = {g.events, g.count, LOCATIONS, NULL, g.edges, g.edge_count};
        AxiomOptions options = {.release_sequence_cxx20 = seed & 1, .x86_code = seed >> 1 & 1};
        for (unsigned m = 0; m < MODEL_COUNT; m++) {
            AxiomFinding slow, fast;
            bool is = axioms_consistent(&graph, (MemoryModel)m, options, arena, &slow);
            bool said = sparse_consistent(&graph, (MemoryModel)m, options, arena, &fast);
            if (is != said)
                fail_msg("graph %llu under %s: %s, but: %s", (unsigned long long)seed,
                         model_word((MemoryModel)m), axiom_rule_text(slow.rule),
                         axiom_rule_text(fast.rule));
            fine[m] += is;
            by_psc += slow.rule == AXIOM_RULE_SEQ_CST;
            arena_reset(arena);
        }
    }
    assert_true(by_psc > graphs / 400);
    for (unsigned m = 0; m < MODEL_COUNT; m++) /* neither answer is rare */
        assert_true(fine[m] > graphs / 10 && fine[m] < graphs - graphs / 10);
    arena_free(arena);
}

/* Two threads that add to one location in turn, and one that only stores: 16,000 events. */
static void long_executions(void **state)
{
    (void)state;
    enum { ROUNDS = 4000 };
    AxiomEvent *events = calloc(4 * ROUNDS, sizeof *events);
    size_t count = 0;
    for (unsigned i = 0; i < ROUNDS; i++) {
        unsigned t = i % 2, index = i / 2 * 3;
        int read = (int)count;
        AxiomEvent base = {.thread = t,
                           .order = AXIOM_SEQ_CST,
                           .locked = true,
                           .rf = AXIOM_NONE,
                           .rmw = AXIOM_NONE};
        events[count] = base;
        events[count].index = index;
        events[count].kind = AXIOM_READ;
        events[count].rf = i ? (int)count - 3 : AXIOM_NONE;
        events[count++].value = i;
        events[count] = base;
        events[count].index = index + 1;
        events[count].kind = AXIOM_WRITE;
        events[count].coherence = i + 1;
        events[count].rmw = read;
        events[count++].value = i + 1;
        events[count] = base;
        events[count].thread = 2;
        events[count].index = i;
        events[count].kind = AXIOM_WRITE;
        events[count].location = 1;
        events[count++].coherence = i + 1;
        events[count] = base;
        events[count].index = index + 2;
        events[count++].kind = AXIOM_FENCE;
        if (i)
            events[read].rf = read - 3;
    }
    AxiomGraph graph = {events, count, 2, NULL, NULL, 0};
    Arena *arena = arena_new();
    for (unsigned m = 0; m < MODEL_COUNT; m++) {
        AxiomFinding finding;
        assert_true(axioms_consistent(&graph, (MemoryModel)m, (AxiomOptions){0}, arena, &finding));
        arena_reset(arena);
    }
    /* the last addition reads what the one before the last did, as if one were lost */
    events[count - 4].rf = (int)count - 11;
    events[count - 4].value = events[count - 11].value;
    for (unsigned m = 0; m < MODEL_COUNT; m++) {
        assert_false(axioms_consistent(&graph, (MemoryModel)m, (AxiomOptions){0}, arena, NULL));
        arena_reset(arena);
    }
    arena_free(arena);
    free(events);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same_verdicts),
        cmocka_unit_test(long_executions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
