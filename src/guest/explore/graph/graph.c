#include "guest/explore/graph/graph.h"
#include <string.h>
#include "guest/explore/graph/finding.h"
#include "guest/runtime/pages.h"

Event *pool;
EventExtra *pool_extra;
EventNotes *pool_notes;
EventId pool_top;
EventId *order;
int order_count;
Location *locations;
LocationId location_count;
Thread threads[MAX_THREADS];
ThreadSet threads_created, threads_ended, threads_waiting;
ExploreOptions options;
Past pasts[MAX_THREADS];
#ifdef HEDDLE_DEBUG
GraphsState graphs = {.threads_used = 1, .validates = true};
#else
GraphsState graphs = {.threads_used = 1};
#endif

static void reserve_events(void)
{
    pool = pages_reserve(sizeof(Event) * MAX_EVENTS);
    pool_extra = pages_reserve(sizeof(EventExtra) * MAX_EVENTS);
    pool_notes = pages_reserve(sizeof(EventNotes) * MAX_EVENTS);
}

void graph_setup(void)
{
    reserve_events();
    order = pages_reserve(sizeof(EventId) * MAX_EVENTS);
    locations = pages_reserve(sizeof(Location) * MAX_LOCATIONS);
    for (int t = 0; t < MAX_THREADS; t++)
        threads[t].po = pages_reserve(sizeof(EventId) * MAX_THREAD_EVENTS);
}

void graph_reset(void)
{
    pool_top = 1;
    order_count = 0;
    for (LocationId l = 1; l <= location_count; l++)
        locations[l].writes = 1, locations[l].reads = 0, locations[l].revisited = 0,
        locations[l].caught_up = 0;
    for (int t = 0; t < graphs.threads_used; t++) {
        threads[t].count = threads[t].live = 0;
        threads[t].create = 0;
        threads[t].opaque_at = 0;
        threads[t].pending_from = threads[t].captured_to = 0;
    }
    threads_created = 1;
    threads_ended = threads_waiting = 0;
    graphs.any_sc = !model_synchronises_by_order(options.model);
    graphs.any_sc_fence = graphs.any_not_sc = graphs.any_program_end = false;
}

void graph_forget(void)
{
    locations_forget();
    if (!facts_met[FACT_many_threads])
        return;
    /* nor is there anything in the second half of clocks */
    pages_give_back(pool, sizeof(Event) * MAX_EVENTS);
    pages_give_back(pool_extra, sizeof(EventExtra) * MAX_EVENTS);
    reserve_events();
}

/* Clocks of E from its predecessor in its thread, or from the event that created its thread. */
static inline void inherit_clocks(Event *e)
{
    if (e->index) {
        const Event *p = thread_event(e->thread, e->index - 1);
        clock_copy(&e->porf, &p->porf);
        clock_copy(&e->hb, &p->hb);
        e->company = company_after(p);
        e->fence = p->kind == EVENT_FENCE && is_release(p->order) ? event_id(p) : p->fence;
    } else {
        if (e->thread) {
            const Event *p = &pool[threads[e->thread].create];
            clock_copy(&e->porf, &p->porf);
            clock_copy(&e->hb, &p->hb);
            e->company = company_after(p);
        } else {
            e->company = COMPANY_NONE;
            memset(&e->porf, 0, sizeof e->porf);
            memset(&e->hb, 0, sizeof e->hb);
        }
        e->fence = 0;
    }
    e->porf.at[e->thread] = e->hb.at[e->thread] = (ClockEntry)(e->index + 1);
}

Event *graph_add(int thread, EventKind kind)
{
    DEBUG_ASSERT(thread >= 0 && thread < MAX_THREADS && !(threads_ended >> thread & 1));
    if (UNLIKELY(pool_top >= MAX_EVENTS - 1))
        op_unsupported("an execution of more than %u events", MAX_EVENTS);
    if (UNLIKELY(thread >= SOME_THREADS))
        graphs.more_threads = true;
    EventId id = pool_top++;
    Event *e = &pool[id];
    Thread *t = &threads[thread];
    e->thread = (uint8_t)thread;
    e->kind = (uint8_t)kind;
    e->index = (EventIndex)t->count;
    e->stamp = id;
    e->rf = 0;
    e->rmw = e->has_release = e->revisited = e->spurious = e->weak = e->waits = e->plain =
        e->ghost_count = e->hashed = e->confirms = e->part = e->merge = e->dooms = e->returns =
            e->kept = 0;
    e->request = 0;
    e->pure_from = PURE_UNKNOWN;
    e->other = e->pending_from = 0;
    pool_notes[id] = (EventNotes){{0, 0}};
    e->location = 0;
    e->co = -1;
    t->po[t->count++] = id;
    order[order_count++] = id;
    inherit_clocks(e);
    return e;
}

