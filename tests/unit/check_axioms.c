/* The judge against litmus tests whose verdicts are textbook: each graph below is the one
 * interesting outcome of its test, with the answer of the literature for every model beside it. */
#include "check/axioms.h"
#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>
#include <string.h>

enum { X, Y };
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
    return (AxiomGraph){.events = g->events, .count = g->count, .locations = 2};
}
static AxiomRule judge(Litmus *g, AxiomModel model)
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
    assert_int_equal(judge(g, AXIOM_SC), sc);
    assert_int_equal(judge(g, AXIOM_TSO), tso);
    assert_int_equal(judge(g, AXIOM_RC11), rc11);
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
        assert_false(axioms_consistent(&graph, AXIOM_RC11, (AxiomOptions){0}, arena, NULL));
        assert_int_equal(axioms_consistent(&graph, AXIOM_RC11,
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
        assert_true(axioms_consistent(&graph, AXIOM_RC11, (AxiomOptions){0}, arena, NULL));
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
    assert_false(axioms_consistent(&graph, AXIOM_SC, (AxiomOptions){0}, arena, &finding));
    assert_int_equal(finding.rule, AXIOM_RULE_WELL_FORMED);
    assert_int_equal(finding.event, 1);
    arena_free(arena);

    int w = rmw(&torn, 0, X, AXIOM_NONE, 1, AXIOM_RELAXED);
    torn.events[w].index++;
    assert_int_equal(judge(&torn, AXIOM_RC11), AXIOM_RULE_WELL_FORMED);
    write(&twice, 0, X, 1, AXIOM_RELAXED);
    write(&twice, 1, X, 2, AXIOM_RELAXED);
    twice.events[1].coherence = 1;
    assert_int_equal(judge(&twice, AXIOM_RC11), AXIOM_RULE_WELL_FORMED);
    add(&gone, 0, AXIOM_JOIN, AXIOM_RELAXED)->peer = 3;
    assert_int_equal(judge(&gone, AXIOM_RC11), AXIOM_RULE_WELL_FORMED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(store_buffering),    cmocka_unit_test(message_passing),
        cmocka_unit_test(load_buffering),     cmocka_unit_test(independent_reads),
        cmocka_unit_test(coherence_of_reads), cmocka_unit_test(two_increments),
        cmocka_unit_test(release_sequences),  cmocka_unit_test(races),
        cmocka_unit_test(create_and_join),    cmocka_unit_test(bad_graphs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
