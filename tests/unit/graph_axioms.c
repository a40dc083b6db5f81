/* The judge against litmus tests whose verdicts are textbook: each graph below is the one
 * interesting outcome of its test, with the answer of the literature for every model beside it.
 * Then random graphs: under tso against a machine with store buffers, under rc11 where theorems say
 * that it is the same as sc. */
#include "judge/graph/axioms.h"
#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>
#include "base/hash.h"

enum { X, Y, Z };
typedef struct Litmus { /* a graph under construction */
    AxiomEvent events[32];
    size_t count;
    unsigned next[8], writes[4];
} Litmus;

static AxiomEvent *add(Litmus *g, unsigned thread, AxiomKind kind, AxiomOrder order)
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
/* Writes enter the coherence order of their location in the order of the calls. */
static int write(Litmus *g, unsigned thread, int location, uint64_t value, AxiomOrder order)
{
    AxiomEvent *e = add(g, thread, AXIOM_WRITE, order);
    e->location = location;
    e->value = value;
    e->coherence = ++g->writes[location];
    return (int)g->count - 1;
}
static int read(Litmus *g, unsigned thread, int location, int from, AxiomOrder order)
{
    AxiomEvent *e = add(g, thread, AXIOM_READ, order);
    e->location = location;
    e->rf = from;
    return (int)g->count - 1;
}
static int rmw(Litmus *g, unsigned thread, int location, int from, uint64_t value, AxiomOrder order)
{
    int r = read(g, thread, location, from, order);
    int w = write(g, thread, location, value, order);
    g->events[r].locked = g->events[w].locked = true;
    g->events[w].rmw = r;
    return w;
}
static void fence(Litmus *g, unsigned thread, AxiomOrder order)
{
    add(g, thread, AXIOM_FENCE, order);
}
static AxiomGraph finish(Litmus *g)
{
    for (size_t i = 0; i < g->count; i++) {
        AxiomEvent *e = &g->events[i];
        if (e->kind == AXIOM_READ)
            e->value = e->rf == AXIOM_NONE ? 0 : g->events[e->rf].value;
    }
    return (AxiomGraph){.events = g->events, .count = g->count, .locations = 3};
}
static AxiomRule judge(Litmus *g, MemoryModel model)
{
    AxiomGraph graph = finish(g);
    Arena *arena = arena_new();
    AxiomFinding finding;
    bool ok = axioms_consistent(&graph, model, (AxiomOptions){0}, arena, &finding);
    assert_int_equal(ok, finding.rule == AXIOM_RULE_ALL);
    arena_free(arena);
    return finding.rule;
}
static void expect(Litmus *g, AxiomRule sc, AxiomRule tso, AxiomRule rc11)
{
    assert_int_equal(judge(g, MODEL_SC), sc);
    assert_int_equal(judge(g, MODEL_TSO), tso);
    assert_int_equal(judge(g, MODEL_RC11), rc11);
}
/* The last access is to these bytes of its location. */
static void part(Litmus *g, unsigned bytes)
{
    g->events[g->count - 1].bytes = bytes;
}
#define OK AXIOM_RULE_ALL
#define NO(rule) AXIOM_RULE_##rule

static void store_buffering(void **state)
{
    (void)state;
    const AxiomOrder orders[] = {AXIOM_RELAXED, AXIOM_RELEASE, AXIOM_SEQ_CST};
    for (size_t i = 0; i < COUNT_OF(orders); i++) {
        Litmus g = {0};
        bool strong = orders[i] == AXIOM_SEQ_CST;
        write(&g, 0, X, 1, orders[i]);
        read(&g, 0, Y, AXIOM_NONE, strong ? AXIOM_SEQ_CST : AXIOM_ACQUIRE);
        write(&g, 1, Y, 1, orders[i]);
        read(&g, 1, X, AXIOM_NONE, strong ? AXIOM_SEQ_CST : AXIOM_ACQUIRE);
        expect(&g, NO(INTERLEAVING), strong ? NO(GLOBAL_ORDER) : OK, strong ? NO(SEQ_CST) : OK);
    }
    for (int both = 0; both < 2; both++) { /* one fence is not enough */
        Litmus g = {0};
        write(&g, 0, X, 1, AXIOM_RELAXED);
        fence(&g, 0, AXIOM_SEQ_CST);
        read(&g, 0, Y, AXIOM_NONE, AXIOM_RELAXED);
        write(&g, 1, Y, 1, AXIOM_RELAXED);
        fence(&g, 1, both ? AXIOM_SEQ_CST : AXIOM_ACQ_REL);
        read(&g, 1, X, AXIOM_NONE, AXIOM_RELAXED);
        expect(&g, NO(INTERLEAVING), both ? NO(GLOBAL_ORDER) : OK, both ? NO(SEQ_CST) : OK);
    }
}

