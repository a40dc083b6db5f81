#include "guest/explore/schedules/sample.h"
#include "guest/explore/search/blocked.h"
#include "guest/explore/reduce/symmetry/alike.h"
#include <string.h>
#include "base/hash.h"
#include "guest/explore/search/checkpoint.h"
#include "guest/explore/reduce/endless.h"
#include "guest/explore/search/explore.h"
#include "guest/explore/memory/memory.h"
#include "guest/explore/graph/models/buffers.h"
#include "guest/explore/graph/models/model.h"
#include "guest/explore/reduce/rest.h"
#include "guest/explore/schedules/beginning.h"
#include "guest/explore/schedules/sample_buffers.h"
#include "guest/explore/schedules/sample_units.h"
#include "guest/explore/reduce/waiting/waiting.h"
#include "guest/runtime/fiber.h"

#define PCT_DEPTH 3
#define POLL_STEPS 1000 /* executions of so many steps poll each */
#define MOST_DISTINCT (UINT64_C(1) << 22)

SampleState sampling = {.looping = -1};

static Random draw;
/* Probabilistic concurrency testing: the thread of the highest priority runs. */
typedef struct Pct {
    uint64_t priority[MAX_THREADS];
    uint64_t change[PCT_DEPTH - 1]; /* steps at which a priority is lowered */
} Pct;
static Pct pct;
static uint64_t steps, longest;  /* of this execution; of all so far */
static uint64_t requests_before; /* this execution */
static HashMap seen;
static bool main_rests; /* the rest of main is known: it is not run (rest.h) */
/* A thread that waits in the runtime for a value: woken by the next write there. */
static struct {
    LocationId location; /* 0: not asleep */
    int32_t writes;
} asleep[MAX_THREADS];

/* ---- one given execution ---- */

static struct {
    const SampleStep *steps; /* NULL: executions are drawn */
    size_t count, next;
    uint32_t done;   /* requests of the present step */
    bool begun;      /* it has performed something */
    uint32_t choice; /* for the request that is performed now */
    int last;        /* thread, once all steps are made */
    bool mains;      /* main is one of the threads of the steps */
} script;

static bool is_buffering(void)
{
    return script.steps && buffers_drain_as_x86();
}

/* ---- who goes next ---- */

static bool is_access_request(const Request *q)
{
    return q->kind >= REQUEST_LOAD && q->kind <= REQUEST_AWAIT;
}

static bool conflict(const Request *a, const Request *b)
{
    return a->address == b->address && is_access_request(a) && is_access_request(b) &&
           (request_can_write(a) || request_can_write(b));
}

static bool can_go(int t)
{
    if (threads[t].live != LIVE_PENDING)
        return false; /* given up */
    const Request *q = &threads[t].pending;
    if (q->kind == REQUEST_JOIN && q->operand < MAX_THREADS && (threads_created >> q->operand & 1))
        return thread_can_be_joined((int)q->operand);
    if (asleep[t].location)
        return locations[asleep[t].location].writes != asleep[t].writes;
    uint8_t waits = threads[t].count ? last_event(t)->waits : WAITS_NOT;
    return waits != WAITS_CUT && (waits != WAITS_BLOCKED || !blocked_sees_last(t));
}

/* The thread that the script wants; -1: it is at its end, or the program goes another way. */
static int pick_by_script(void)
{
    for (; script.next < script.count; script.next++, script.done = 0, script.begun = false) {
        const SampleStep *step = &script.steps[script.next];
        int t = (int)step->thread;
        script.choice = script.begun ? 0 : step->choice;
        if (step->flushes) {
            sample_buffers_flush_to(t, step->stop_pc);
            continue;
        }
        if (!(threads_created >> t & 1) || (threads_ended >> t & 1))
            break;
        if (!can_go(t)) /* a round of a loop for nothing */
            continue;
        const Request *q = &threads[t].pending; /* volatile ones of its stack are plain to states */
        bool plain =
            is_access_request(q) && q->plain && (q->plain == 1 || fiber_of_stack(q->address) == t);
        if (script.done >= step->requests && (script.begun || step->requests == 0) &&
            (plain ? script.begun && q->pc == step->stop_pc : true))
            continue;
        script.begun = true;
        script.done += !plain;
        return t;
    }
    script.next = script.count;
    script.choice = 0;
    sample_buffers_flush(-1);
    return -1;
}

