#include "guest/explore/schedules/bounded.h"
#include <string.h>
#include "base/hash.h"
#include "guest/explore/search/checkpoint.h"
#include "guest/explore/reduce/endless.h"
#include "guest/explore/search/explore.h"
#include "guest/explore/memory/memory.h"
#include "guest/explore/schedules/parked.h"
#include "guest/explore/schedules/preempt.h"
#include "guest/explore/memory/scrub.h"
#include "guest/explore/memory/undo.h"
#include "guest/explore/reduce/waiting/waiting.h"
#include "guest/runtime/fiber.h"
#include "guest/runtime/pages.h"

#define MOST_CHOICES (UINT32_C(1) << 20)
#define MOST_PLACES (UINT64_C(1) << 23) /* remembered; beyond, some are searched twice */
#define NOBODY (MAX_THREADS)

typedef enum ChoiceKind {
    CHOICE_PREEMPT, /* before the next event of a thread: others instead */
    CHOICE_SWITCH,  /* nobody runs: who goes on */
    CHOICE_VALUE    /* of an event EVENT_CHOOSE */
} ChoiceKind;
typedef struct Choice {
    ChoiceKind kind;
    int running;     /* who did when it was made, or -1 */
    int used;        /* preemptions up to here */
    ThreadSet left;  /* threads that were not tried; of a value: the next one */
    EventId event;   /* the next one: of the thread that runs; of a value: it */
    bool parked;     /* CHOICE_PREEMPT: the thread has a park for this place */
    Request request; /* CHOICE_PREEMPT: of the thread */
    int order_mark;
    uint32_t snapshot_mark, log_mark;
    uint64_t hash[2];
    Parked parks;
    uint64_t key; /* in_bound.counts: where what it leads to is remembered */
    double schedules;
} Choice;

typedef struct Sharing {             /* of a location, in all executions of this search */
    ThreadSet read_by, written_by;   /* threads, while others lived */
    ThreadSet passed, passed_writes; /* threads that were not preempted before an access */
} Sharing;

BoundedState in_bound;

static Choice *choices;
static uint32_t choice_count;
static uint64_t hash[2]; /* of the graph: a sum over events, so that their order does not matter */
static HashMap places;   /* that were reached: key -> check and preemptions */
static HashMap leaves;   /* the same of complete and stuck executions */
static HashMap known;    /* in_bound.counts: key -> bits of a double */
static Sharing *sharing; /* by location */
static bool conflicts_grown; /* a thread should have been preempted where it was not: begin again */

static void bounded_setup(void)
{
    parked_setup();
    choices = pages_reserve(sizeof(Choice) * MOST_CHOICES);
    sharing = pages_reserve(sizeof(Sharing) * (UINT32_C(1) << 20));
}

bool bounded_applies(void)
{
    if (options.preemptions >= 0 && !choices)
        bounded_setup();
    return options.preemptions >= 0 && model_is_interleaved(options.model) && options.checkpoints &&
           !options.weak_cas && !facts_met[FACT_stacks_shared] && !preempt_slack;
}

/* ---- places ---- */

static uint64_t name_of(EventId id)
{
    return id ? (uint64_t)pool[id].thread << 32 | (unsigned)pool[id].index : UINT64_MAX;
}

/* E is in the graph for good: where it stands in its thread, and what it follows there or
 * elsewhere. */
static void hash_event(const Event *e)
{
    uint64_t link = 0;
    if (e->kind == EVENT_READ)
        link = name_of(e->rf);
    else if (e->kind == EVENT_WRITE)
        link = name_of(locations[e->location].co[e->co - 1]);
    else if (e->kind == EVENT_CHOOSE)
        link = e->value;
    uint64_t own = hash_combine(name_of(event_id(e)), link);
    hash[0] += own;
    hash[1] += hash_mix(own ^ 0x5bd1e9955bd1e995u);
}

static uint64_t place_key(int running)
{
    return hash_combine(hash[0], (uint64_t)running);
}

