/* explore.c: the loop. The present run goes on to its end, always with the same thread as long as
 * it can (lowest number first: main then joins as soon as it can); at the end the newest choice is
 * changed. See frames.h and revisit.h for what a choice is. */
#include "guest/explore/explore.h"
#include <stdio.h>
#include <string.h>
#include "guest/explore/schedules/ahead.h"
#include "guest/explore/schedules/bounded.h"
#include "guest/explore/checkpoint.h"
#include "guest/explore/confirm.h"
#include "guest/explore/endless.h"
#include "guest/explore/frames.h"
#include "guest/explore/memory/memory.h"
#include "guest/explore/schedules/preempt.h"
#include "guest/explore/revisit.h"
#include "guest/explore/spin.h"
#include "guest/explore/memory/undo.h"
#include "guest/explore/units.h"
#include "guest/explore/validate.h"
#include "guest/explore/values.h"
#include "guest/explore/waiting.h"
#include "guest/explore/workers.h"
#include "guest/explore/memory/deferred.h"
#include "guest/runtime/fiber.h"
#include "guest/explore/memory/heap.h"
#include "guest/runtime/image.h"
#include "guest/runtime/mappings.h"

typedef enum Step {
    STEP_BACKTRACK, /* no consistent way to meet the request */
    STEP_ON,        /* met; the same thread may go on */
    STEP_WAITS      /* the thread waits, or has ended: another one */
} Step;

ExploreCounts counts;
ExploreVisitor *explore_on_complete, *explore_on_stuck;
bool (*explore_poll)(void);
ThreadSet (*explore_held)(void);
bool explore_stopped;
unsigned explore_restarts;
int explore_floor;
uint64_t explore_cut_pc;
bool explore_threads_full, explore_parts_missing;

void explore_setup(const ExploreOptions *wanted)
{
    options = *wanted;
    if (!options.event_bound)
        options.event_bound = 8000;
    endless_setup();
    graph_setup();
    memory_setup();
    undo_setup();
    checkpoint_setup();
    revisit_setup();
    frames_setup();
    waiting_setup();
    values_setup();
}

void explore_begin(void)
{
    undo_to(0);
    if (!options.checkpoints || explore_restarts) {
        image_restore();
        heap_restart();
        fiber_reset_storage();
    }
    deferred.address = NULL;
    frame_count = 0;
    memory_reset();
    graph_reset();
    checkpoint_reset();
    memset(&counts, 0, sizeof counts);
    blocks_incomplete = false;
    heap_cursor[0] = (HeapCursor){0, 0};
}

/* ---- requests ---- */

static void fill_access(Event *e, LocationId l)
{
    e->location = l;
    e->size = request.size;
    e->request = request.kind;
    e->op = request.op;
    e->test = request.test;
    e->plain = request.plain;
    e->part = request.part;
    e->merge = request.merge;
    e->locked = (request.kind == REQUEST_STORE || request.merge) && request.locked;
    e->order = e->success_order = request.order;
    if (UNLIKELY(e->merge))
        e->order = ORDER_RELAXED;
    e->failure_order = request.failure_order;
    e->weak = request.kind == REQUEST_CAS && request.weak && options.weak_cas;
    e->operand = request.operand;
    e->expected = request.expected;
    e->pc = (uintptr_t)request.pc;
    EventExtra *extra = &pool_extra[event_id(e)];
    if (UNLIKELY(e->size == 16)) {
        extra->operand_high = request.operand_high;
        extra->expected_high = request.expected_high;
    }
    extra->object = request.kind == REQUEST_AWAIT ? request.object : NULL;
    extra->verb = request.kind == REQUEST_AWAIT ? request.verb : NULL;
}

static void note_order(const Request *q)
{
    bool sc = q->order == ORDER_SEQ_CST && !q->plain;
    graph_any_sc |= sc;
    graph_any_not_sc |= !sc || (q->kind == REQUEST_CAS && q->failure_order != ORDER_SEQ_CST);
}

/* Racing plain accesses that are explored as events (sc, tso) race with nothing. */
static bool looks_for_races(uint8_t plain)
{
    return plain != 1 || (model_forbids_races(options.model) && options.races != RACES_IGNORE);
}

/* Does thread T's next access, which reads, race with a plain access, whatever it reads from? It
 * does if that one is not in T's prefix: what is before either of the two is a consistent graph,
 * in which T can read the last write, and nothing then orders them. To say so at once matters
 * because the initial value of a location may be the one that the plain access wrote: no execution
 * has a read of it by T. */