/* A plain access before which a step is to stop must be an event. */
static void trace_script(const void *address, size_t bytes, bool writes UNUSED, const void *pc,
                         bool holds)
{
    if (holds)
        return;
    const SampleStep *step = &script.steps[MIN(script.next, script.count)];
    if (script.next >= script.count || step->stop_pc != pc || (int)step->thread != fiber_current ||
        bytes > 8 || memory_races_in(address, bytes))
        return;
    memory_promote((char *)(uintptr_t)address, (unsigned)bytes);
    finding_restart();
}

static int pick_in_turn(void)
{
    if (!script.mains && can_go(0) && (threads_created & 1) && !(threads_ended & 1))
        return 0;
    int t = pick_by_script();
    for (int i = 1; i <= MAX_THREADS && t < 0; i++) {
        int next = (script.last + i) % MAX_THREADS;
        if ((threads_created >> next & 1) && !(threads_ended >> next & 1) && can_go(next))
            script.last = t = next;
    }
    return t;
}

static int pick(void)
{
    if (script.steps)
        return pick_in_turn();
    ThreadSet able = threads_created & ~threads_ended & ~(ThreadSet)main_rests;
    while (able) { /* (Which priority is the highest nobody foresees: no branch depends on it.) */
        int best = thread_first(able);
        for (ThreadSet left = able & (able - 1); left; left &= left - 1) {
            int t = thread_first(left);
            best = pct.priority[t] > pct.priority[best] ? t : best;
        }
        if (can_go(best))
            return best;
        able &= ~thread_bit(best);
    }
    if (!main_rests || rest_completes_sample())
        return -1;
    main_rests = false; /* it must be seen what main does */
    return can_go(0) ? 0 : -1;
}

static void draw_priority(int t)
{
    /* below: the priorities that PCT's change points give */
    pct.priority[t] = PCT_DEPTH + (random_next(&draw) >> 1);
}

/* Thread T has performed Q. Joins and ends, which conflict with nothing, are not drawn for: what is
 * drawn does not depend on whether the rest of main is run. */
static void update_priorities(int t, const Request *q)
{
    if (q->kind == REQUEST_JOIN || q->kind == REQUEST_EXIT)
        return;
    steps++;
    if (options.sampler == SAMPLER_PCT) {
        for (uint64_t i = 0; i < COUNT_OF(pct.change); i++)
            if (pct.change[i] == steps)
                pct.priority[t] = i;
        return;
    }
    draw_priority(t);
    if (!is_access_request(q))
        return;
    for (ThreadSet left = threads_created & ~threads_ended & ~thread_bit(t); left; left &= left - 1)
        if (conflict(&threads[thread_first(left)].pending, q))
            draw_priority(thread_first(left));
}

/* ---- steps ---- */

/* May waiting_detect find that T waits, or note something for later, at `request`? It looks for
 * reads that are repeated, and after several reads for what a ghost does. */
static bool may_wait(int t)
{
    const Event *last = last_event(t);
    int previous = last->index - (last->kind == EVENT_WRITE && last->rmw ? 2 : 1);
    if (previous >= 0 && thread_event(t, previous)->ghost_count)
        return true;
    if (waiting_is_effect(last))
        return false;
    if (waiting_is_read(request.kind) || request.kind == REQUEST_CHOOSE)
        return true;
    return last->kind == EVENT_READ && !last->rmw &&
           !(previous < 0 || waiting_is_effect(thread_event(t, previous)));
}