/* Each thread reads its own store first: from its buffer, under tso (Intel's white paper, 2.4;
 * Owens, Sarkar, Sewell 2009). */
static void store_buffering_with_own_reads(void **state)
{
    (void)state;
    Litmus g = {0};
    int x = write(&g, 0, X, 1, AXIOM_RELAXED);
    read(&g, 0, X, x, AXIOM_RELAXED);
    read(&g, 0, Y, AXIOM_NONE, AXIOM_RELAXED);
    int y = write(&g, 1, Y, 1, AXIOM_RELAXED);
    read(&g, 1, Y, y, AXIOM_RELAXED);
    read(&g, 1, X, AXIOM_NONE, AXIOM_RELAXED);
    expect(&g, NO(INTERLEAVING), OK, OK);
}

/* Store buffering, seq_cst accesses in one thread, a fence in the other: psc_base has hb? next to
 * fences on either side. F po Rx fr Wx po Ry fr Wy po F. */
static void store_buffering_mixed(void **state)
{
    (void)state;
    Litmus g = {0};
    write(&g, 0, X, 1, AXIOM_SEQ_CST);
    read(&g, 0, Y, AXIOM_NONE, AXIOM_SEQ_CST);
    write(&g, 1, Y, 1, AXIOM_RELAXED);
    fence(&g, 1, AXIOM_SEQ_CST);
    read(&g, 1, X, AXIOM_NONE, AXIOM_RELAXED);
    expect(&g, NO(INTERLEAVING), NO(GLOBAL_ORDER), NO(SEQ_CST));
}

/* Store buffering with one thread in two, joined by release and acquire of a third place: happens-
 * before counts between seq_cst accesses if it leaves and arrives by program order to other places.
 * Wx po Wz sw Rz po Ry fr Wy po Rx fr Wx. */
static void store_buffering_in_three_threads(void **state)
{
    (void)state;
    Litmus g = {0};
    write(&g, 0, X, 1, AXIOM_SEQ_CST);
    int z = write(&g, 0, Z, 1, AXIOM_RELEASE);
    read(&g, 1, Z, z, AXIOM_ACQUIRE);
    read(&g, 1, Y, AXIOM_NONE, AXIOM_SEQ_CST);
    write(&g, 2, Y, 1, AXIOM_SEQ_CST);
    read(&g, 2, X, AXIOM_NONE, AXIOM_SEQ_CST);
    expect(&g, NO(INTERLEAVING), NO(GLOBAL_ORDER), NO(SEQ_CST));
}

static void message_passing(void **state)
{
    (void)state;
    for (int variant = 0; variant < 4; variant++) { /* 0 relaxed, 1 orders, 2 fences, 3 half */
        Litmus g = {0};
        write(&g, 0, X, 1, AXIOM_RELAXED);
        if (variant == 2)
            fence(&g, 0, AXIOM_RELEASE);
        int flag = write(&g, 0, Y, 1, variant == 1 || variant == 3 ? AXIOM_RELEASE : AXIOM_RELAXED);
        read(&g, 1, Y, flag, variant == 1 ? AXIOM_ACQUIRE : AXIOM_RELAXED);
        if (variant == 2)
            fence(&g, 1, AXIOM_ACQUIRE);
        read(&g, 1, X, AXIOM_NONE, AXIOM_RELAXED);
        expect(&g, NO(INTERLEAVING), NO(GLOBAL_ORDER),
               variant == 1 || variant == 2 ? NO(COHERENCE) : OK);
    }
}

/* PSO lets stores to different places pass each other, but for barriers, and nothing else (Adve and
 * Gharachorloo 1996; SPARC V8, appendix K: message passing needs a store barrier). */