static void check_before_read(int t, LocationId l)
{
    if (request.kind == REQUEST_AWAIT || !looks_for_races(request.plain) ||
        !model_forbids_races(options.model) || LIKELY(!memory_is_used_plainly(&locations[l])))
        return;
    const Clock *prefix = threads[t].count ? &last_event(t)->porf : &pool[threads[t].create].porf;
    memory_check_atomic(&locations[l], request.part, prefix, t, request.kind == REQUEST_RMW,
                        request.pc);
}

/* The checks that come before an access. Whether a read races with a plain access that is in its
 * prefix depends on what it reads from, since it may acquire: see explore_check_read. */
static LocationId enter_location(int t, bool writes)
{
    char *address = (char *)request.address + block_part_offset(request.part);
    unsigned size = block_part_size(request.part, request.size);
    if (in_heap(address))
        heap_check(address, size, writes, request.pc);
    else if (UNLIKELY(mappings_gone_count))
        memory_check_mapped(address, size, writes, request.pc);
    LocationId l = graph_location(request.address, request.size, t);
    if (request.kind == REQUEST_STORE && looks_for_races(request.plain))
        memory_check_atomic(&locations[l], 0, graph_tip(t), t, true, request.pc);
    else
        check_before_read(t, l);
    note_order(&request);
    return l;
}

void explore_check_read(const Event *read)
{
    bool races = looks_for_races(read->plain) && memory_is_used_plainly(&locations[read->location]);
    unsigned initial = LIKELY(!read->part && read->rf && !pool[read->rf].part) || read->merge
                           ? 0
                           : graph_initial_bytes(read);
    if (LIKELY(!initial && !races))
        return;
    int self = finding_self; /* of a revisit: the thread that wrote */
    finding_self = read->thread;
    if (initial)
        memory_check_initialised(read, initial);
    finding_event = event_id(read); /* a race: its partner may have run on behind its last event */
    if (races)
        memory_check_atomic(&locations[read->location], read->part, &read->hb, read->thread,
                            read->rmw, (const void *)(uintptr_t)read->pc);
    finding_self = self;
    finding_event = 0;
}

Event *explore_add_access(int t, EventKind kind)
{
    LocationId l = enter_location(t, request.kind != REQUEST_LOAD && request.kind != REQUEST_AWAIT);
    Event *e = graph_add(t, kind);
    fill_access(e, l);
    if (kind == EVENT_WRITE) {
        e->value = request.operand;
        pool_extra[event_id(e)].value_high = request.operand_high;
        if (e->size < 8)
            e->value &= (UINT64_C(1) << (8 * e->size)) - 1;
    }
    checkpoint_save(e);
    return e;
}

static Step wait_with_request(int t, uint8_t waits);

static Step meet_confirming(int t, const Event *first)
{
    int from = first->index;
    switch (frames_confirm(explore_add_access(t, EVENT_READ), first)) {
    case CONFIRM_ON:
        return STEP_ON;
    case CONFIRM_WAITS:
        return waiting_block(t, from) ? wait_with_request(t, WAITS_BLOCKED) : STEP_BACKTRACK;
    default:
        return STEP_BACKTRACK;
    }
}

static Step meet_read(int t)
{
    const Event *first = confirm_active && threads[t].count ? confirm_find(t) : NULL;
    if (UNLIKELY(first != NULL))
        return meet_confirming(t, first);
    return frames_read(explore_add_access(t, EVENT_READ)) ? STEP_ON : STEP_BACKTRACK;
}

static Step meet_store(int t)
{
    return frames_write(explore_add_access(t, EVENT_WRITE), NULL) ? STEP_ON : STEP_BACKTRACK;
}

void explore_check_access(int t)
{
    if (request.kind >= REQUEST_LOAD && request.kind <= REQUEST_AWAIT)
        enter_location(t, request.kind != REQUEST_LOAD && request.kind != REQUEST_AWAIT);
}

static Step meet_fence(int t)
{
    graph_any_sc |= request.order == ORDER_SEQ_CST;
    graph_any_sc_fence |= request.order == ORDER_SEQ_CST;
    graph_any_not_sc = true;
    Event *e = graph_add(t, EVENT_FENCE);
    e->order = request.order;
    e->request = request.kind;
    e->pc = (uintptr_t)request.pc;
    checkpoint_save(e);
    graph_set_fence(e);
    return STEP_ON;
}

