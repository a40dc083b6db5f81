/* The arrows of happens-before against the slow judge, which composes relations by definition: on
 * random graphs of three threads with every order, fences, read-modify-writes, creation and join,
 * the arrows and program order must give the same relation, and no arrow may follow from the
 * others. */
#include "tool/report/arrows.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>
#include <string.h>
#include "base/hash.h"
#include "judge/graph/axioms.h"
#include "record/options.h"

enum { THREADS = 3, LOCATIONS = 2, MOST = 40 };

typedef struct Graph {
    RecordEvent events[MOST];
    RecordThread threads[THREADS];
    AxiomEvent axioms[MOST + THREADS];
    int number[MOST]; /* record event to axiom event */
    size_t axiom_count;
    unsigned writes[LOCATIONS];
    Record record;
} Graph;

static uint32_t add(Graph *g, unsigned thread, RecordKind kind, uint8_t order, int location)
{
    static const AxiomKind kinds[] = {
        [RECORD_READ] = AXIOM_READ,     [RECORD_WRITE] = AXIOM_WRITE, [RECORD_FENCE] = AXIOM_FENCE,
        [RECORD_CREATE] = AXIOM_CREATE, [RECORD_JOIN] = AXIOM_JOIN,   [RECORD_END] = AXIOM_END,
        [RECORD_BEGIN] = AXIOM_BEGIN};
    uint32_t at = g->record.event_count++;
    unsigned index = 0;
    for (uint32_t i = 0; i < at; i++)
        index += g->events[i].thread == thread;
    g->events[at] = (RecordEvent){.thread = (uint16_t)thread,
                                  .kind = (uint8_t)kind,
                                  .order = order,
                                  .rf = RECORD_NONE,
                                  .index = index,
                                  .size = 4,
                                  .address = 0x1000u + 8u * (unsigned)location};
    g->axioms[at] = (AxiomEvent){.thread = thread,
                                 .index = index,
                                 .kind = kinds[kind],
                                 .order = (AxiomOrder)order,
                                 .location = location,
                                 .rf = AXIOM_NONE,
                                 .rmw = AXIOM_NONE};
    return at;
}

static void add_write(Graph *g, unsigned thread, uint8_t order, int location, bool plain)
{
    uint32_t at = add(g, thread, RECORD_WRITE, order, location);
    g->events[at].co = g->axioms[at].coherence = ++g->writes[location];
    g->events[at].value[0] = g->axioms[at].value = at + 1u;
    g->events[at].flags = plain ? RECORD_FLAG_PLAIN : 0;
    g->axioms[at].plain = plain;
}

static void add_read(Graph *g, unsigned thread, uint8_t order, int location, uint32_t from,
                     bool plain)
{
    uint32_t at = add(g, thread, RECORD_READ, order, location);
    g->events[at].rf = from;
    g->axioms[at].rf = from == RECORD_INIT ? AXIOM_NONE : (int)from;
    g->axioms[at].value = from == RECORD_INIT ? 0 : g->axioms[from].value;
    g->events[at].flags = plain ? RECORD_FLAG_PLAIN : 0;
    g->axioms[at].plain = plain;
}

/* A write to LOCATION, or the initial one; the newest for a read-modify-write. */
static uint32_t pick_write(const Graph *g, int location, bool newest, Random *random)
{
    uint32_t found[MOST], count = 0;
    found[count++] = RECORD_INIT;
    for (uint32_t i = 0; i < g->record.event_count; i++)
        if (g->events[i].kind == RECORD_WRITE && g->axioms[i].location == location)
            found[count++] = i;
    return newest ? found[count - 1] : found[random_below(random, count)];
}

static void add_random(Graph *g, unsigned thread, Random *random)
{
    uint8_t order = (uint8_t)random_below(random, 6);
    int location = (int)random_below(random, LOCATIONS);
    bool plain = random_below(random, 8) == 0;
    switch (random_below(random, 4)) {
    case 0:
        add_write(g, thread, order, location, plain);
        break;
    case 1:
        add_read(g, thread, order, location, pick_write(g, location, false, random), plain);
        break;
    case 2: { /* atomicity: nobody writes between the halves, so it reads the newest */
        add_read(g, thread, order, location, pick_write(g, location, true, random), false);
        uint32_t read = g->record.event_count - 1;
        add_write(g, thread, order, location, false);
        g->events[read].flags = g->events[read + 1].flags = RECORD_FLAG_RMW;
        g->axioms[read].locked = g->axioms[read + 1].locked = true;
        g->axioms[read + 1].rmw = (int)read;
        break;
    }
    default:
        add(g, thread, RECORD_FENCE, order, 0);
    }
}