/* Was this place reached before, with no fewer preemptions left? Remembers it if not. */
static bool was_reached(HashMap *map, int running, int used)
{
    enum { BITS = 8 };
    uint64_t check = hash_combine(hash[1], (uint64_t)running) << BITS;
    bool absent = false;
    uint64_t key = place_key(running);
    uint64_t *value =
        map->count < MOST_PLACES ? hashmap_put(map, key, &absent) : hashmap_find(map, key);
    if (!value)
        return false;
    if (!absent && (*value >> BITS << BITS) == check && (int)(*value & 255) <= used)
        return true;
    *value = check | (uint64_t)MIN(used, 255);
    return false;
}

/* ---- what conflicts ---- */

/* May T be preempted before `request`? */
static bool is_point(int t)
{
    if (!request_is_access(&request))
        return false;
    if (in_bound.counts)
        return true;
    LocationId l = graph_find_location(request.address);
    ThreadSet others = ~thread_bit(t);
    bool writes = request_can_write(&request);
    if (l && ((sharing[l].written_by & others) || (writes && (sharing[l].read_by & others))))
        return true;
    l = graph_location(request.address, request.size, t);
    sharing[l].passed |= thread_bit(t);
    sharing[l].passed_writes |= writes ? thread_bit(t) : 0;
    return false;
}

/* An access of T to location L: a new conflict with one before which nobody was preempted? Accesses
 * while no other thread lives conflict with nothing. */
static void note_sharing(int t, LocationId l, bool writes)
{
    Sharing *s = &sharing[l];
    ThreadSet bit = thread_bit(t);
    if (!((threads_created & ~threads_ended) & ~bit))
        return;
    if ((writes ? s->written_by & s->read_by : s->read_by) & bit)
        return;
    s->read_by |= bit; /* a write conflicts with whatever a read does */
    if (writes)
        s->written_by |= bit;
    ThreadSet others = s->passed & ~bit;
    bool grown = writes ? others != 0 : (s->passed_writes & ~bit) != 0;
    if (grown && !in_bound.counts) {
        s->passed = s->passed_writes = 0;
        conflicts_grown = true;
    }
}

/* ---- choices ---- */

static Choice *push_choice(ChoiceKind kind, int running, int used, ThreadSet left)
{
    if (choice_count == MOST_CHOICES)
        op_unsupported("an execution of more than %u choices", MOST_CHOICES);
    Choice *c = &choices[choice_count++];
    c->kind = kind;
    c->running = running;
    c->used = used;
    c->left = left;
    c->event = pool_top;
    c->parked = false;
    c->order_mark = order_count;
    c->snapshot_mark = checkpoints.top;
    c->log_mark = undo_count;
    c->hash[0] = hash[0];
    c->hash[1] = hash[1];
    c->parks = parked_now;
    c->schedules = 0;
    c->key = 0;
    return c;
}

/* The thread that was to be preempted has performed its event instead: the copy of its stack that
 * the event made stands at the mark, and is kept. */
static void keep_stack(Choice *c)
{
    ASSERT(pool[c->event].snapshot == c->snapshot_mark);
    parked_stop_before(c->running, &pool[c->event], &c->request);
    c->parked = true;
    c->snapshot_mark = checkpoints.top;
    c->parks = parked_now;
}

/* Everything as it was when C was made. */
static void cut_to(Choice *c)
{
    graph_remove_last(c->order_mark);
    pool_top = c->event + (c->kind == CHOICE_VALUE);
    undo_to(c->log_mark);
    hash[0] = c->hash[0];
    hash[1] = c->hash[1];
    checkpoints.top = c->snapshot_mark;
    parked_restore(&c->parks);
    threads_waiting = 0;
    if (c->kind == CHOICE_PREEMPT && !c->parked)
        keep_stack(c);
    if (c->kind == CHOICE_VALUE)
        parked_return(c->running, &pool[c->event]);
}

static void add_schedules(double more)
{
    *(choice_count ? &choices[choice_count - 1].schedules : &in_bound.schedules) += more;
}

static void pop_choice(void)
{
    const Choice *c = &choices[--choice_count];
    if (!in_bound.counts)
        return;
    if (c->key)
        memcpy(hashmap_put(&known, c->key, NULL), &c->schedules, sizeof c->schedules);
    add_schedules(c->schedules);
}

/* The next alternative of the newest choice that has one: who runs then, with how many
 * preemptions. */