/* E begins a turn: it is ordered after the newest event. */
static void begin_turn(Event *e)
{
    e->operand = 0;
    if (!explore_held || order_count < 2)
        return;
    e->operand = order[order_count - 2];
    clock_join(&e->porf, &pool[e->operand].porf);
    clock_join(&e->hb, &pool[e->operand].hb);
}

static Event *add_choice(int t)
{
    Event *e = graph_add(t, EVENT_CHOOSE);
    e->request = request.kind;
    e->other = (uint32_t)request.operand;
    e->expected = request.expected;
    e->operand = 0;
    if (request.expected)
        begin_turn(e);
    e->pc = (uintptr_t)request.pc;
    checkpoint_save(e);
    return e;
}

static Step meet_choose(int t)
{
    Event *e = add_choice(t);
    if (e->other > 1)
        return frames_choose(e) ? STEP_ON : STEP_BACKTRACK;
    e->value = 0;
    return STEP_ON;
}

static Step meet_create(int t)
{
    int child = thread_first(~threads_created);
    if (UNLIKELY(child >= FEW_THREADS) && !graph_many_threads) {
        graph_many_threads = true;
        finding_restart();
    }
    Event *e = graph_add(t, EVENT_CREATE);
    e->request = request.kind;
    e->pc = (uintptr_t)request.pc;
    checkpoint_save(e);
    e->other = (uint32_t)child;
    e->value = (uintptr_t)request.function;
    threads_created |= thread_bit(child);
    graph_threads_used = MAX(graph_threads_used, child + 1);
    threads[child].count = 0;
    threads[child].live = LIVE_NO;
    threads[child].ran = 0;
    threads[child].create = event_id(e);
    graph_sync_thread(child);
    fibers[child].function = request.function;
    fibers[child].argument = (void *)(uintptr_t)request.operand;
    return STEP_ON;
}

/* The thread can't meet its request now; it keeps it. */
static Step wait_with_request(int t, uint8_t waits)
{
    threads[t].pending = request;
    threads[t].live = LIVE_PENDING;
    threads_waiting |= thread_bit(t);
    uint32_t *pending = &threads[t].pending_from;
    if (threads[t].count) {
        last_event(t)->waits = waits;
        pending = &last_event(t)->pending_from;
    }
    if (undo_count > threads[t].resumed_at &&
        (!*pending || *pending > threads[t].resumed_at + 1)) /* an older value may be stale */
        *pending = threads[t].resumed_at + 1;
    return STEP_WAITS;
}

static Step meet_join(int t)
{
    int child = (int)request.operand;
    if (child < 0 || child >= MAX_THREADS || !(threads_created >> child & 1))
        op_violation(VIOLATION_MISUSE, request.pc, "a thread that does not exist is joined");
    if (!(threads_ended >> child & 1))
        return wait_with_request(t, (uint8_t)(child + 1));
    if (threads[t].count)
        last_event(t)->waits = WAITS_NOT;
    threads_waiting &= ~thread_bit(t);
    Event *e = graph_add(t, EVENT_JOIN);
    e->request = request.kind;
    e->other = (uint32_t)child;
    e->pc = (uintptr_t)request.pc;
    checkpoint_save(e);
    Event *end = last_event(child);
    end->other = event_id(e);
    clock_join(&e->porf, &end->porf);
    clock_join(&e->hb, &end->hb);
    return STEP_ON;
}

static Step meet_exit(int t)
{
    Event *e = graph_add(t, EVENT_END);
    e->request = request.kind;
    e->value = request.operand;
    e->success_order = request.ends_program;
    e->pc = 0;
    e->snapshot_bytes = 0;
    e->snapshot = snapshot_top;
    e->log_position = undo_count;
    e->heap_used = heap_cursor[t].used;
    e->heap_count = heap_cursor[t].count;
    threads_ended |= thread_bit(t);
    return STEP_WAITS;
}

static Step meet_mark(int t)
{
    Event *e = graph_add(t, EVENT_MARK);
    e->request = request.kind;
    e->other = (uint32_t)request.operand;
    e->test = request.returns;
    e->op = request.op;
    e->value = request.expected;
    begin_turn(e);
    e->pc = (uintptr_t)request.pc;
    checkpoint_save(e);
    return STEP_ON;
}

bool explore_lacks_threads(void)
{
    return request.kind == REQUEST_CREATE && UNLIKELY(!~threads_created);
}

void explore_count_cut(void)
{
    if (explore_lacks_threads())
        explore_threads_full = true;
    else
        explore_cut_pc = (uintptr_t)request.pc;
    counts.cut += units_owns();
}

