/* Graphs of the explorer built by hand and at random: bounds, positions and clocks as their header
 * states them, the memory models against the axioms at every event that is tried, revisits that
 * leave everything as it was. graph_validate looks at every one of them. */
#include "guest/explore/graph/graph.h"
#include "guest/explore/all.h"
#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>
#include "base/hash.h"
#include "guest/explore/search/explore.h"
#include "guest/explore/search/frames.h"
#include "guest/explore/graph/models/model.h"
#include "guest/explore/search/revisit.h"
#include "guest/explore/search/validate.h"
#include "guest/harness/graph_axioms.h"

enum { THREADS = 4, PLACES = 3 };
static _Alignas(64) int memory[PLACES * 16];
static LocationId place[PLACES];

static int setup(void **state)
{
    (void)state;
    ExploreOptions wanted = {.model = MODEL_RC11, .preemptions = -1, .jobs = 1};
    explore_setup(&wanted);
    return 0;
}

/* An empty graph in which main has created threads 1 to THREADS - 1. */
static void begin(MemoryModel model)
{
    options.model = model;
    graph_reset();
    for (int t = 1; t < THREADS; t++) {
        Event *e = graph_add(0, EVENT_CREATE);
        e->other = (uint32_t)t;
        threads[t].create = event_id(e);
        threads_created |= thread_bit(t);
        graphs.threads_used = MAX(graphs.threads_used, t + 1);
    }
    for (int i = 0; i < PLACES; i++)
        place[i] = graph_location(&memory[16 * i], 4, 0);
}

static Event *new_access(int t, EventKind kind, int where, int memory_order)
{
    Event *e = graph_add(t, kind);
    e->location = place[where];
    e->size = 4;
    e->order = e->success_order = (uint8_t)memory_order;
    e->request = kind == EVENT_READ ? REQUEST_LOAD : REQUEST_STORE;
    graphs.any_sc |= memory_order == ORDER_SEQ_CST;
    graphs.any_not_sc |= memory_order != ORDER_SEQ_CST;
    return e;
}
static Event *write_at(int t, int where, int memory_order, int position)
{
    Event *e = new_access(t, EVENT_WRITE, where, memory_order);
    e->value = event_id(e);
    graph_set_release(e, NULL);
    graph_insert_co(&locations[e->location], position, event_id(e));
    return e;
}
static Event *read_from(int t, int where, int memory_order, EventId write)
{
    Event *e = new_access(t, EVENT_READ, where, memory_order);
    graph_add_read(&locations[e->location], event_id(e));
    graph_set_rf(e, write);
    return e;
}
static Event *fence(int t, int memory_order)
{
    Event *e = graph_add(t, EVENT_FENCE);
    e->order = (uint8_t)memory_order;
    graphs.any_sc |= memory_order == ORDER_SEQ_CST;
    graphs.any_sc_fence |= memory_order == ORDER_SEQ_CST;
    graphs.any_not_sc = true;
    graph_set_fence(e);
    return e;
}

static void positions(void **state)
{
    (void)state;
    begin(MODEL_RC11);
    const Location *x = &locations[place[0]];
    EventId b = event_id(write_at(1, 0, ORDER_RELAXED, 1));
    EventId a = event_id(write_at(2, 0, ORDER_RELAXED, 1)); /* before it */
    EventId c = event_id(write_at(3, 0, ORDER_RELAXED, 3));
    assert_int_equal(x->writes, 4);
    assert_int_equal(x->co[1], a);
    assert_int_equal(x->co[2], b);
    assert_int_equal(pool[c].co, 3);
    graph_validate();
    graph_remove_co(&locations[place[0]], b);
    assert_int_equal(pool[b].co, -1);
    assert_int_equal(pool[c].co, 2);
    graph_insert_co(&locations[place[0]], 1, b);
    graph_validate();
    graph_remove_last(order_count - 2); /* c and a, the newest */
    assert_int_equal(x->writes, 2);
    assert_int_equal(pool[b].co, 1);
    assert_int_equal(threads[3].count, 0);
    graph_validate();
}