static void partial_store_order(void **state)
{
    (void)state;
    for (int variant = 0; variant < 5; variant++) { /* of message passing */
        Litmus g = {0};
        write(&g, 0, X, 1, AXIOM_RELAXED);
        if (variant == 1 || variant == 2)
            fence(&g, 0, variant == 1 ? AXIOM_RELEASE : AXIOM_ACQUIRE);
        int flag = write(&g, 0, Y, 1, variant == 3 ? AXIOM_RELEASE : AXIOM_RELAXED);
        if (variant == 4) /* barriers behind the second store help nobody */
            fence(&g, 0, AXIOM_SEQ_CST);
        read(&g, 1, Y, flag, AXIOM_RELAXED);
        read(&g, 1, X, AXIOM_NONE, AXIOM_RELAXED);
        assert_int_equal(judge(&g, MODEL_PSO),
                         variant == 1 || variant == 3 ? NO(GLOBAL_ORDER) : OK);
        assert_int_equal(judge(&g, MODEL_TSO), NO(GLOBAL_ORDER));
    }
    Litmus twice = {0}; /* 2+2W: both threads write X and Y, and the first writes stay */
    for (unsigned t = 0; t < 2; t++) {
        write(&twice, t, t ? Y : X, 1, AXIOM_RELAXED);
        write(&twice, t, t ? X : Y, 2, AXIOM_RELAXED);
    }
    twice.events[0].coherence = 2, twice.events[3].coherence = 1; /* X */
    twice.events[1].coherence = 1, twice.events[2].coherence = 2; /* Y */
    assert_int_equal(judge(&twice, MODEL_PSO), OK);
    assert_int_equal(judge(&twice, MODEL_TSO), NO(GLOBAL_ORDER));
    Litmus same = {0}; /* stores to one place stay in order */
    int first = write(&same, 0, X, 1, AXIOM_RELAXED), second = write(&same, 0, X, 2, AXIOM_RELAXED);
    read(&same, 1, X, second, AXIOM_RELAXED);
    read(&same, 1, X, first, AXIOM_RELAXED);
    assert_int_equal(judge(&same, MODEL_PSO), NO(PER_LOCATION));
    Litmus loads = {0}; /* load buffering: a load is before all that follows it */
    read(&loads, 0, X, 3, AXIOM_RELAXED);
    write(&loads, 0, Y, 1, AXIOM_RELAXED);
    read(&loads, 1, Y, 1, AXIOM_RELAXED);
    write(&loads, 1, X, 1, AXIOM_RELAXED);
    assert_int_equal(judge(&loads, MODEL_PSO), NO(GLOBAL_ORDER));
    Litmus reads = {0}; /* independent reads: there is one memory */
    int x = write(&reads, 0, X, 1, AXIOM_RELAXED), y = write(&reads, 1, Y, 1, AXIOM_RELAXED);
    read(&reads, 2, X, x, AXIOM_RELAXED);
    read(&reads, 2, Y, AXIOM_NONE, AXIOM_RELAXED);
    read(&reads, 3, Y, y, AXIOM_RELAXED);
    read(&reads, 3, X, AXIOM_NONE, AXIOM_RELAXED);
    assert_int_equal(judge(&reads, MODEL_PSO), NO(GLOBAL_ORDER));
}

static void load_buffering(void **state)
{
    (void)state;
    Litmus g = {0};
    read(&g, 0, X, 3, AXIOM_RELAXED);
    write(&g, 0, Y, 1, AXIOM_RELAXED);
    read(&g, 1, Y, 1, AXIOM_RELAXED);
    write(&g, 1, X, 1, AXIOM_RELAXED);
    expect(&g, NO(INTERLEAVING), NO(GLOBAL_ORDER), NO(THIN_AIR));
}

static void independent_reads(void **state)
{
    (void)state;
    for (int strong = 0; strong < 2; strong++) {
        AxiomOrder w = strong ? AXIOM_SEQ_CST : AXIOM_RELEASE;
        AxiomOrder r = strong ? AXIOM_SEQ_CST : AXIOM_ACQUIRE;
        Litmus g = {0};
        int x = write(&g, 0, X, 1, w), y = write(&g, 1, Y, 1, w);
        read(&g, 2, X, x, r);
        read(&g, 2, Y, AXIOM_NONE, r);
        read(&g, 3, Y, y, r);
        read(&g, 3, X, AXIOM_NONE, r);
        expect(&g, NO(INTERLEAVING), NO(GLOBAL_ORDER), strong ? NO(SEQ_CST) : OK);
    }
}

static void coherence_of_reads(void **state)
{
    (void)state;
    Litmus g = {0};
    int first = write(&g, 0, X, 1, AXIOM_RELAXED), second = write(&g, 0, X, 2, AXIOM_RELAXED);
    read(&g, 1, X, second, AXIOM_RELAXED);
    read(&g, 1, X, first, AXIOM_RELAXED);
    expect(&g, NO(INTERLEAVING), NO(PER_LOCATION), NO(COHERENCE));
}

static void two_increments(void **state)
{
    (void)state;
    Litmus lost = {0}, right = {0};
    rmw(&lost, 0, X, AXIOM_NONE, 1, AXIOM_RELAXED);
    rmw(&lost, 1, X, AXIOM_NONE, 1, AXIOM_RELAXED);
    expect(&lost, NO(ATOMICITY), NO(ATOMICITY), NO(ATOMICITY));
    int w = rmw(&right, 0, X, AXIOM_NONE, 1, AXIOM_RELAXED);
    rmw(&right, 1, X, w, 2, AXIOM_RELAXED);
    expect(&right, OK, OK, OK);
}

/* A release store, a relaxed store of the same thread to the same place, an acquire load of the
 * second: synchronises in C11 and RC11, not in C++20. A read-modify-write goes on in both. */