static bool backtrack(int *t, int *used)
{
    while (choice_count) {
        Choice *c = &choices[choice_count - 1];
        Event *e = &pool[c->event];
        bool value = c->kind == CHOICE_VALUE;
        if (value ? c->left >= e->other : !c->left) {
            pop_choice();
            continue;
        }
        cut_to(c);
        *used = c->used + (c->kind == CHOICE_PREEMPT);
        if (value) {
            *t = c->running;
            e->value = c->left++;
            hash_event(e);
        } else {
            *t = thread_first(c->left);
            c->left &= c->left - 1;
        }
        return true;
    }
    return false;
}

/* ---- steps ---- */

static void run_on(int t)
{
    if (!threads[t].count) {
        fiber_restart(t);
        heap_cursor[t] = (HeapCursor){0, 0};
    } else {
        checkpoint_answer(last_event(t));
    }
    if (options.reductions)
        checkpoint_clear_below(&fibers[t]);
    threads[t].live = LIVE_YES;
    threads[t].resumed_at = undo_count;
    parked_run(t);
    fiber_resume(t);
    if (UNLIKELY(scrub.torture) && request.kind != REQUEST_STOP)
        scrub_spoil(t);
}

/* T goes to its next request. False if it has to wait there, and is parked. */
static bool arrive(int t)
{
    findings.self = t;
    if (parked_at(t)) {
        parked_leave(t);
        return true;
    }
    run_on(t);
    if (request.kind == REQUEST_STOP)
        longjmp(findings.jump, 1);
    if (UNLIKELY(facts_met[FACT_stacks_shared]))
        finding_restart(); /* another search will do it */
    if (options.reductions && threads[t].count) {
        int from = waiting_detect(t);
        if (from >= 0) {
            parked_stop(t, WAITS_BLOCKED, (EventIndex)from);
            return false;
        }
    }
    if (UNLIKELY(endless_is(t) || explore_lacks_threads())) {
        explore_count_cut();
        parked_stop(t, WAITS_CUT, 0);
        return false;
    }
    if (parked_must_wait(&request)) {
        parked_stop(t, request.kind == REQUEST_JOIN ? (uint8_t)(request.operand + 1) : WAITS_NOT,
                    0);
        return false;
    }
    return true;
}

static void perform_read(int t)
{
    Event *e = explore_add_access(t, EVENT_READ);
    Location *x = &locations[e->location];
    graph_add_read(x, event_id(e));
    graph_set_rf(e, x->co[x->writes - 1]);
    explore_check_read(e);
    note_sharing(t, e->location, e->rmw);
    hash_event(e);
    if (!e->rmw)
        return;
    Event *w = explore_add_rmw_write(e);
    graph_set_release(w, e);
    graph_insert_co(x, x->writes, event_id(w));
    hash_event(w);
}

static void perform_store(int t)
{
    Event *e = explore_add_access(t, EVENT_WRITE);
    Location *x = &locations[e->location];
    graph_set_release(e, NULL);
    graph_insert_co(x, x->writes, event_id(e));
    note_sharing(t, e->location, true);
    hash_event(e);
}

static void perform_other(int t, int used)
{
    bool chooses = request.kind == REQUEST_CHOOSE && request.operand > 1;
    Event *e = explore_add_other(t, 0);
    if (chooses) {
        Choice *c = push_choice(CHOICE_VALUE, t, used, 1);
        c->event = event_id(e);
    }
    hash_event(e);
}

static void perform(int t, int used)
{
    switch (request.kind) {
    case REQUEST_LOAD:
    case REQUEST_RMW:
    case REQUEST_CAS:
    case REQUEST_AWAIT:
        perform_read(t);
        break;
    case REQUEST_STORE:
        perform_store(t);
        break;
    default:
        perform_other(t, used);
    }
}

/* ---- leaves ---- */

/* Threads that wait in the runtime get the read that fails, as in other explorations. */
static void add_failed_waits(void)
{
    for (ThreadSet left = threads_created & ~threads_ended; left; left &= left - 1) {
        int t = thread_first(left);
        threads_waiting |= thread_bit(t);
        const Park *park = parked_at(t);
        if (!park || park->request.kind != REQUEST_AWAIT || park->waits != WAITS_NOT)
            continue;
        parked_leave(t);
        Event *e = explore_add_access(t, EVENT_READ);
        const Location *x = &locations[e->location];
        graph_add_read(&locations[e->location], event_id(e));
        graph_set_rf(e, x->co[x->writes - 1]);
        e->waits = WAITS_BLOCKED;
        e->wait_from = e->index;
        threads[t].live = LIVE_PENDING;
    }
}