/* T has run to its next request, which it keeps. */
static __attribute__((noinline)) void keep_request(int t)
{
    if (request.kind == REQUEST_STOP)
        longjmp(findings.jump, 1);
    threads[t].pending = request;
    threads[t].live = LIVE_PENDING;
    asleep[t].location = 0;
    if (t == 0 && request.kind == REQUEST_JOIN)
        main_rests = !script.steps && rest_is_known_of_sample();
    if (threads[t].count && may_wait(t) && waiting_is_sought()) {
        int from = waiting_detect(t);
        if (from >= 0) {
            last_event(t)->waits = WAITS_BLOCKED;
            last_event(t)->wait_from = (EventIndex)from;
            threads_waiting |= thread_bit(t);
            return; /* however often it has looked */
        }
    }
    if (endless_is(t) || explore_lacks_threads())
        explore_give_up(t);
}

/* Runs T to its next request. Inline, for the reason that arch_switch gives. */
static inline __attribute__((always_inline)) void run_ahead(int t)
{
    findings.self = t;
    checkpoint_resume(t);
    keep_request(t);
}

/* The write of an RMW whose read E reads from place P, right after it; false if it can't be there.
 */
static bool add_rmw_write(Event *e, int p)
{
    Location *x = &locations[e->location];
    Event *w = explore_add_rmw_write(e);
    graph_set_release(w, e);
    graph_insert_co(x, p + 1, event_id(w));
    if (p + 1 == x->writes - 1 || model_consistent(w, NULL)) {
        sample_buffers_note_write(w);
        return true;
    }
    graph_remove_last(order_count - 1);
    pool_top--;
    threads[e->thread].live = LIVE_YES; /* it still stands at the request */
    return false;
}

static bool try_read(Event *e, int p)
{
    const Location *x = &locations[e->location];
    e->spurious = 0;
    graph_set_rf(e, x->co[p]);
    if (e->request == REQUEST_AWAIT && !operations_goes_on((AwaitTest)e->test) &&
        !graph_test_holds(e))
        return false;
    if (e->weak && e->rmw && (script.steps ? script.choice == 1 : random_below(&draw, 4) == 0)) {
        e->spurious = 1;
        graph_set_rf(e, x->co[p]);
    }
    if (e->rmw && graph_splits_rmw(x, p + 1))
        return false; /* its write has no place: looked at before what costs more */
    if (p < x->writes - 1 && !model_consistent(e, NULL))
        return false;
    if (e->rmw && !add_rmw_write(e, p))
        return false;
    explore_check_read(e);
    return true;
}

/* False: the thread waits for another value; its request stands. */
static bool perform_read(int t)
{
    uint32_t snapshot = checkpoints.top;
    Event *e = explore_add_access(t, EVENT_READ);
    Location *x = &locations[e->location];
    int low = graph_lower_bound(x, &e->hb, e), count = x->writes - low;
    graph_add_read(x, event_id(e));
    /* all places from a random one on, round */
    int first = is_buffering() ? MAX(sample_buffers_seen(x, t) - low, 0)
                : script.steps ? count - 1
                               : (int)random_below(&draw, (uint64_t)count);
    for (int i = 0; i < count; i++)
        if (try_read(e, low + (first + i) % count))
            return true;
    ASSERT(e->request == REQUEST_AWAIT); /* the last write can always be read */
    asleep[t].location = e->location;
    asleep[t].writes = x->writes;
    graph_remove_last(order_count - 1);
    pool_top--;
    checkpoints.top = snapshot;
    threads[t].live = LIVE_PENDING;
    return false;
}

/* The store E of a given execution under tso. */
static void perform_buffered(Event *e, Location *x)
{
    graph_insert_co(x, x->writes, event_id(e));
    if ((e->thread || script.mains) && script.next < script.count && buffers_is_store(e)) {
        sample_buffers_wait(e);
        return;
    }
    graph_remove_co(x, event_id(e));
    graph_insert_co(x, sample_buffers_in_memory(x), event_id(e));
    sample_buffers_note_write(e);
}