/* Message passing: what an acquire read learns from a release write, and nothing else does. */
static void clocks(void **state)
{
    (void)state;
    for (int model = 0; model < MODEL_COUNT; model++)
        for (int variant = 0; variant < 4; variant++) {
            bool releases = variant & 1, acquires = variant & 2;
            begin((MemoryModel)model);
            const Event *data = write_at(1, 0, ORDER_RELAXED, 1);
            EventId flag = event_id(write_at(1, 1, releases ? ORDER_RELEASE : ORDER_RELAXED, 1));
            const Event *seen = read_from(2, 1, acquires ? ORDER_ACQUIRE : ORDER_RELAXED, flag);
            bool ordered = (releases && acquires) || !model_synchronises_by_order((uint32_t)model);
            assert_true(in_prefix(data, seen));
            assert_int_equal(before(data, &seen->hb), ordered);
            assert_int_equal(graph_lower_bound(&locations[place[0]], &seen->hb, seen), ordered);
            graph_validate();
        }
    begin(MODEL_RC11); /* a release fence, and a later relaxed write of the same thread */
    fence(1, ORDER_RELEASE);
    EventId first = event_id(write_at(1, 0, ORDER_RELAXED, 1));
    assert_true(pool[first].has_release);
    EventId second = event_id(write_at(1, 1, ORDER_RELEASE, 1));
    const Event *third = write_at(1, 1, ORDER_RELAXED, 2);
    assert_int_equal(third->head, second);
    assert_true(third->has_release && before(&pool[second], &third->release));
    graph_validate();
}

static void read_modify_writes(void **state)
{
    (void)state;
    begin(MODEL_RC11);
    Location *x = &locations[place[0]];
    write_at(1, 0, ORDER_RELAXED, 1);
    Event *read = new_access(2, EVENT_READ, 0, ORDER_RELAXED);
    read->request = REQUEST_RMW;
    read->op = RMW_ADD;
    read->operand = 5;
    graph_add_read(x, event_id(read));
    graph_set_rf(read, 0);
    assert_true(read->rmw);
    Event *write = explore_add_rmw_write(read);
    assert_int_equal(write->value, 5);
    graph_set_release(write, read);
    graph_insert_co(x, 1, event_id(write));
    graph_validate();
    assert_true(graph_splits_rmw(x, 1)); /* between its halves */
    assert_false(graph_splits_rmw(x, 2));
    assert_false(graph_splits_rmw(x, 3));
}

/* ---- at random ---- */

static Random random_now;
static int below(int n)
{
    return (int)random_below(&random_now, (uint64_t)n);
}

/* The bound by its definition. */
static int slow_bound(const Location *x, const Clock *h)
{
    int bound = 0;
    for (int p = 1; p < x->writes; p++)
        if (before(&pool[x->co[p]], h))
            bound = MAX(bound, p);
    for (int j = 0; j < x->reads; j++)
        if (before(&pool[x->read[j]], h))
            bound = MAX(bound, rf_position(&pool[x->read[j]]));
    return bound;
}

static void take_back(void)
{
    graph_remove_last(order_count - 1);
    pool_top--;
}

static unsigned agreed[MODEL_COUNT][2];

/* The fast predicate against the definition by matrices and against the axioms. */
static bool try_event(Event *e)
{
    bool last = e->kind == EVENT_WRITE ? e->co == locations[e->location].writes - 1
                                       : rf_position(e) == locations[e->location].writes - 1;
    bool fast = last || model_consistent(e, NULL);
    const char *broken = graph_axioms_broken(NULL, 0);
    assert_int_equal(fast, broken == NULL);
    assert_int_equal(fast, model_allows_edges(NULL, 0));
    agreed[options.model][fast]++;
    return fast;
}

static void add_random(void)
{
    static const int orders[] = {ORDER_RELAXED, ORDER_ACQ_REL, ORDER_SEQ_CST, ORDER_SEQ_CST};
    int t = 1 + below(THREADS - 1), where = below(2), how = orders[below(4)];
    const Location *x = &locations[place[where]];
    const Clock *tip = graph_tip(t);
    static const Event whole;
    int bound = graph_lower_bound(x, tip, &whole);
    assert_int_equal(bound, slow_bound(x, tip));
    switch (below(7)) {
    case 0:
        fence(t, ORDER_RELEASE + below(3));
        break;
    case 1:
    case 2:
    case 3:
        if (!try_event(write_at(t, where, how == ORDER_ACQ_REL ? ORDER_RELEASE : how,
                                bound + 1 + below(x->writes - bound))))
            take_back();
        break;
    default:
        if (!try_event(read_from(t, where, how == ORDER_ACQ_REL ? ORDER_ACQUIRE : how,
                                 x->co[bound + below(x->writes - bound)])))
            take_back();
    }
    graph_validate();
}

static void random_graphs(void **state)
{
    (void)state;
    random_now = (Random){7};
    int rounds = getenv("HEDDLE_NIGHTLY") ? 20000 : 1500;
    for (int model = 0; model < MODEL_COUNT; model++)
        for (int round = 0; round < rounds; round++) {
            begin((MemoryModel)model);
            for (int events = 6 + below(10); events-- > 0;)
                add_random();
        }
    for (int model = 0; model < MODEL_COUNT; model++)
        print_message("%s: %u consistent, %u not\n", model_word((uint32_t)model), agreed[model][1],
                      agreed[model][0]);
    for (int model = 0; model < MODEL_COUNT; model++)
        assert_true(agreed[model][0] > 20 && agreed[model][1] > 1000);
}

