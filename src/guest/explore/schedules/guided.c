#include "guest/explore/schedules/guided.h"
#include <stdio.h>
#include <string.h>
#include "guest/explore/search/checkpoint.h"
#include "guest/explore/reduce/endless.h"
#include "guest/explore/search/explore.h"
#include "guest/explore/graph/finding.h"
#include "guest/explore/memory/memory.h"
#include "guest/runtime/fiber.h"
#include "guest/explore/memory/heap.h"
#include "guest/runtime/pages.h"

char guided_problem[256];
static int32_t *final_co;       /* by event */
static bool asked[MAX_THREADS]; /* the thread's request is in threads[t].pending */

void guided_begin(void)
{
    if (!final_co)
        final_co = pages_reserve(sizeof(int32_t) * MAX_EVENTS);
    memset(asked, 0, sizeof asked);
    guided_problem[0] = 0;
    explore_begin();
}

/* Brings T to its next request; if it MAY_STALL, perhaps to a place before it. */
static void ask(int t, bool may_stall)
{
    findings.self = t;
    if (asked[t]) {
        request = threads[t].pending;
        threads[t].live = LIVE_YES;
        return;
    }
    checkpoint_resume(t);
    while (request.kind == REQUEST_STALL && !may_stall) {
        threads[t].pending = request;
        threads[t].live = LIVE_PENDING;
        checkpoint_resume(t);
    }
    if (request.kind == REQUEST_STOP)
        longjmp(findings.jump, 1);
    threads[t].pending = request;
    if (request.kind == REQUEST_STALL)
        threads[t].live = LIVE_PENDING;
    else
        asked[t] = true;
}

static Event *differs(const char *what, int t)
{
    snprintf(guided_problem, sizeof guided_problem, "thread %d now does something else: %s", t,
             what);
    return NULL;
}

static EventKind kind_of(const Request *q)
{
    switch (q->kind) {
    case REQUEST_STORE:
        return EVENT_WRITE;
    case REQUEST_RMW:
        return q->merge ? EVENT_WRITE : EVENT_READ;
    case REQUEST_FENCE:
        return EVENT_FENCE;
    case REQUEST_CHOOSE:
        return EVENT_CHOOSE;
    case REQUEST_CREATE:
        return EVENT_CREATE;
    case REQUEST_JOIN:
        return EVENT_JOIN;
    case REQUEST_MARK:
        return EVENT_MARK;
    case REQUEST_EXIT:
        return EVENT_END;
    default:
        return EVENT_READ;
    }
}

/* The place among the writes that are there already, behind those that come first in the end. */
static int place_of(const Location *x, int32_t co)
{
    int position = x->writes;
    while (position > 1 && final_co[x->co[position - 1]] > co)
        position--;
    return position;
}

static void place(Event *w, int32_t co)
{
    Location *x = &locations[w->location];
    final_co[event_id(w)] = co;
    graph_insert_co(x, place_of(x, co), event_id(w));
}

/* A record tells which write gave E, a load of a part of its location, the bytes. In the graph it
 * reads a younger one if that wrote other parts only: under sc the youngest, else the oldest that
 * coherence leaves. */
static EventId source_in_location(const Event *e, EventId given)
{
    const Location *x = &locations[e->location];
    int p = 0;
    while (given && p < x->writes - 1 && x->co[p] != given)
        p++;
    int most =
        model_is_interleaved(options.model) ? x->writes - 1 : graph_lower_bound(x, &e->hb, e);
    while (p < most && !(event_bytes(&pool[x->co[p + 1]]) & event_bytes(e)))
        p++;
    return x->co[p];
}

static Event *perform_read(int t, const GuidedStep *step)
{
    if (request.kind == REQUEST_AWAIT && request.test == AWAIT_TURN &&
        operations_turn_count((int64_t)step->expected) ==
            operations_turn_count((int64_t)request.expected))
        request.expected = step->expected;
    Event *e = explore_add_access(t, EVENT_READ);
    graph_add_read(&locations[e->location], event_id(e));
    e->spurious = step->fails;
    bool looks_through = e->part && !e->rmw;
    graph_set_rf(e, looks_through ? source_in_location(e, step->read_from) : step->read_from);
    explore_check_read(e);
    if (e->request == REQUEST_AWAIT && !operations_goes_on((AwaitTest)e->test) &&
        !graph_test_holds(e)) {
        e->waits = WAITS_BLOCKED;
        e->wait_from = e->index;
        threads_waiting |= thread_bit(t);
    }
    return e;
}

/* A store to a part of a block: what lies below it is there already. */
static Event *perform_merge(int t, const GuidedStep *step)
{
    Event *e = explore_add_access(t, EVENT_READ);
    Location *x = &locations[e->location];
    graph_add_read(x, event_id(e));
    graph_set_rf(e, x->co[place_of(x, step->co) - 1]);
    explore_check_read(e);
    Event *w = explore_add_rmw_write(e);
    graph_set_release(w, e);
    place(w, step->co);
    return w;
}

/* T chooses whether a wait times out, and did not do so when it was explored: threads that wait are
 * moved (op_knows_moves). */