static void perform_store(int t)
{
    Event *e = explore_add_access(t, EVENT_WRITE);
    Location *x = &locations[e->location];
    graph_set_release(e, NULL);
    int low = graph_lower_bound(x, &e->hb, e) + 1, last = x->writes;
    if (is_buffering()) {
        perform_buffered(e, x);
        return;
    }
    int p = last;
    if (!script.steps && random_below(&draw, 4) == 0)
        p = low + (int)random_below(&draw, (uint64_t)last - (uint64_t)low + 1);
    if (p < last && !graph_splits_rmw(x, p)) {
        graph_insert_co(x, p, event_id(e));
        if (model_consistent(e, NULL))
            return;
        graph_remove_co(x, event_id(e));
    }
    graph_insert_co(x, last, event_id(e));
}

static inline __attribute__((always_inline)) void step(int t)
{
    findings.self = t;
    const Request *q = &threads[t].pending;
    if (threads[t].count)
        last_event(t)->waits = WAITS_NOT;
    threads_waiting &= ~thread_bit(t);
    checkpoint_resume(t); /* takes the request that it keeps */
    if (is_buffering() && buffers_request_drains(q))
        sample_buffers_flush(t);
    ThreadSet created = threads_created;
    switch (q->kind) {
    case REQUEST_LOAD:
    case REQUEST_RMW:
    case REQUEST_CAS:
    case REQUEST_AWAIT:
        if (!perform_read(t))
            return;
        break;
    case REQUEST_STORE:
        perform_store(t);
        break;
    default:
        explore_add_other(t, q->kind != REQUEST_CHOOSE ? 0
                             : script.steps            ? MIN(script.choice, q->operand - 1)
                                                       : random_below(&draw, q->operand));
    }
    update_priorities(t, q);
    if (!(threads_ended >> t & 1))
        run_ahead(t);
    for (ThreadSet left = threads_created & ~created; left; left &= left - 1) {
        draw_priority(thread_first(left));
        run_ahead(thread_first(left));
    }
    if (created == 1 && threads_created != 1 && !script.steps)
        beginning_note(request_count - requests_before);
}

/* ---- executions ---- */

static void draw_first(void)
{
    steps = 0;
    for (size_t i = 0; i < COUNT_OF(pct.change); i++)
        pct.change[i] = 1 + random_below(&draw, MAX(longest, 16));
    draw_priority(0);
}

/* Draws what is drawn in the beginning that was restored, where none of it makes a difference. */
static void draw_beginning(void)
{
    for (int i = 0; i < threads[0].count; i++) {
        const Event *e = thread_event(0, i);
        if (e->kind == EVENT_WRITE && e->rmw)
            continue;
        if (e->kind == EVENT_READ || (e->kind == EVENT_WRITE && random_below(&draw, 4) == 0))
            random_next(&draw);
        Request q = {.kind = e->request};
        update_priorities(0, &q);
    }
    for (ThreadSet left = threads_created & ~(ThreadSet)1; left; left &= left - 1)
        draw_priority(thread_first(left));
}

static void begin(void)
{
    bool restored = beginning_restore();
    if (!restored) {
        ExploreCounts sum = counts;
        explore_begin();
        counts = sum;
        requests_before = request_count;
    }
    memset(asleep, 0, sizeof asleep[0] * (size_t)graphs.threads_used);
    sample_buffers_begin();
    main_rests = false;
    draw_first();
    if (restored)
        draw_beginning();
    else
        run_ahead(0);
}

/* Threads that wait in the runtime get the read that fails, as in an exploration. */
static void add_failed_waits(void)
{
    for (ThreadSet left = threads_created & ~threads_ended; left; left &= left - 1) {
        int t = thread_first(left);
        if (!asleep[t].location)
            continue;
        checkpoint_resume(t);
        Event *e = explore_add_access(t, EVENT_READ);
        const Location *x = &locations[e->location];
        graph_add_read(&locations[e->location], event_id(e));
        graph_set_rf(e, x->co[x->writes - 1]);
        e->waits = WAITS_BLOCKED;
        e->wait_from = e->index;
        graph_sync_thread(t);
    }
}

static void count_distinct(void)
{
    bool fresh = true;
    if (sampling.distinct >= MOST_DISTINCT)
        sampling.counts_all = false;
    else {
        uint64_t hash = sample_units_hash();
        hashmap_put(&seen, hash, &fresh);
        if (fresh)
            sample_units_note(sampling.distinct, hash);
    }
    sampling.distinct += fresh;
}