static uint64_t high_of(const Event *e)
{
    return UNLIKELY(e->size == 16) ? pool_extra[event_id(e)].value_high : 0;
}

uint64_t graph_read_value(const Event *r)
{
    return LIKELY(!r->part) ? r->value : block_part_value(r->part, r->value, high_of(r));
}

/* Goes through the writes that gave READ its bytes, and tells INTO, which has something already if
 * ANY, what they release. Returns whether INTO has something then. */
static bool sources(const Event *read, Clock *into, bool any)
{
    unsigned left = event_bytes(read);
    for (EventId w = read->rf; w && left;) {
        const Event *e = &pool[w];
        if (event_bytes(e) & left && e->has_release) {
            if (any)
                clock_join(into, &e->release);
            else
                clock_copy(into, &e->release);
            any = true;
        }
        left &= ~event_bytes(e);
        w = e->part ? e->rf : 0;
    }
    return any;
}

unsigned graph_initial_bytes(const Event *read)
{
    DEBUG_ASSERT(read->kind == EVENT_READ);
    unsigned left = event_bytes(read);
    for (EventId w = read->rf; w && left; w = pool[w].part ? pool[w].rf : 0)
        left &= ~event_bytes(&pool[w]);
    return left;
}

__attribute__((noinline)) bool graph_test_holds(const Event *r)
{
    return graph_test_holds_for(r, r->value, high_of(r));
}

bool graph_test_holds_for(const Event *r, uint64_t low, uint64_t high)
{
    uint64_t word = block_part_value(r->part, low, high);
    unsigned size = block_part_size(r->part, r->size);
    int64_t value = size == 8   ? (int64_t)word
                    : size == 4 ? (int32_t)word
                    : size == 2 ? (int16_t)word
                                : (int8_t)word;
    int64_t operand = (int64_t)r->expected;
    switch (r->test) {
    case AWAIT_EQ:
    case AWAIT_STILL:
        return value == operand;
    case AWAIT_NE:
        return value != operand;
    case AWAIT_FREE:
        return value == operand || operations_is_dead((uint64_t)value);
    case AWAIT_ANY:
        return true;
    case AWAIT_TURN:
        return operations_is_turn((uint64_t)value, operand);
    case AWAIT_GT:
        return value > operand;
    default:
        return value >= operand;
    }
}

static bool cas_fits(const Event *r)
{
    if (UNLIKELY(r->part))
        return graph_read_value(r) == r->expected;
    return r->value == r->expected && (r->size < 16 || pool_extra[event_id(r)].value_high ==
                                                           pool_extra[event_id(r)].expected_high);
}

/* Processors may differ in what a load does that needs more than its own thread's last store. */
static void remark_waiting_load(const Event *e, const Event *w)
{
    static bool told;
    if (told || model_is_interleaved(options.model) || model_forbids_races(options.model) ||
        e->merge || !w->merge || e->thread != w->thread || !(event_bytes(e) & ~event_bytes(w)))
        return;
    told = true;
    op_warning("an atomic load reads more bytes than its thread's last store has written: it is "
               "explored as one that waits until that store is in memory");
}

/* The porf and hb of E's predecessor in its thread, or of the event that created its thread. */
static inline const Event *clock_source(const Event *e)
{
    static const Event none;
    if (e->index)
        return thread_event(e->thread, e->index - 1);
    return e->thread ? &pool[threads[e->thread].create] : &none;
}

/* E reads from W, and one of the two is an access to a part. */
static __attribute__((noinline)) void learn_parts(Event *e, const Event *w, bool acquires)
{
    remark_waiting_load(e, w);
    if (acquires && !e->merge)
        sources(e, &e->hb, true);
}

/* Clocks of read E, whose order is known, when it reads from W. */
static inline void set_read_clocks(Event *e, EventId w)
{
    const Event *p = clock_source(e), *write = &pool[w];
    bool acquires = !model_synchronises_by_order(options.model) || is_acquire(e->order);
    bool parts = UNLIKELY(e->part || (w && write->part));
    bool learns = w && write->has_release && acquires && !parts;
    e->company = company_after(p);
    if (w) {
        clock_max(&e->porf, &p->porf, &write->porf);
        e->company = MAX(e->company, company_after(write));
    } else {
        clock_copy(&e->porf, &p->porf);
    }
    if (learns)
        clock_max(&e->hb, &p->hb, &write->release);
    else
        clock_copy(&e->hb, &p->hb);
    if (UNLIKELY(parts && w))
        learn_parts(e, write, acquires);
    e->porf.at[e->thread] = e->hb.at[e->thread] = (ClockEntry)(e->index + 1);
}