static void release_sequences(void **state)
{
    (void)state;
    for (int through_rmw = 0; through_rmw < 2; through_rmw++) {
        Litmus g = {0};
        write(&g, 0, X, 1, AXIOM_RELAXED);
        int head = write(&g, 0, Y, 1, AXIOM_RELEASE);
        int next =
            through_rmw ? rmw(&g, 2, Y, head, 2, AXIOM_RELAXED) : write(&g, 0, Y, 2, AXIOM_RELAXED);
        read(&g, 1, Y, next, AXIOM_ACQUIRE);
        read(&g, 1, X, AXIOM_NONE, AXIOM_RELAXED);
        AxiomGraph graph = finish(&g);
        Arena *arena = arena_new();
        assert_false(axioms_consistent(&graph, MODEL_RC11, (AxiomOptions){0}, arena, NULL));
        assert_int_equal(axioms_consistent(&graph, MODEL_RC11,
                                           (AxiomOptions){.release_sequence_cxx20 = true}, arena,
                                           NULL),
                         !through_rmw);
        arena_free(arena);
    }
}

/* data = 1 (plain); flag = 1  ||  if flag: read data (plain) */
static void races(void **state)
{
    (void)state;
    for (int ordered = 0; ordered < 2; ordered++) {
        Litmus g = {0};
        int data = write(&g, 0, X, 1, AXIOM_RELAXED);
        g.events[data].plain = true;
        int flag = write(&g, 0, Y, 1, ordered ? AXIOM_RELEASE : AXIOM_RELAXED);
        read(&g, 1, Y, flag, AXIOM_ACQUIRE);
        int use = read(&g, 1, X, data, AXIOM_RELAXED);
        g.events[use].plain = true;
        AxiomGraph graph = finish(&g);
        Arena *arena = arena_new();
        size_t first = 0, second = 0;
        assert_true(axioms_consistent(&graph, MODEL_RC11, (AxiomOptions){0}, arena, NULL));
        assert_int_equal(axioms_race(&graph, (AxiomOptions){0}, arena, &first, &second), !ordered);
        if (!ordered) {
            assert_int_equal(first, data);
            assert_int_equal(second, use);
        }
        Relation hb = axioms_happens_before(&graph, (AxiomOptions){0}, arena);
        assert_int_equal(relation_has(hb, (size_t)data, (size_t)use), ordered);
        arena_free(arena);
    }
}

/* What a thread did is seen after its join, and what came before its creation inside it. */
static void create_and_join(void **state)
{
    (void)state;
    Litmus g = {0};
    write(&g, 0, Y, 1, AXIOM_RELAXED);
    add(&g, 0, AXIOM_CREATE, AXIOM_RELAXED)->peer = 1;
    add(&g, 1, AXIOM_BEGIN, AXIOM_RELAXED);
    size_t early = g.count;
    read(&g, 1, Y, 0, AXIOM_RELAXED);
    int x = write(&g, 1, X, 1, AXIOM_RELAXED);
    add(&g, 1, AXIOM_END, AXIOM_RELAXED);
    add(&g, 0, AXIOM_JOIN, AXIOM_RELAXED)->peer = 1;
    size_t late = g.count;
    read(&g, 0, X, x, AXIOM_RELAXED);
    expect(&g, OK, OK, OK);
    g.events[late].rf = AXIOM_NONE;
    expect(&g, NO(INTERLEAVING), NO(GLOBAL_ORDER), NO(COHERENCE));
    g.events[late].rf = x;
    g.events[early].rf = AXIOM_NONE;
    expect(&g, NO(INTERLEAVING), NO(GLOBAL_ORDER), NO(COHERENCE));
}