/* False if the search shall stop. */
static bool leaf(void)
{
    static unsigned visits;
    if (!was_reached(&leaves, NOBODY, 0)) {
        add_failed_waits();
        explore_leaf();
    }
    add_schedules(1);
    if ((++visits & 15) == 0 && exploration.poll && exploration.poll()) {
        exploration.stopped = true;
        return false;
    }
    return true;
}

/* ---- the search ---- */

/* in_bound.counts: what is known to follow from this place is added; else a choice will find out.
 */
static bool schedules_known(int running, int used, Choice *c)
{
    uint64_t key = hash_combine(place_key(running), (uint64_t)used) | 1;
    const uint64_t *bits = hashmap_find(&known, key);
    if (!bits) {
        if (c)
            c->key = key;
        return false;
    }
    double more;
    memcpy(&more, bits, sizeof more);
    add_schedules(more);
    return true;
}

/* The running thread T stands before an access: others may go on instead, unless T has only just
 * been given its turn (FRESH), when they could have got it as well. False if all that follows is
 * known. */
static bool consider_preemption(int t, int used, bool fresh)
{
    ThreadSet others = parked_able(t);
    if (!others || (fresh && in_bound.counts))
        return true;
    if (in_bound.counts ? schedules_known(t, used, NULL) : was_reached(&places, t, used))
        return false;
    bool left = used < options.preemptions;
    counts.left_out += !left;
    if (fresh || (!left && !in_bound.counts))
        return true;
    Choice *c = push_choice(CHOICE_PREEMPT, t, used, left ? others : 0);
    c->request = request;
    if (in_bound.counts)
        schedules_known(t, used, c);
    return true;
}

/* Nobody runs: one of ABLE goes on. */
static bool consider_switch(ThreadSet able, int used, int *t)
{
    *t = thread_first(able);
    if (in_bound.counts ? schedules_known(NOBODY, used, NULL) : was_reached(&places, NOBODY, used))
        return false;
    if (!(able & (able - 1)))
        return true;
    Choice *c = push_choice(CHOICE_SWITCH, -1, used, able & (able - 1));
    if (in_bound.counts)
        schedules_known(NOBODY, used, c);
    return true;
}

static void begin(void)
{
    choice_count = 0;
    hash[0] = hash[1] = 0;
    parked_begin();
    hashmap_clear(&places);
    hashmap_clear(&known);
    conflicts_grown = false;
    in_bound.schedules = 0;
}

/* From the start, with what was learnt about conflicts; executions that were seen stay counted. */
static void begin_again(void)
{
    ExploreCounts sum = counts;
    explore_begin();
    counts = sum;
    counts.cut = counts.left_out = 0;
    begin();
}

void bounded_search(void)
{
    if (!exploration.restarts)
        memset(sharing, 0, sizeof(Sharing) * (MAX(location_most, location_count) + 1));
    hashmap_clear(&leaves);
    begin();
    unsigned prunes = 0;
    bool fresh = true; /* T has done nothing since it was chosen */
    for (int t = 0, used = 0;;) {
        bool over = false; /* this branch */
        if (t < 0) {
            ThreadSet able = parked_able(-1);
            if (!able && !leaf())
                return;
            over = !able || !consider_switch(able, used, &t);
            fresh = true;
        }
        if (!over) {
            if (!arrive(t)) {
                t = -1;
                continue;
            }
            over = is_point(t) && !consider_preemption(t, used, fresh);
        }
        if (!over) {
            perform(t, used);
            fresh = false;
            if (threads_ended >> t & 1)
                t = -1;
            if (UNLIKELY(conflicts_grown)) {
                begin_again();
                t = used = 0;
                fresh = true;
            }
            continue;
        }
        if ((++prunes & 1023) == 0 && exploration.poll && exploration.poll()) {
            exploration.stopped = true;
            return;
        }
        if (!backtrack(&t, &used))
            return;
        fresh = choices[choice_count - 1].kind != CHOICE_VALUE;
    }
}