void graph_set_rf(Event *e, EventId w)
{
    DEBUG_ASSERT(e->kind == EVENT_READ &&
                 (!w || (pool[w].kind == EVENT_WRITE && pool[w].location == e->location)));
    e->rf = w;
    e->value = write_value(w, &locations[e->location]);
    e->waits = WAITS_NOT;
    e->kept = 0;
    e->pure_from = PURE_UNKNOWN;
    if (UNLIKELY(e->size == 16))
        pool_extra[event_id(e)].value_high = graph_value_high(w, &locations[e->location]);
    switch (e->request) {
    case REQUEST_RMW:
        e->rmw = !e->spurious; /* a phantom (confirm.h) writes nothing */
        break;
    case REQUEST_CAS:
        e->rmw = cas_fits(e) && !e->spurious;
        e->order = e->rmw ? e->success_order : e->failure_order;
        break;
    case REQUEST_AWAIT:
        e->rmw = e->op != RMW_NONE && graph_test_holds(e);
        break;
    default:
        e->rmw = 0;
    }
    set_read_clocks(e, w);
}

/* Does W begin a release sequence of its own? Then nobody asks for its `head`. */
static bool is_own_head(const Event *w)
{
    return is_release(w->order) && !w->plain;
}

/* The last release write of W's thread before W that shares a byte with it, or 0. */
static EventId earlier_release_of_bytes(const Event *w)
{
    for (int i = w->index - 1; i >= 0; i--) {
        const Event *e = thread_event(w->thread, i);
        if (e->kind == EVENT_WRITE && e->location == w->location && is_release(e->order) &&
            !e->plain && event_bytes(e) & event_bytes(w))
            return event_id(e);
    }
    return 0;
}

/* The last release write of W's thread to W's location before W, or 0. In a thread coherence
 * follows program order, so its last write stands last. */
static EventId earlier_release(const Event *w)
{
    const Location *x = &locations[w->location];
    if (UNLIKELY(facts_met[FACT_blocks]))
        return earlier_release_of_bytes(w);
    for (int p = x->writes - 1; p > 0; p--) {
        const Event *e = &pool[x->co[p]];
        if (e->thread == w->thread && e->index < w->index)
            return is_own_head(e) ? event_id(e) : e->head;
    }
    return 0;
}

/* RC11's release sequences: a release write, or one after a release fence; later writes of the same
 * thread to the location (C11 and the RC11 paper have these, C++20 dropped them:
 * options.release_sequences); and the read-modify-writes that continue it. Plain accesses release
 * nothing under rc11, unless races are ignored. */
void graph_set_release(Event *w, const Event *read)
{
    DEBUG_ASSERT(w->kind == EVENT_WRITE &&
                 (!read || (read->kind == EVENT_READ && read->index + 1 == w->index)));
    w->has_release = 0;
    if (!model_synchronises_by_order(options.model) || (is_release(w->order) && !w->plain)) {
        clock_copy(&w->release, &w->hb);
        w->has_release = 1;
    } else if (w->fence && !is_not_atomic(w)) {
        clock_copy(&w->release, &pool[w->fence].hb);
        w->has_release = 1;
    }
    w->head = model_synchronises_by_order(options.model) &&
                      options.release_sequences != RELEASE_CXX20 && !is_own_head(w)
                  ? earlier_release(w)
                  : 0;
    if (w->head && !w->plain) {
        const Event *head = &pool[w->head];
        if (w->has_release)
            clock_join(&w->release, &head->hb);
        else
            clock_copy(&w->release, &head->hb);
        w->has_release = 1;
    }
    if (w->merge)
        return; /* it ends the release sequences of its bytes, and the others are not its own */
    if (UNLIKELY(read && read->rf && (read->part || pool[read->rf].part))) {
        w->has_release = sources(read, &w->release, w->has_release);
        return;
    }
    if (read && read->rf && pool[read->rf].has_release) {
        if (w->has_release)
            clock_join(&w->release, &pool[read->rf].release);
        else
            clock_copy(&w->release, &pool[read->rf].release);
        w->has_release = 1;
    }
}