/* ---- revisits ---- */

static uint64_t fingerprint(void)
{
    uint64_t hash = hash_combine(threads_created, (uint64_t)order_count);
    for (int i = 0; i < order_count; i++) {
        const Event *e = &pool[order[i]];
        hash = hash_combine(hash, order[i]);
        hash = hash_combine(hash, (uint64_t)e->rf << 32 | (uint32_t)e->co);
        hash = hash_combine(hash, hash_bytes(&e->porf, sizeof e->porf, 1));
        hash = hash_combine(hash, hash_bytes(&e->hb, sizeof e->hb, 2));
    }
    for (LocationId l = 1; l <= location_count; l++) {
        const Location *x = &locations[l];
        hash = hash_combine(hash, hash_bytes(x->co, sizeof *x->co * (size_t)x->writes, 3));
        hash = hash_combine(hash, hash_bytes(x->read, sizeof *x->read * (size_t)x->reads, 4));
        hash = hash_combine(hash, x->revisited);
    }
    for (int t = 0; t < MAX_THREADS; t++)
        hash = hash_combine(hash, (uint64_t)(threads_created >> t & 1 ? threads[t].count : 0));
    return hash;
}

/* A new write takes the place of what an older read saw: the graph is cut to what came before the
 * read or is in the write's prefix. Afterwards everything is as it was. */
static void revisits(void **state)
{
    (void)state;
    random_now = (Random){11};
    int done = 0, rounds = getenv("HEDDLE_NIGHTLY") ? 20000 : 500;
    for (int round = 0; round < rounds; round++) {
        begin(MODEL_RC11);
        for (int events = 4 + below(10); events-- > 0;)
            add_random();
        int where = below(PLACES);
        Location *x = &locations[place[where]];
        Event *write = new_access(1 + below(THREADS - 1), EVENT_WRITE, where, ORDER_RELEASE);
        EventId id = event_id(write);
        write->value = id;
        graph_set_release(write, NULL);
        for (int cursor = order_count - 2; cursor >= 0; cursor--) {
            EventId old = order[cursor];
            const Event *read = &pool[old];
            if (read->kind != EVENT_READ || read->location != place[where] ||
                in_prefix(read, write))
                continue;
            uint64_t was = fingerprint();
            EventId top = pool_top;
            Event *copy = revisit_begin(cursor, id);
            assert_int_equal(copy->rf, id);
            assert_int_equal(copy->stamp, pool[old].stamp);
            for (int i = 0; i < order_count; i++) /* kept: older than the read, or in the prefix */
                assert_true(i <= cursor || order[i] == id || in_prefix(&pool[order[i]], write));
            int low = MAX(graph_lower_bound(x, &write->hb, write), 0) + 1;
            graph_insert_co(x, MAX(low, x->writes), id);
            graph_validate();
            graph_remove_co(x, id);
            revisit_end();
            pool_top = top;
            assert_true(was == fingerprint());
            done++;
        }
        graph_insert_co(x, x->writes, id);
        graph_validate();
    }
    assert_true(done > rounds / 4);
}

/* A creation that comes after the revisited read, and is not in the write's prefix, goes with all
 * of its thread, and comes back. */
static void revisit_of_a_creator(void **state)
{
    (void)state;
    begin(MODEL_SC);
    read_from(0, 0, ORDER_SEQ_CST, 0);
    int cursor = order_count - 1;
    Event *create = graph_add(0, EVENT_CREATE);
    create->other = THREADS;
    threads[THREADS].create = event_id(create);
    threads_created |= 1u << THREADS;
    write_at(THREADS, 1, ORDER_SEQ_CST, 1);
    Event *write = new_access(1, EVENT_WRITE, 0, ORDER_SEQ_CST);
    graph_set_release(write, NULL);
    uint64_t was = fingerprint();
    EventId top = pool_top;
    revisit_begin(cursor, event_id(write));
    assert_int_equal(threads_created, (1u << THREADS) - 1);
    assert_int_equal(locations[place[1]].writes, 1);
    graph_insert_co(&locations[place[0]], 1, event_id(write));
    graph_validate();
    graph_remove_co(&locations[place[0]], event_id(write));
    revisit_end();
    pool_top = top;
    assert_true(was == fingerprint());
    assert_true(threads_created >> THREADS & 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(positions),          cmocka_unit_test(clocks),
        cmocka_unit_test(read_modify_writes), cmocka_unit_test(random_graphs),
        cmocka_unit_test(revisits),           cmocka_unit_test(revisit_of_a_creator)};
    return cmocka_run_group_tests(tests, setup, NULL);
}