static void bad_graphs(void **state)
{
    (void)state;
    Litmus value = {0}, torn = {0}, twice = {0}, gone = {0};
    write(&value, 0, X, 1, AXIOM_RELAXED);
    read(&value, 1, X, 0, AXIOM_RELAXED);
    finish(&value);
    AxiomGraph graph = {.events = value.events, .count = 2, .locations = 2};
    value.events[1].value = 7;
    Arena *arena = arena_new();
    AxiomFinding finding;
    assert_false(axioms_consistent(&graph, MODEL_SC, (AxiomOptions){0}, arena, &finding));
    assert_int_equal(finding.rule, AXIOM_RULE_WELL_FORMED);
    assert_int_equal(finding.event, 1);
    arena_free(arena);

    int w = rmw(&torn, 0, X, AXIOM_NONE, 1, AXIOM_RELAXED);
    torn.events[w].index++;
    assert_int_equal(judge(&torn, MODEL_RC11), AXIOM_RULE_WELL_FORMED);
    write(&twice, 0, X, 1, AXIOM_RELAXED);
    write(&twice, 1, X, 2, AXIOM_RELAXED);
    twice.events[1].coherence = 1;
    assert_int_equal(judge(&twice, MODEL_RC11), AXIOM_RULE_WELL_FORMED);
    add(&gone, 0, AXIOM_JOIN, AXIOM_RELAXED)->peer = 3;
    assert_int_equal(judge(&gone, MODEL_RC11), AXIOM_RULE_WELL_FORMED);

    Litmus unplaced = {0}, plain = {0}, same = {0}, late = {0}, elsewhere = {0};
    write(&unplaced, 0, X, 1, AXIOM_RELAXED);
    unplaced.events[0].coherence = 0;
    assert_int_equal(judge(&unplaced, MODEL_RC11), AXIOM_RULE_WELL_FORMED);
    w = rmw(&plain, 0, X, AXIOM_NONE, 1, AXIOM_RELAXED);
    plain.events[w].plain = true;
    assert_int_equal(judge(&plain, MODEL_RC11), AXIOM_RULE_WELL_FORMED);
    write(&same, 0, X, 1, AXIOM_RELAXED);
    write(&same, 0, Y, 1, AXIOM_RELAXED);
    same.events[1].index = 0;
    assert_int_equal(judge(&same, MODEL_RC11), AXIOM_RULE_WELL_FORMED);
    add(&late, 0, AXIOM_END, AXIOM_RELAXED);
    write(&late, 0, X, 1, AXIOM_RELAXED);
    assert_int_equal(judge(&late, MODEL_RC11), AXIOM_RULE_WELL_FORMED);
    write(&elsewhere, 0, X, 1, AXIOM_RELAXED);
    read(&elsewhere, 1, Y, 0, AXIOM_RELAXED);
    assert_int_equal(judge(&elsewhere, MODEL_RC11), AXIOM_RULE_WELL_FORMED);
}

/* ---- random graphs ---- */

enum { THREADS = 4 };
typedef enum Style { FREE, ALL_SEQ_CST, FENCED } Style;

static AxiomOrder random_order(Random *random, Style style)
{
    static const AxiomOrder orders[] = {AXIOM_RELAXED, AXIOM_RELAXED, AXIOM_ACQ_REL, AXIOM_SEQ_CST};
    return style == ALL_SEQ_CST ? AXIOM_SEQ_CST : orders[random_below(random, COUNT_OF(orders))];
}

/* A few accesses a thread, some of them read-modify-writes or the reads of those that failed, with
 * fences between some or all (FENCED); any write for each read, any order of the writes. */
static void random_graph(Random *random, Style style, Litmus *g)
{
    unsigned threads = 2 + (unsigned)random_below(random, THREADS - 1), left = 7;
    memset(g, 0, sizeof *g);
    for (unsigned t = 0; t < threads; t++)
        for (unsigned i = 1 + (unsigned)random_below(random, 3); i-- > 0 && left; left--) {
            int place = (int)random_below(random, 2);
            AxiomOrder order = random_order(random, style);
            switch (random_below(random, 6)) {
            case 0:
            case 1:
                write(g, t, place, g->count + 1, order);
                break;
            case 2:
                rmw(g, t, place, AXIOM_NONE, g->count + 1, order);
                break;
            case 3:
                g->events[read(g, t, place, AXIOM_NONE, order)].locked = true;
                break;
            default:
                read(g, t, place, AXIOM_NONE, order);
            }
            if (style == FENCED || (style == FREE && random_below(random, 4) == 0))
                fence(g, t,
                      style == FENCED || random_below(random, 2) ? AXIOM_SEQ_CST : AXIOM_ACQ_REL);
        }
    for (size_t i = 0; i < g->count; i++) {
        AxiomEvent *e = &g->events[i];
        size_t from = random_below(random, g->count), other = random_below(random, g->count);
        AxiomEvent *f = &g->events[other];
        if (e->kind == AXIOM_READ && g->events[from].kind == AXIOM_WRITE &&
            g->events[from].location == e->location && g->events[from].rmw != (int)i)
            e->rf = (int)from;
        if (e->kind == AXIOM_WRITE && f->kind == AXIOM_WRITE && e->location == f->location) {
            unsigned swap = e->coherence;
            e->coherence = f->coherence;
            f->coherence = swap;
        }
    }
}

/* x86-TSO as a machine: a thread's stores wait in a buffer, first in, first out, and go to memory
 * at any time; loads look into the own buffer first; fences and read-modify-writes wait until it is
 * empty, seq_cst loads until no seq_cst store is in it. PSO: first in, first out for each location;
 * a release store waits for all before it, and stores after a release fence for those before the
 * fence. Can it run the graph? */