static SampleProgress progress(void)
{
    return (SampleProgress){.state = draw.state,
                            .longest = longest,
                            .done = sampling.done,
                            .distinct = sampling.distinct,
                            .counts_all = sampling.counts_all,
                            .counts = counts};
}

/* Goes on where an earlier session was. */
static void go_on(const SampleProgress *from)
{
    draw.state = from->state;
    longest = from->longest;
    sampling.done = from->done;
    sampling.distinct = from->distinct;
    sampling.counts_all = from->counts_all;
}

/* A request was performed behind the script. */
static void count_looping(uint32_t *count)
{
    if (!script.steps || script.next < script.count || ++*count < SAMPLE_LOOPS ||
        (threads_ended >> sampling.looping & 1))
        return;
    findings.self = -1;
    op_violation(VIOLATION_LIVELOCK, NULL, "thread %d loops for ever, whatever others do",
                 sampling.looping);
}

static bool perform_one(void)
{
    begin();
    uint32_t behind = 0;
    int t;
    while ((t = pick()) >= 0) {
        step(t);
        if (UNLIKELY(sampling.looping >= 0))
            count_looping(&behind);
    }
    longest = MAX(longest, steps);
    add_failed_waits();
    count_distinct();
    explore_leaf();
    if (!exploration.completes)
        rest_observe_sample();
    exploration.completes = false;
    sampling.done++;
    if (sample_units_on)
        sample_units_keep(progress());
    if ((sampling.done & exploration.poll_mask) && steps < POLL_STEPS)
        return true; /* a look costs as much as a short execution */
    return !(exploration.poll && exploration.poll());
}

FindingKind sample_script(const SampleStep *given, size_t count, bool mains)
{
    exploration.restarts = 1; /* memory is put back to the start whatever ran before */
    memset(&counts, 0, sizeof counts);
    if (setjmp(findings.jump) && finding.kind != FINDING_RESTART) {
        script.steps = NULL;
        memory_state.trace = NULL;
        return finding.kind;
    }
    finding.kind = FINDING_NONE;
    memory_state.trace = trace_script;
    static const SampleStep none;
    script.steps = count ? given : &none;
    script.count = count;
    script.next = script.done = 0;
    script.begun = false;
    script.last = 0;
    script.mains = mains;
    hashmap_clear(&seen);
    beginning_forget();
    perform_one();
    script.steps = NULL;
    memory_state.trace = NULL;
    return FINDING_NONE;
}

FindingKind sample_some(uint64_t wanted, uint64_t requests)
{
    uint64_t begun = request_count;
    volatile bool started = false; /* it begins again */
    draw.state = hash_mix(options.seed + 1);
    exploration.restarts = 0;
    alike_end();
    memset(&counts, 0, sizeof counts);
    if (setjmp(findings.jump)) {
        if (finding.kind != FINDING_RESTART)
            return finding.kind;
        exploration.restarts++;
        memset(&counts, 0, sizeof counts);
        started = true;
    }
    finding.kind = FINDING_NONE;
    rest_forget_samples();
    beginning_forget();
    sampling.done = sampling.distinct = longest = 0;
    sampling.counts_all = true;
    hashmap_clear(&seen);
    if (sample_units_on && started && !sample_units_restart(progress())) {
        exploration.stopped = true;
        return FINDING_NONE;
    }
    SampleProgress before;
    if (sample_units_on && !started && sample_units_resume(&seen, &before))
        go_on(&before);
    while (sampling.done < wanted && request_count - begun < requests)
        if (!perform_one()) {
            exploration.stopped = true;
            break;
        }
    return FINDING_NONE;
}

FindingKind sample_all(void)
{
    SampleProgress all;
    if (!sample_units_begin(&all)) {
        go_on(&all);
        return FINDING_NONE;
    }
    FindingKind kind = sample_some(options.schedules, UINT64_MAX);
    sample_units_end(kind == FINDING_NONE && !exploration.stopped);
    return kind;
}