void explore_note_missing(void)
{
    counts.cut += !blocks_incomplete && !options.schedules;
    blocks_incomplete = explore_parts_missing = true;
}

/* A thread that never comes to an end and can't be shown to wait: this execution is given up. */
void explore_give_up(int t)
{
    explore_count_cut();
    wait_with_request(t, WAITS_CUT);
}

static bool is_stalled(int t)
{
    return threads[t].live == LIVE_PENDING && threads[t].pending.kind == REQUEST_STALL;
}

/* Others run first; T can go on at any time. */
static Step meet_stall(int t)
{
    uint8_t waits = threads[t].count ? last_event(t)->waits : WAITS_NOT;
    wait_with_request(t, waits);
    graph_sync_thread(t);
    return STEP_WAITS;
}

/* The lowest of these threads, and one that stalls only if all of them do. */
static int next_thread(ThreadSet able)
{
    for (ThreadSet left = able; left; left &= left - 1)
        if (LIKELY(!is_stalled(thread_first(left))))
            return thread_first(left);
    return thread_first(able);
}

static Step meet(int t)
{
    if (request.kind == REQUEST_STOP)
        longjmp(finding_jump, 1);
    if (UNLIKELY(request.kind == REQUEST_STALL))
        return meet_stall(t);
    if (waiting_is_sought() && threads[t].count) {
        int from = waiting_detect(t);
        if (from >= 0)
            confirm_learn(t, from);
        if (from >= 0)
            return waiting_block(t, from) ? wait_with_request(t, WAITS_BLOCKED) : STEP_BACKTRACK;
    }
    if (endless_is(t) || explore_lacks_threads()) {
        explore_give_up(t);
        return STEP_WAITS;
    }
    switch (request.kind) {
    case REQUEST_LOAD:
    case REQUEST_RMW:
    case REQUEST_CAS:
    case REQUEST_AWAIT:
        return meet_read(t);
    case REQUEST_STORE:
        return meet_store(t);
    case REQUEST_FENCE:
        return meet_fence(t);
    case REQUEST_CHOOSE:
        return meet_choose(t);
    case REQUEST_CREATE:
        return meet_create(t);
    case REQUEST_JOIN:
        return meet_join(t);
    case REQUEST_MARK:
        return meet_mark(t);
    case REQUEST_EXIT:
        return meet_exit(t);
    default:
        assert_failed("a known request", __FILE__, __LINE__);
    }
}

Event *explore_add_other(int t, uint64_t choice)
{
    switch (request.kind) {
    case REQUEST_FENCE:
        meet_fence(t);
        break;
    case REQUEST_CHOOSE:
        add_choice(t)->value = choice;
        break;
    case REQUEST_CREATE:
        meet_create(t);
        break;
    case REQUEST_MARK:
        meet_mark(t);
        break;
    case REQUEST_JOIN:
        if (meet_join(t) == STEP_WAITS)
            return NULL;
        break;
    default:
        meet_exit(t);
    }
    return last_event(t);
}

/* ---- the loop ---- */

/* Returns the thread that T waits to join, or -1. */
static int joins(int t)
{
    uint8_t waits = threads[t].count ? last_event(t)->waits : WAITS_NOT;
    if (waits == WAITS_BLOCKED || waits == WAITS_CUT)
        return -1; /* its next request may be a join, but it does not get there */
    if (threads[t].live == LIVE_PENDING && threads[t].pending.kind == REQUEST_JOIN)
        return (int)threads[t].pending.operand;
    if (!threads[t].count)
        return -1;
    return waits >= 1 && waits <= MAX_THREADS ? waits - 1 : -1;
}

/* The threads that can take a step. */
static ThreadSet runnable(void)
{
    ThreadSet able = threads_created & ~threads_ended & ~threads_waiting;
    for (ThreadSet left = threads_created & ~threads_ended & threads_waiting; left;
         left &= left - 1) {
        int t = thread_first(left);
        int child = joins(t);
        if (child >= 0 && (threads_ended >> child & 1))
            able |= thread_bit(t);
    }
    return UNLIKELY(explore_held != NULL) ? able & ~explore_held() : able;
}

void explore_describe_deadlock(char *text, size_t bytes)
{
    char names[128] = "";
    size_t used = 0;
    ThreadSet waiting = threads_created & ~threads_ended;
    for (ThreadSet left = waiting; left && used < 100; left &= left - 1)
        used += (size_t)snprintf(names + used, sizeof names - used, "%s%d", used ? ", " : "",
                                 thread_first(left));
    bool several = (waiting & (waiting - 1)) != 0;
    snprintf(text, bytes, "thread%s %s wait%s for ever", several ? "s" : "", names,
             several ? "" : "s");
}