typedef struct Machine {
    const Litmus *g;
    HashMap *seen; /* places of all threads: memory follows from them */
    bool x86_code, pso;
    unsigned done[THREADS];   /* index of the next event */
    unsigned stored[THREADS]; /* which stores are in memory: bits by index */
    int memory[2];            /* the last write, or AXIOM_NONE */
    unsigned written[2];      /* how many */
} Machine;

static int event_at(const Machine *m, unsigned thread, unsigned index)
{
    if (index >= m->g->next[thread])
        return AXIOM_NONE;
    int i = (int)index; /* the events of a thread stand together, threads in order */
    for (unsigned t = 0; t < thread; t++)
        i += (int)m->g->next[t];
    return i;
}

static bool waits(const Machine *m, unsigned t, unsigned index) /* in the buffer? */
{
    const AxiomEvent *e = &m->g->events[event_at(m, t, index)];
    return e->kind == AXIOM_WRITE && index < m->done[t] && !(m->stored[t] >> index & 1);
}
/* The newest store in the thread's buffer, or the newest to PLACE, or the newest that is seq_cst.
 */
typedef enum Wanted { ANY, NEWEST_TO, ANY_SEQ_CST } Wanted;
static int in_buffer(const Machine *m, unsigned t, Wanted wanted, int place)
{
    int found = AXIOM_NONE;
    for (unsigned index = 0; index < m->done[t]; index++) {
        int i = event_at(m, t, index);
        const AxiomEvent *e = &m->g->events[i];
        if (waits(m, t, index) &&
            (wanted == NEWEST_TO ? e->location == place
                                 : wanted == ANY || e->order == AXIOM_SEQ_CST))
            found = i;
    }
    return found;
}
static bool may_leave(const Machine *m, unsigned t, unsigned index)
{
    const AxiomEvent *e = &m->g->events[event_at(m, t, index)];
    bool behind_fence = false;
    for (unsigned before = index; before-- > 0;) {
        const AxiomEvent *f = &m->g->events[event_at(m, t, before)];
        behind_fence |= f->kind == AXIOM_FENCE && f->order >= AXIOM_RELEASE;
        if (waits(m, t, before) &&
            (!m->pso || f->location == e->location || behind_fence || e->order >= AXIOM_RELEASE))
            return false;
    }
    return true;
}

static bool to_memory(Machine *m, unsigned t, int i)
{
    const AxiomEvent *e = &m->g->events[i];
    if (e->coherence != m->written[e->location] + 1)
        return false;
    m->written[e->location]++;
    m->memory[e->location] = i;
    m->stored[t] |= 1u << e->index;
    return true;
}

/* The next event of thread T; false if it can't happen now, or not so. */
static bool perform(Machine *m, unsigned t)
{
    int i = event_at(m, t, m->done[t]);
    const AxiomEvent *e = &m->g->events[i];
    bool empty = in_buffer(m, t, ANY, 0) == AXIOM_NONE;
    int pair = event_at(m, t, m->done[t] + 1);
    bool first_half = pair != AXIOM_NONE && m->g->events[pair].rmw == i;
    if (e->kind == AXIOM_FENCE) {
        m->done[t]++;
        return empty || e->order != AXIOM_SEQ_CST;
    }
    if (e->kind == AXIOM_WRITE) {
        m->done[t]++;
        bool exchange = m->x86_code && e->order == AXIOM_SEQ_CST;
        return !exchange || (empty && to_memory(m, t, i));
    }
    if ((first_half || (e->locked && m->x86_code)) && !empty)
        return false;
    if (e->order == AXIOM_SEQ_CST && in_buffer(m, t, ANY_SEQ_CST, 0) != AXIOM_NONE)
        return false;
    int own = in_buffer(m, t, NEWEST_TO, e->location);
    if (e->rf != (own != AXIOM_NONE ? own : m->memory[e->location]))
        return false;
    m->done[t]++;
    if (!first_half)
        return true;
    m->done[t]++;
    return to_memory(m, t, pair);
}

static bool machine_runs(const Machine *m)
{
    bool ended = true, absent;
    uint64_t key = 0;
    for (unsigned t = 0; t < THREADS; t++)
        key = hash_combine(key, (uint64_t)m->done[t] << 32 | m->stored[t]);
    hashmap_put(m->seen, key, &absent);
    if (!absent)
        return false;
    for (unsigned t = 0; t < THREADS; t++) {
        for (unsigned index = 0; index < m->done[t]; index++) {
            Machine next = *m;
            if (!waits(m, t, index))
                continue;
            ended = false;
            if (may_leave(m, t, index) && to_memory(&next, t, event_at(m, t, index)) &&
                machine_runs(&next))
                return true;
        }
        if (event_at(m, t, m->done[t]) != AXIOM_NONE) {
            Machine next = *m;
            ended = false;
            if (perform(&next, t) && machine_runs(&next))
                return true;
        }
    }
    return ended;
}