static void skip_choice(int t)
{
    facts_add(FACT_moves, 0, 1);
    reply.value = 0;
    asked[t] = false;
    fiber_resume(t);
    threads[t].pending = request;
    asked[t] = true;
}

Event *guided_step(const GuidedStep *step)
{
    int t = step->thread;
    if (!(threads_created >> t & 1))
        return differs("it is not created", t);
    if (step->kind == EVENT_WRITE && threads[t].count && last_event(t)->kind == EVENT_READ &&
        last_event(t)->rmw && !last_event(t)->merge) { /* second half of a read-modify-write */
        Event *w = explore_add_rmw_write(last_event(t));
        graph_set_release(w, thread_event(t, w->index - 1));
        place(w, step->co);
        return w;
    }
    /* resumed, it would go on as if it had got what it waits for */
    if (threads[t].count && last_event(t)->kind == EVENT_READ &&
        last_event(t)->waits == WAITS_BLOCKED)
        return differs("it waits", t);
    ask(t, false);
    if (request.kind == REQUEST_CHOOSE && request.test == CHOICE_TIMES_OUT &&
        step->kind != EVENT_CHOOSE)
        skip_choice(t);
    if (kind_of(&request) != step->kind)
        return differs("another kind of step", t);
    if (IS_ACCESS(step->kind) &&
        (uintptr_t)request.address + block_part_offset(request.part) != step->address)
        return differs("it accesses another place", t);
    asked[t] = false;
    if (request.merge)
        return perform_merge(t, step);
    switch (step->kind) {
    case EVENT_READ:
        return perform_read(t, step);
    case EVENT_WRITE: {
        Event *w = explore_add_access(t, EVENT_WRITE);
        graph_set_release(w, NULL);
        place(w, step->co);
        return w;
    }
    case EVENT_CREATE:
        if (step->child >= MAX_THREADS || threads_created >> step->child & 1)
            return differs("it creates another thread", t);
        return explore_add_other(t, (uint64_t)step->child + 1);
    default:
        return explore_add_other(t, step->value);
    }
}

void guided_run_on(int t)
{
    ask(t, true);
    threads[t].live = LIVE_PENDING; /* a record of the replay says the same of it */
}

void guided_finish(int t)
{
    ask(t, false);
    explore_check_access(t);
}

/* ---- deadlocks ---- */

/* The locks that a thread has taken since it was asked for the first time: only to look, if it
 * gives them all back as they were (waiting/sections.c). */
typedef struct Taken {
    const void *word[8];
    uint64_t value[8];
    int count;
} Taken;

/* Answers Q, a request to take a lock that is free now or to give it back as it was. (One that
 * changes nothing is no lock's: endless_answer_last comes first.) */
static bool answer_lock(const Request *q, Taken *taken)
{
    LocationId l = graph_find_location(q->address);
    const Location *x = l ? &locations[l] : NULL;
    if (!x || q->part || q->plain || q->size >= 16)
        return false;
    uint64_t last = write_value(x->co[x->writes - 1], x);
    int i = 0;
    while (i < taken->count && taken->word[i] != q->address)
        i++;
    bool is_swap = q->kind == REQUEST_RMW && q->op == RMW_EXCHANGE && !q->merge;
    bool is_try = is_swap || (q->kind == REQUEST_CAS && q->expected == last);
    bool is_await = q->kind == REQUEST_AWAIT && (q->op == RMW_EXCHANGE || q->op == RMW_ADD);
    Event probe = {.size = q->size, .test = q->test, .expected = q->expected};
    if (is_try || (is_await && graph_test_holds_for(&probe, last, 0))) {
        if (i < taken->count || taken->count == COUNT_OF(taken->word))
            return false;
        taken->word[taken->count] = q->address;
        taken->value[taken->count++] = last;
        reply.value = last;
        reply.success = true;
        return true;
    }
    if (i == taken->count)
        return false;
    bool is_store = q->kind == REQUEST_STORE && q->operand == taken->value[i];
    if (!is_store && !(q->kind == REQUEST_RMW && q->op == RMW_SUB && q->operand == 1))
        return false;
    reply.value = taken->value[i] + 1;
    taken->word[i] = taken->word[--taken->count];
    taken->value[i] = taken->value[taken->count];
    return true;
}

/* A wait that nobody ends times out. */
static bool answer_time_out(const Request *q)
{
    bool times_out = q->kind == REQUEST_CHOOSE && q->test == CHOICE_TIMES_OUT;
    if (times_out)
        reply.value = 1;
    return times_out;
}