static void make(Graph *g, Random *random, uint32_t model)
{
    *g = (Graph){0};
    g->record = (Record){
        .events = g->events, .threads = g->threads, .thread_count = THREADS, .model = model};
    for (unsigned t = 1; t < THREADS; t++) {
        uint32_t at = add(g, 0, RECORD_CREATE, 0, 0);
        g->events[at].other = g->axioms[at].peer = t;
    }
    bool begun[THREADS] = {true};
    unsigned events = 6 + (unsigned)random_below(random, 16);
    for (unsigned i = 0; i < events; i++) {
        unsigned thread = (unsigned)random_below(random, THREADS);
        if (!begun[thread])
            add(g, thread, RECORD_BEGIN, 0, 0);
        begun[thread] = true;
        add_random(g, thread, random);
    }
    for (unsigned t = 1; t < THREADS; t++) {
        if (!begun[t])
            add(g, t, RECORD_BEGIN, 0, 0);
        add(g, t, RECORD_END, 0, 0);
        if (random_below(random, 2)) {
            uint32_t at = add(g, 0, RECORD_JOIN, 0, 0);
            g->events[at].other = g->axioms[at].peer = t;
        }
    }
}

/* Program order and the arrows but WITHOUT (or all), closed. */
static Relation closed(Arena *arena, const Graph *g, const Arrows *arrows, size_t without)
{
    Relation r = relation_new(arena, g->record.event_count);
    for (uint32_t i = 0; i < g->record.event_count; i++)
        for (uint32_t j = i + 1; j < g->record.event_count; j++)
            if (g->events[i].thread == g->events[j].thread)
                relation_add(r, i, j);
    for (size_t i = 0; i < arrows->list.count; i++)
        if (arrows->list.at[i].orders && i != without)
            relation_add(r, arrows->list.at[i].from, arrows->list.at[i].to);
    relation_close(r);
    return r;
}

static Relation expected(Arena *arena, const Graph *g)
{
    if (g->record.model == MODEL_RC11) {
        AxiomGraph graph = {
            .events = g->axioms, .count = g->record.event_count, .locations = LOCATIONS};
        return axioms_happens_before(&graph, (AxiomOptions){0}, arena);
    }
    Arrows none = {0};
    Relation r = closed(arena, g, &none, SIZE_MAX);
    for (uint32_t i = 0; i < g->record.event_count; i++) {
        const RecordEvent *e = &g->events[i];
        if (e->kind == RECORD_READ && e->rf < i)
            relation_add(r, e->rf, i);
        for (uint32_t j = 0; j < g->record.event_count; j++)
            if ((e->kind == RECORD_CREATE && j > i && g->events[j].thread == e->other))
                relation_add(r, i, j);
            else if (e->kind == RECORD_JOIN && j < i && g->events[j].thread == e->other)
                relation_add(r, j, i);
    }
    relation_close(r);
    return r;
}

static void random_graphs(void **state)
{
    (void)state;
    Random random = {7};
    size_t ordered = 0, arrow_count = 0;
    for (unsigned round = 0; round < 3000; round++) {
        Arena *arena = arena_new();
        Graph g;
        make(&g, &random, round % 3 == 0 ? MODEL_SC : MODEL_RC11);
        Arrows arrows;
        arrows_make(arena, &g.record, &arrows);
        Relation want = expected(arena, &g), have = closed(arena, &g, &arrows, SIZE_MAX);
        for (uint32_t i = 0; i < g.record.event_count; i++)
            for (uint32_t j = 0; j < g.record.event_count; j++) {
                bool wanted = relation_has(want, i, j);
                if (relation_has(have, i, j) != wanted ||
                    arrows_before(&arrows, &g.record, i, j) != wanted)
                    fail_msg("round %u: %u before %u should be %d", round, i, j, wanted);
                ordered += wanted && g.events[i].thread != g.events[j].thread;
            }
        for (size_t i = 0; i < arrows.list.count; i++) {
            const Arrow *arrow = &arrows.list.at[i];
            if (arrow->kind == ARROW_BEFORE &&
                relation_has(closed(arena, &g, &arrows, i), arrow->from, arrow->to))
                fail_msg("round %u: the arrow %u to %u follows from the others", round, arrow->from,
                         arrow->to);
            arrow_count++;
        }
        vec_free(&arrows.list);
        arena_free(arena);
    }
    assert_true(ordered > 10000 && arrow_count > 10000); /* it was no vacuous comparison */
}

/* A read that misses two newer writes names the newest. */
static void missed(void **state)
{
    (void)state;
    Graph g = {0};
    g.record = (Record){
        .events = g.events, .threads = g.threads, .thread_count = THREADS, .model = MODEL_RC11};
    add_write(&g, 0, 0, 0, false);
    add_write(&g, 0, 0, 0, false);
    add_write(&g, 0, 0, 1, false);
    add_read(&g, 1, 0, 0, RECORD_INIT, false);
    add_read(&g, 2, 0, 0, 0, false);
    add_read(&g, 2, 0, 0, 1, false);
    Arena *arena = arena_new();
    const uint32_t *table = arrows_missed(arena, &g.record);
    assert_int_equal(table[3], 1);
    assert_int_equal(table[4], 1);
    assert_int_equal(table[5], RECORD_NONE);
    assert_int_equal(table[0], RECORD_NONE);
    arena_free(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(random_graphs), cmocka_unit_test(missed)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