static bool consistent(Litmus *g, MemoryModel model, AxiomOptions options)
{
    AxiomGraph graph = finish(g);
    Arena *arena = arena_new();
    bool answer = axioms_consistent(&graph, model, options, arena, NULL);
    arena_free(arena);
    return answer;
}

static bool machine_runs_graph(const Litmus *g, bool x86_code, bool pso)
{
    HashMap seen = {0};
    Machine m = {g, &seen, x86_code, pso, {0}, {0}, {AXIOM_NONE, AXIOM_NONE}, {0}};
    bool runs = machine_runs(&m);
    hashmap_free(&seen);
    return runs;
}

/* What is consistent under sc is so under tso, and that under pso and rc11 in turn. That, and no
 * more, is what the machines can do. */
static void store_buffers(void **state)
{
    (void)state;
    Random random = {11};
    long graphs = getenv("HEDDLE_NIGHTLY") ? 500000 : 20000, held = 0, weak = 0, weaker = 0;
    for (long i = 0; i < graphs; i++) {
        Litmus g;
        random_graph(&random, FREE, &g);
        for (int x86_code = 0; x86_code < 2; x86_code++) {
            bool sc = consistent(&g, MODEL_SC, (AxiomOptions){0});
            bool tso = consistent(&g, MODEL_TSO, (AxiomOptions){.x86_code = x86_code});
            assert_int_equal(tso, machine_runs_graph(&g, x86_code, false));
            assert_true(tso || !sc);
            held += tso;
            weak += tso && !sc;
        }
        bool tso = consistent(&g, MODEL_TSO, (AxiomOptions){0});
        bool pso = consistent(&g, MODEL_PSO, (AxiomOptions){0});
        assert_int_equal(pso, machine_runs_graph(&g, false, true));
        assert_true(pso || !tso);
        assert_true(!pso || consistent(&g, MODEL_RC11, (AxiomOptions){0}));
        weaker += pso && !tso;
    }
    assert_true(held > graphs / 50 && weak > graphs / 500 && weaker > graphs / 2000);
}

/* Lahav, Vafeiadis, Kang, Hur, Dreyer 2017: an execution whose accesses are all seq_cst, or are all
 * separated by seq_cst fences, is consistent under rc11 iff it is under sc; and what is consistent
 * under sc, or tso, is so under rc11. */
static void as_strong_as_sc(void **state)
{
    (void)state;
    Random random = {12};
    long graphs = getenv("HEDDLE_NIGHTLY") ? 500000 : 20000, held[3] = {0};
    for (long i = 0; i < graphs; i++) {
        Style style = (Style)(i % 3);
        Litmus g;
        random_graph(&random, style, &g);
        bool sc = consistent(&g, MODEL_SC, (AxiomOptions){0});
        bool rc11 = consistent(&g, MODEL_RC11, (AxiomOptions){0});
        held[style] += sc;
        if (style == FREE)
            assert_true(rc11 || !consistent(&g, MODEL_TSO, (AxiomOptions){0}));
        else
            assert_int_equal(rc11, sc);
    }
    for (int style = 0; style < 3; style++)
        assert_true(held[style] > graphs / 100);
}

/* Synchronisation by fences needs atomic accesses between; consume is as good as acquire. */
static void plain_and_consume(void **state)
{
    (void)state;
    for (int plain = 0; plain < 2; plain++) {
        Litmus g = {0};
        write(&g, 0, X, 1, AXIOM_RELAXED);
        int flag = write(&g, 0, Y, 1, AXIOM_RELEASE);
        int seen = read(&g, 1, Y, flag, plain ? AXIOM_RELAXED : AXIOM_CONSUME);
        g.events[seen].plain = plain;
        if (plain)
            fence(&g, 1, AXIOM_ACQUIRE);
        read(&g, 1, X, AXIOM_NONE, AXIOM_RELAXED);
        expect(&g, NO(INTERLEAVING), NO(GLOBAL_ORDER), plain ? OK : NO(COHERENCE));
    }
}

/* A store of two bytes, which one thread reads byte by byte: coherence is one of each byte, so that
 * under rc11 the second may be older than the first. Not so behind a fence, and not in memory that
 * all threads see alike. */
static void halves_of_a_store(void **state)
{
    (void)state;
    for (int fenced = 0; fenced < 2; fenced++) {
        Litmus g = {0};
        int x = write(&g, 0, X, 0x0101, AXIOM_RELAXED);
        read(&g, 1, X, x, AXIOM_RELAXED);
        part(&g, 1);
        if (fenced)
            fence(&g, 1, AXIOM_SEQ_CST);
        read(&g, 1, X, AXIOM_NONE, AXIOM_RELAXED);
        part(&g, 2);
        expect(&g, NO(INTERLEAVING), NO(GLOBAL_ORDER), fenced ? NO(SEQ_CST) : OK);
        assert_int_equal(judge(&g, MODEL_PSO), NO(GLOBAL_ORDER));
    }
}