static bool goes_round(int t)
{
    enum { ROUNDS = 200 };
    Taken taken = {.count = 0};
    static char *copies[ROUNDS];
    static size_t bytes[ROUNDS];
    static Request requests[ROUNDS];
    for (int round = 0; round < ROUNDS; round++) {
        ask(t, false);
        size_t count = (size_t)(fibers[t].base - (char *)fibers[t].sp);
        for (int i = 0; i < round; i++)
            if (!taken.count && bytes[i] == count && requests[i].kind == request.kind &&
                requests[i].address == request.address && requests[i].pc == request.pc &&
                !memcmp(copies[i], fibers[t].sp, count))
                return true;
        copies[round] = pages_alloc(count);
        memcpy(copies[round], fibers[t].sp, count);
        bytes[round] = count;
        requests[round] = request;
        bool holds = taken.count != 0;
        if (!answer_time_out(&request) && !endless_answer_last(&request) &&
            !answer_lock(&request, &taken))
            return false; /* it looks once more */
        if (holds)
            bytes[round] = 0; /* inside a section: that is no place to come back to */
        asked[t] = false;
        memset((char *)fibers[t].sp - 512, 0, 512);
        fiber_resume(t);
        if (request.kind == REQUEST_STOP)
            return false;
        threads[t].pending = request;
        asked[t] = true;
    }
    return false;
}

/* For the report: what T waits for. */
static void note_waiting(int t, uint8_t waits)
{
    threads_waiting |= thread_bit(t);
    if (!threads[t].count)
        return;
    Event *last = last_event(t);
    last->waits = waits;
    last->wait_from = last->index;
    while (last->wait_from && thread_event(t, last->wait_from)->kind != EVENT_READ)
        last->wait_from--;
}

/* E waits for its turn at a barrier, by the word of the record. Does it wait in vain: are there,
 * with all threads that wait so, too few arrivals to end the present round? */
static bool is_round_incomplete(const Event *e)
{
    uint32_t count = operations_turn_count((int64_t)e->expected);
    uint64_t arrived = (uint32_t)e->value % MAX(count, 1u);
    for (ThreadSet left = threads_created & ~threads_ended; left; left &= left - 1) {
        int t = thread_first(left);
        const Event *last = threads[t].count ? last_event(t) : NULL;
        arrived += last && last->kind == EVENT_READ && last->waits == WAITS_BLOCKED &&
                   last->test == AWAIT_TURN && last->location == e->location;
    }
    return arrived < count;
}

bool guided_is_stuck(void)
{
    for (ThreadSet left = threads_created & ~threads_ended; left; left &= left - 1) {
        int t = thread_first(left);
        if (threads[t].count && last_event(t)->kind == EVENT_READ &&
            last_event(t)->waits == WAITS_BLOCKED) {
            const Event *e = last_event(t);
            if (rf_position(e) != locations[e->location].writes - 1 ||
                (e->request == REQUEST_AWAIT && e->test == AWAIT_TURN && !is_round_incomplete(e)))
                return false;
            continue;
        }
        ask(t, false);
        if (request.kind == REQUEST_JOIN) {
            uint64_t child = request.operand;
            if (child < MAX_THREADS && thread_can_be_joined((int)child))
                return false;
            note_waiting(t, (uint8_t)(child + 1));
            continue;
        }
        if (!goes_round(t))
            return false;
        note_waiting(t, WAITS_BLOCKED);
    }
    return true;
}

/* ---- threads that loop ---- */

typedef enum WentOn { WENT_ON, WENT_WAITS, WENT_WRONG } WentOn;

/* T performs its next request: a read sees the last write, a write comes last. */
static WentOn go_on(int t)
{
    if (threads[t].count && last_event(t)->kind == EVENT_READ &&
        last_event(t)->waits == WAITS_BLOCKED)
        return WENT_WAITS;
    ask(t, false);
    const Request q = request;
    LocationId l = q.address ? graph_find_location(q.address) : 0;
    GuidedStep step = {.thread = t,
                       .kind = kind_of(&q),
                       .pc = (uintptr_t)q.pc,
                       .address = (uintptr_t)q.address + block_part_offset(q.part),
                       .co = INT32_MAX,
                       .expected = q.expected};
    if (step.kind == EVENT_JOIN && !thread_can_be_joined((int)q.operand)) {
        note_waiting(t, (uint8_t)(q.operand + 1));
        return WENT_WAITS;
    }
    bool times_out = step.kind == EVENT_CHOOSE && q.test == CHOICE_TIMES_OUT;
    if (step.kind == EVENT_CREATE || (step.kind == EVENT_CHOOSE && !times_out) || (q.address && !l))
        return WENT_WRONG; /* no loop on what is there */
    step.value = times_out;
    if (l)
        step.read_from = locations[l].co[locations[l].writes - 1];
    const Event *e = guided_step(&step);
    if (e && e->kind == EVENT_READ && e->rmw && !e->merge && e->waits != WAITS_BLOCKED) {
        step.kind = EVENT_WRITE;
        e = guided_step(&step);
    }
    return e ? WENT_ON : WENT_WRONG;
}

bool guided_loops_on(void)
{
    enum { ROUNDS = 64 };
    ThreadSet there = threads_created & ~threads_ended;
    bool any = false;
    for (int round = 0; round < ROUNDS; round++)
        for (ThreadSet left = there; left; left &= left - 1) {
            WentOn went = go_on(thread_first(left));
            any |= went == WENT_ON;
            if (went == WENT_WRONG || (there & threads_ended))
                return false;
        }
    return any;
}