/* Does a thread that is stuck go round a loop, rather than wait in a call? */
static bool somebody_spins(void)
{
    for (ThreadSet left = threads_created & ~threads_ended; left; left &= left - 1) {
        int t = thread_first(left);
        const Event *last = threads[t].count ? last_event(t) : NULL;
        if (last && last->waits == WAITS_BLOCKED && last->request != REQUEST_AWAIT)
            return true;
    }
    return false;
}

static void report_deadlock(void)
{
    char text[256];
    explore_describe_deadlock(text, sizeof text);
    finding_self = -1;
    if (somebody_spins())
        op_violation(VIOLATION_LIVELOCK, NULL, "%s: what they look at in a loop never changes",
                     text);
    op_violation(VIOLATION_DEADLOCK, NULL, "%s", text);
}

static bool program_ended(void)
{
    for (ThreadSet left = threads_ended; left; left &= left - 1)
        if (last_event(thread_first(left))->success_order)
            return true;
    return false;
}

/* Nothing can run any more. When the program has ended, threads that still wait do not matter. */
static bool is_complete(void)
{
    return !(threads_created & ~threads_ended) || program_ended();
}

/* Does a thread wait in the runtime for what is already there? A read that waits is freed by the
 * revisit of the write that ends its wait, and by later ones. The branch in which it was not freed
 * yet serves these; it ends with a thread that waits for nothing: the beginning of an execution
 * that is counted elsewhere, not one that is blocked. (Never stuck: the read does not see the last
 * value.) */
static bool somebody_is_held_back(void)
{
    for (ThreadSet left = threads_created & ~threads_ended; left; left &= left - 1) {
        int t = thread_first(left);
        const Event *last = threads[t].count ? last_event(t) : NULL;
        if (!last || last->waits != WAITS_BLOCKED || last->request != REQUEST_AWAIT)
            continue;
        const Location *x = &locations[last->location];
        EventId newest = x->co[x->writes - 1];
        if (graph_test_holds_for(last, write_value(newest, x), graph_value_high(newest, x)))
            return true;
    }
    return false;
}

void explore_leaf(void)
{
    finding_self = -1; /* what is found now is no thread's doing */
    bool complete = is_complete();
    if (options.preemptions >= 0 && !bounded_active && (complete || waiting_is_stuck()) &&
        !preempt_within(options.preemptions)) {
        counts.left_out++;
        return;
    }
    if (UNLIKELY(validate_steps))
        model_validate();
    if (complete) {
        counts.executions++;
        if (explore_on_complete)
            explore_on_complete();
        return;
    }
    if (somebody_is_held_back()) {
        counts.dead_ends++;
        return;
    }
    counts.blocked++;
    if (waiting_is_stuck()) {
        counts.stuck++;
        if (explore_on_stuck)
            explore_on_stuck();
        else if (!options.keep_going)
            report_deadlock();
    }
}

static bool backtrack(void)
{
    if (!frames_backtrack(explore_floor))
        return false;
    if (UNLIKELY(validate_steps))
        validate_step();
    if (!options.checkpoints)
        checkpoint_replay_all();
    return true;
}

/* Is there a thread that nothing can free any more? */
static bool is_hopeless(void)
{
    for (ThreadSet left = threads_waiting & ~threads_ended; left; left &= left - 1) {
        int t = thread_first(left);
        if (threads[t].count && last_event(t)->waits == WAITS_BLOCKED &&
            waiting_is_hopeless(t, runnable()))
            return true;
    }
    return false;
}

/* After a step of a probe, or on the way to a unit: true if another thread is to be chosen, because
 * a frame was advanced more than once or the way is at its end. */
static bool follow_way(Step step, bool *over)
{
    *over = frames_draw && step == STEP_BACKTRACK; /* a probe ends there */
    if (frames_draw) {
        bool skipped = units_skipped;
        units_skipped = false;
        return *over || skipped;
    }
    if (units_arrived) {
        units_arrive();
        *over = !backtrack();
        return true;
    }
    if (step == STEP_BACKTRACK)
        units_refuse_way();
    if (!units_skipped)
        return false;
    units_skipped = false;
    if (!options.checkpoints)
        checkpoint_replay_all();
    return true;
}

/* At leaves, and now and then in long stretches without any: the tool must see progress, and be
 * heard. */