/* An acquire fence learns from all reads since the last one. */
void graph_set_fence(Event *e)
{
    DEBUG_ASSERT(e->kind == EVENT_FENCE);
    for (int i = is_acquire(e->order) ? e->index - 1 : -1; i >= 0; i--) {
        const Event *p = thread_event(e->thread, i);
        if (p->kind == EVENT_FENCE && is_acquire(p->order))
            break;
        if (p->kind != EVENT_READ || !p->rf || p->merge || is_not_atomic(p))
            continue;
        if (UNLIKELY(p->part || pool[p->rf].part))
            sources(p, &e->hb, true);
        else if (pool[p->rf].has_release)
            clock_join(&e->hb, &pool[p->rf].release);
    }
}

uint64_t graph_rmw_result(uint8_t op, uint64_t v, uint64_t o, uint64_t oh, unsigned size,
                          uint64_t *high)
{
    uint64_t result, vh = *high;
    *high = 0;
    switch (op) {
    case RMW_EXCHANGE:
        result = o, *high = oh;
        break;
    case RMW_ADD:
        result = v + o, *high = vh + oh + (result < v);
        break;
    case RMW_SUB:
        result = v - o, *high = vh - oh - (v < o);
        break;
    case RMW_AND:
        result = v & o, *high = vh & oh;
        break;
    case RMW_OR:
        result = v | o, *high = vh | oh;
        break;
    case RMW_XOR:
        result = v ^ o, *high = vh ^ oh;
        break;
    case RMW_NEGATE:
        result = 0 - v, *high = ~vh + !v;
        break;
    default:
        result = ~(v & o), *high = ~(vh & oh);
    }
    if (size < 8)
        result &= (UINT64_C(1) << (8 * size)) - 1;
    return result;
}

bool graph_is_silent_rmw(const Request *q, uint64_t v)
{
    uint64_t high = 0;
    return q->size <= 8 && graph_rmw_result(q->op, v, q->operand, 0, q->size, &high) == v;
}

/* Replaces the bytes of R's part, in the words at WORDS, by what the RMW makes of them. */
static void replace_part(const Event *r, uint64_t words[2])
{
    unsigned size = block_part_size(r->part, r->size);
    uint64_t none = 0;
    uint64_t fresh = graph_rmw_result(r->op, graph_read_value(r), r->operand, 0, size, &none);
    memcpy((char *)words + block_part_offset(r->part), &fresh, size);
}

uint64_t graph_rmw_value(const Event *r, uint64_t *high)
{
    DEBUG_ASSERT(r->kind == EVENT_READ);
    uint64_t words[2] = {r->value, high_of(r)};
    if (UNLIKELY(r->part)) {
        replace_part(r, words);
        *high = words[1];
        return words[0];
    }
    *high = words[1];
    return graph_rmw_result(r->op, r->value, r->operand,
                            r->size == 16 ? pool_extra[event_id(r)].operand_high : 0, r->size,
                            high);
}

void graph_remove_last(int count)
{
    DEBUG_ASSERT(count >= 0 && count <= order_count);
    ThreadSet shorter = 0;
    while (order_count > count) {
        Event *e = &pool[order[--order_count]];
        Thread *t = &threads[e->thread];
        shorter |= thread_bit(e->thread);
        t->count--;
        t->live = 0;
        if (e->kind == EVENT_WRITE) {
            if (e->co >= 0)
                graph_remove_co(&locations[e->location], event_id(e));
        } else if (e->kind == EVENT_READ) {
            locations[e->location].reads--;
        } else if (e->kind == EVENT_CREATE) {
            threads_created &= ~thread_bit(e->other);
            threads[e->other].live = 0;
        }
    }
    for (; shorter; shorter &= shorter - 1)
        graph_sync_thread(thread_first(shorter));
}

const Clock *graph_tip(int thread)
{
    DEBUG_ASSERT(thread >= 0 && thread < MAX_THREADS);
    static const Clock zero;
    if (threads[thread].count)
        return &last_event(thread)->hb;
    return thread ? &pool[threads[thread].create].hb : &zero;
}

bool graph_thread_exists(unsigned thread)
{
    return thread < MAX_THREADS && (threads_created >> thread & 1) &&
           (!thread || graph_reached(&pool[threads[thread].create]));
}

bool graph_others_exist(void)
{
    for (ThreadSet left = threads_created & ~(ThreadSet)1; left; left &= left - 1)
        if (graph_thread_exists((unsigned)thread_first(left)))
            return true;
    return false;
}