/* Store buffering with bytes of one word. Nothing orders them, but if the loads are of the word,
 * each needs a byte of its own store and one of memory: under tso and pso it waits for the store,
 * and one of them sees both. */
static void bytes_in_store_buffers(void **state)
{
    (void)state;
    Litmus g = {0};
    write(&g, 0, X, 0x0001, AXIOM_RELAXED);
    part(&g, 1);
    read(&g, 0, X, AXIOM_NONE, AXIOM_RELAXED);
    part(&g, 2);
    write(&g, 1, X, 0x0101, AXIOM_RELAXED);
    part(&g, 2);
    read(&g, 1, X, AXIOM_NONE, AXIOM_RELAXED);
    part(&g, 1);
    expect(&g, NO(INTERLEAVING), OK, OK);
    assert_int_equal(judge(&g, MODEL_PSO), OK);

    Litmus h = {0}; /* T0: x[0] = 1; r = x; y = 1.  T1: r = y (1), x[1] = 1 is older in memory */
    int low = write(&h, 0, X, 0x0001, AXIOM_RELAXED);
    part(&h, 1);
    read(&h, 0, X, low, AXIOM_RELAXED); /* both bytes: its own, and the initial one */
    read(&h, 0, Y, AXIOM_NONE, AXIOM_RELAXED);
    write(&h, 1, Y, 1, AXIOM_RELAXED);
    fence(&h, 1, AXIOM_SEQ_CST);
    read(&h, 1, X, AXIOM_NONE, AXIOM_RELAXED);
    part(&h, 1);
    expect(&h, NO(INTERLEAVING), NO(GLOBAL_ORDER), OK);
    h.events[1].bytes = 1; /* its own byte alone comes out of the buffer */
    expect(&h, NO(INTERLEAVING), OK, OK);
}

/* A read synchronises with the store that gave it its byte, though another store is on top. */
static void release_of_a_byte(void **state)
{
    (void)state;
    for (int same = 0; same < 2; same++) {
        Litmus g = {0};
        write(&g, 0, Y, 1, AXIOM_RELAXED);
        write(&g, 0, X, 0x0001, AXIOM_RELEASE);
        part(&g, 1);
        int top = write(&g, 1, X, same ? 0x0001 : 0x0101, AXIOM_RELAXED);
        part(&g, same ? 1 : 2);
        read(&g, 2, X, top, AXIOM_ACQUIRE);
        part(&g, 1);
        read(&g, 2, Y, AXIOM_NONE, AXIOM_RELAXED);
        assert_int_equal(judge(&g, MODEL_RC11), same ? OK : NO(COHERENCE));
    }
}

/* A value that the writes below do not give, byte by byte, is no execution. */
static void bytes_of_a_value(void **state)
{
    (void)state;
    Litmus g = {0};
    write(&g, 0, X, 0x0001, AXIOM_RELAXED);
    part(&g, 1);
    int top = write(&g, 1, X, 0x0201, AXIOM_RELAXED);
    part(&g, 2);
    int r = read(&g, 2, X, top, AXIOM_RELAXED);
    assert_int_equal(judge(&g, MODEL_SC), OK);
    g.events[0].value = 0x0005; /* the low byte is that of the lower write */
    AxiomGraph graph = finish(&g);
    assert_int_equal(g.events[r].value, 0x0201);
    Arena *arena = arena_new();
    AxiomFinding finding;
    assert_false(axioms_consistent(&graph, MODEL_SC, (AxiomOptions){0}, arena, &finding));
    assert_int_equal(finding.rule, NO(WELL_FORMED));
    arena_free(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(store_buffering),
        cmocka_unit_test(message_passing),
        cmocka_unit_test(partial_store_order),
        cmocka_unit_test(load_buffering),
        cmocka_unit_test(independent_reads),
        cmocka_unit_test(coherence_of_reads),
        cmocka_unit_test(two_increments),
        cmocka_unit_test(release_sequences),
        cmocka_unit_test(races),
        cmocka_unit_test(create_and_join),
        cmocka_unit_test(bad_graphs),
        cmocka_unit_test(store_buffers),
        cmocka_unit_test(as_strong_as_sc),
        cmocka_unit_test(plain_and_consume),
        cmocka_unit_test(store_buffering_with_own_reads),
        cmocka_unit_test(store_buffering_mixed),
        cmocka_unit_test(halves_of_a_store),
        cmocka_unit_test(bytes_in_store_buffers),
        cmocka_unit_test(release_of_a_byte),
        cmocka_unit_test(bytes_of_a_value),
        cmocka_unit_test(store_buffering_in_three_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