static bool is_stopped(void)
{
    if (explore_poll && explore_poll()) {
        units_stop();
        explore_stopped = true;
        return true;
    }
    return ahead_polls_left && --ahead_polls_left == 0 && ahead_look();
}

unsigned explore_poll_mask = 15;
static bool probe_is_complete; /* did the last leaf end an execution? */

static void search(void)
{
    static unsigned leaves; /* looking up costs more than a short execution: not at every one */
    int t = -1;
    bool is_lowest = true; /* T is, of the threads that can run (see confirm_next) */
    uint64_t cut_branches = 0;
    bool cuts = options.reductions && !options.follow_hopeless && !explore_held;
    spin_may_stall = options.checkpoints && !explore_held;
    for (;;) {
        ThreadSet able = t < 0 || !is_lowest ? runnable() : thread_bit(t);
        bool leaf = !able;
        if (UNLIKELY(units_replaying) && leaf)
            units_refuse_way();
        if (UNLIKELY(units_depth) && units_leave(leaf)) {
            if (!backtrack())
                return;
            t = -1;
            continue;
        }
        if (leaf || (cuts && threads_waiting && is_hopeless())) {
            uint64_t blocked = counts.blocked;
            probe_is_complete = leaf && is_complete();
            if (UNLIKELY(frames_draw != NULL))
                return;
            if (leaf)
                explore_leaf();
            if (counts.blocked > blocked)
                confirm_count_blocked();
            if ((++leaves & explore_poll_mask) == 0 && is_stopped())
                return;
            if (!backtrack())
                return;
            t = -1;
            continue;
        }
        if (confirm_active && (t < 0 || !is_lowest)) {
            t = confirm_next(able);
            if (t < 0 || is_stalled(t))
                t = next_thread(able);
            is_lowest = t == thread_first(able);
        }
        if (t < 0)
            t = next_thread(able);
        finding_self = t;
        threads[t].ran = frame_count;
        checkpoint_resume(t);
        Step step = meet(t);
        bool over;
        if (UNLIKELY(units_replaying || frames_draw) && follow_way(step, &over)) {
            if (over)
                return;
            t = -1;
            continue;
        }
        if (UNLIKELY(validate_steps) && step != STEP_BACKTRACK)
            validate_step();
        if (step == STEP_BACKTRACK) {
            if ((++cut_branches & 1023) == 0 && is_stopped())
                return;
            if (!backtrack())
                return;
            t = -1;
        } else if (step == STEP_WAITS || (threads_waiting >> t & 1) ||
                   (explore_held && request.kind == REQUEST_CHOOSE)) {
            t = -1;
        }
    }
}

bool explore_probe(void)
{
    ExploreCounts kept = counts;
    probe_is_complete = false;
    search();
    counts = kept;
    return probe_is_complete;
}

/* All units that there are for this process; BEGUN: the first is the whole, and has been taken. */
static void search_units(bool begun)
{
    if (!units_on() || !units_apply) {
        search();
        return;
    }
    while (!explore_stopped && (begun || units_begin())) {
        if (!units_find_depth(search))
            return;
        ExploreCounts sum = counts;
        explore_begin();
        explore_floor = 0;
        counts = sum;
        if (!begun)
            units_follow();
        begun = false;
        search();
        if (explore_stopped && units_abandon())
            continue;
        if (explore_stopped || options.check.enabled)
            return;
        units_finish();
    }
}

FindingKind explore_all(void)
{
    volatile bool begun = false;
    explore_restarts = 0;
    explore_floor = 0;
    explore_begin();
    confirm_begin(false);
    ahead_begin();
    if (setjmp(finding_jump)) {
        values_noted = false;
        if (finding.kind != FINDING_RESTART) {
            confirm_drop_phantoms();
            return finding.kind;
        }
        if (!workers_restart()) {
            explore_stopped = true;
            return FINDING_NONE;
        }
        explore_restarts++;
        explore_floor = 0;
        begun = units_restart();
        explore_begin();
        confirm_begin(true);
    }
    finding.kind = FINDING_NONE;
    bounded_active = bounded_applies();
    if (bounded_active)
        bounded_search();
    else
        search_units(begun);
    values_noted = false;
    if (!ahead_has_found())
        return FINDING_NONE;
    FindingKind kind = ahead_repeat();
    if (kind != FINDING_NONE)
        return kind;
    ahead_wanted = false; /* the program does not repeat its steps: explore it without looks */
    return explore_all();
}
