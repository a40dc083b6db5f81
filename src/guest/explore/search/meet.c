/* meet.c: one kind of request after the other becomes an event. */
#include "guest/explore/search/meet.h"
#include "guest/explore/search/checkpoint.h"
#include "guest/explore/search/explore.h"
#include "guest/explore/search/frames.h"
#include "guest/explore/memory/cells.h"
#include "guest/explore/memory/heap.h"
#include "guest/explore/memory/memory.h"
#include "guest/explore/memory/undo.h"
#include "guest/explore/search/blocked.h"
#include "guest/explore/search/rules.h"
#include "guest/explore/search/way.h"
#include "guest/runtime/fiber.h"
#include "guest/runtime/mappings.h"

static void fill_access(Event *e, LocationId l)
{
    DEBUG_ASSERT(l && l <= location_count);
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
    graphs.any_sc |= sc;
    if (!sc || (q->kind == REQUEST_CAS && q->failure_order != ORDER_SEQ_CST))
        graphs.any_not_sc = true;
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
    else if (UNLIKELY(fiber_near_storage(address) ||
                      (fiber_of_stack(address) >= 0 && fiber_of_stack(address) != t)))
        memory_check_storage(address, size, writes, request.pc);
    else if (UNLIKELY(mappings_gone_count))
        memory_check_mapped(address, size, writes, request.pc);
    LocationId l = graph_location(request.address, request.size, t);
    rules_location(t, &locations[l]);
    if (request.kind == REQUEST_STORE) {
        if (UNLIKELY(memory_is_used_plainly(&locations[l])) && looks_for_races(request.plain))
            memory_check_atomic(&locations[l], 0, graph_tip(t), t, true, request.pc);
    } else {
        check_before_read(t, l);
    }
    if (writes && in_heap(address) && UNLIKELY(!heap_is_of(address, t))) /* no access races */
        memory_check_allocation(address, graph_tip(t), t, request.pc, writes);
    note_order(&request);
    return l;
}

/* READ has these INITIAL bytes of the heap; or perhaps it RACES. */
static __attribute__((noinline)) void check_read(const Event *read, unsigned initial, bool races)
{
    if (UNLIKELY(checkpoints.outdated)) {
        checkpoint_put_off(read);
        return;
    }
    int self = findings.self; /* of a revisit: the thread that wrote */
    findings.self = read->thread;
    if (initial)
        memory_check_initialised(read, initial);
    findings.event = event_id(read); /* a race: its partner may have run on behind its last event */
    if (races)
        memory_check_atomic(&locations[read->location], read->part, &read->hb, read->thread,
                            read->rmw, (const void *)(uintptr_t)read->pc);
    findings.self = self;
    findings.event = 0;
}

void explore_check_read(const Event *read)
{
    DEBUG_ASSERT(read->kind == EVENT_READ);
    const Location *x = &locations[read->location];
    bool races = memory_is_used_plainly(x) && looks_for_races(read->plain);
    bool is_written = !read->part && read->rf && !pool[read->rf].part;
    unsigned initial =
        LIKELY(is_written) || read->merge || !in_heap(x->address) ? 0 : graph_initial_bytes(read);
    if (UNLIKELY(initial || races))
        check_read(read, initial, races);
}

Event *explore_add_access(int t, EventKind kind)
{
    DEBUG_ASSERT(kind == EVENT_READ || kind == EVENT_WRITE);
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

static Met wait_with_request(int t, uint8_t waits);

static Event *add_read(int t)
{
    Event *read = explore_add_access(t, EVENT_READ);
    rules_read(read);
    return read;
}

static Met meet_confirming(int t, const Event *first)
{
    int from = first->index;
    switch (frames_confirm(add_read(t), first)) {
    case CONFIRM_ON:
        return MET_ON;
    case CONFIRM_WAITS:
        return blocked_enter(t, from) ? wait_with_request(t, WAITS_BLOCKED) : MET_BACKTRACK;
    default:
        return MET_BACKTRACK;
    }
}

static Met meet_read(int t)
{
    ReadPlan plan = {.confirms = NULL, .returns = false, .dooms_from = -1};
    if (UNLIKELY(rules.plan[0] != NULL) && threads[t].count && rules_plan(t, &plan))
        return meet_confirming(t, plan.confirms);
    Event *read = add_read(t);
    read->returns = plan.returns;
    if (UNLIKELY(plan.dooms_from >= 0)) {
        read->dooms = 1;
        read->wait_from = (EventIndex)plan.dooms_from;
    }
    return frames_read(read) ? MET_ON : MET_BACKTRACK;
}

static Met meet_store(int t)
{
    return frames_write(explore_add_access(t, EVENT_WRITE), NULL) ? MET_ON : MET_BACKTRACK;
}

void explore_check_access(int t)
{
    if (request.kind >= REQUEST_LOAD && request.kind <= REQUEST_AWAIT)
        enter_location(t, request.kind != REQUEST_LOAD && request.kind != REQUEST_AWAIT);
}

static Met meet_fence(int t)
{
    graphs.any_sc |= request.order == ORDER_SEQ_CST;
    bool first = request.order == ORDER_SEQ_CST && !graphs.any_sc_fence;
    graphs.any_sc_fence |= first;
    graphs.any_not_sc = true;
    rules_fence(first);
    Event *e = graph_add(t, EVENT_FENCE);
    e->order = request.order;
    e->request = request.kind;
    e->pc = (uintptr_t)request.pc;
    checkpoint_save(e);
    graph_set_fence(e);
    return MET_ON;
}

/* E begins a turn: it is ordered after the newest event. */
static void begin_turn(Event *e)
{
    e->operand = 0;
    if (!exploration.held || order_count < 2)
        return;
    e->operand = order[order_count - 2];
    graph_come_after(e, &pool[e->operand]);
}

static Event *add_choice(int t)
{
    Event *e = graph_add(t, EVENT_CHOOSE);
    e->request = request.kind;
    e->other = (uint32_t)request.operand;
    e->expected = request.expected;
    e->test = request.test;
    e->operand = 0;
    if (request.expected)
        begin_turn(e);
    e->pc = (uintptr_t)request.pc;
    checkpoint_save(e);
    return e;
}

/* A thread whose assumption failed goes on only if one of its reads is revisited: as in
 * blocked_enter, its last read must have been added maximally for that. */
static bool is_given_up(int t)
{
    const Event *r = threads[t].count ? blocked_last_read(t) : NULL;
    return request.test == CHOICE_FAILS && r && !blocked_was_maximal(r);
}

static Met meet_choose(int t)
{
    if (is_given_up(t))
        return MET_BACKTRACK;
    Event *e = add_choice(t);
    if (e->other > 1)
        return frames_choose(e) ? MET_ON : MET_BACKTRACK;
    e->value = 0;
    return MET_ON;
}

static Met meet_create(int t, int child)
{
    DEBUG_ASSERT(child > 0 && child < MAX_THREADS);
    if (UNLIKELY(child >= FEW_THREADS))
        facts_note(FACT_many_threads, 0, 1);
    bool alike = request.returns && t == 0 && rules_like_last(child);
    if (t == 0)
        rules_create(child);
    Event *e = graph_add(t, EVENT_CREATE);
    e->test = alike;
    e->expected = request.expected;
    e->request = request.kind;
    e->pc = (uintptr_t)request.pc;
    checkpoint_save(e);
    e->other = (uint32_t)child;
    rules_effect(e);
    e->value = (uintptr_t)request.function;
    threads_created |= thread_bit(child);
    graphs.threads_used = MAX(graphs.threads_used, child + 1);
    threads[child].count = 0;
    threads[child].live = LIVE_NO;
    threads[child].create = event_id(e);
    graph_sync_thread(child);
    e->operand = request.operand;
    fiber_begin(child, request.function, (void *)(uintptr_t)request.operand);
    return MET_ON;
}

/* The thread can't meet its request now; it keeps it. */
static Met wait_with_request(int t, uint8_t waits)
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
    return MET_WAITS;
}

static Met meet_join(int t)
{
    int child = (int)request.operand;
    if (child < 0 || child >= MAX_THREADS || !(threads_created >> child & 1))
        op_violation(VIOLATION_MISUSE, request.pc, "a thread that does not exist is joined");
    if (!thread_can_be_joined(child))
        return wait_with_request(t, (uint8_t)(child + 1));
    if (threads[t].count) /* it stays: when the join is taken back, T need not run to wait again */
        last_event(t)->waits = (uint8_t)(child + 1);
    threads_waiting &= ~thread_bit(t);
    Event *e = graph_add(t, EVENT_JOIN);
    e->request = request.kind;
    e->other = (uint32_t)child;
    e->test = request.returns;
    e->pc = (uintptr_t)request.pc;
    checkpoint_save(e);
    Event *end = last_event(child);
    end->other = event_id(e);
    graph_come_after(e, end);
    return MET_ON;
}

static Met meet_exit(int t)
{
    Event *e = graph_add(t, EVENT_END);
    e->request = request.kind;
    e->value = request.operand;
    e->success_order = request.ends_program;
    graphs.any_program_end |= t && request.ends_program;
    e->test = request.quiet;
    e->pc = (uintptr_t)request.pc;
    e->snapshot_bytes = 0;
    e->snapshot = checkpoints.top;
    e->log_position = undo_count;
    e->heap_used = heap_cursor[t].used;
    e->heap_count = heap_cursor[t].count;
    threads_ended |= thread_bit(t);
    return MET_WAITS;
}

static Met meet_mark(int t)
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
    return MET_ON;
}

bool explore_lacks_threads(void)
{
    return request.kind == REQUEST_CREATE && UNLIKELY(!~threads_created);
}

void explore_count_cut(void)
{
    if (explore_lacks_threads())
        exploration.threads_full = true;
    else
        exploration.cut_pc = (uintptr_t)request.pc;
    counts.cut += way_owns();
    if (search_hooks.cut)
        search_hooks.cut();
}

/* A thread that never comes to an end and can't be shown to wait: this execution is given up. */
void explore_give_up(int t)
{
    explore_count_cut();
    wait_with_request(t, WAITS_CUT);
}

/* Others run first; T can go on at any time. */
static Met meet_stall(int t)
{
    uint8_t waits = threads[t].count ? last_event(t)->waits : WAITS_NOT;
    wait_with_request(t, waits);
    graph_sync_thread(t);
    return MET_WAITS;
}

Met meet_request(int t)
{
    DEBUG_ASSERT(threads_created >> t & 1 && !(threads_ended >> t & 1));
    if (request.kind == REQUEST_STOP)
        longjmp(findings.jump, 1);
    rules_request(t);
    if (UNLIKELY(request.kind == REQUEST_STALL))
        return meet_stall(t);
    if (rules.round[0] && threads[t].count) {
        rules_before_round(t);
        int from = rules_round(t);
        if (from >= 0 && !rules_keeps_round(t, from))
            return blocked_enter(t, from) ? wait_with_request(t, WAITS_BLOCKED) : MET_BACKTRACK;
        rules_no_round(t);
    }
    if ((UNLIKELY(threads[t].count >= exploration.many_events) && rules_gives_up(t)) ||
        explore_lacks_threads()) {
        explore_give_up(t);
        return MET_WAITS;
    }
    if (UNLIKELY(rules.access[0] != NULL) && request_is_access(&request))
        rules_access(t);
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
        return meet_create(t, thread_first(~threads_created));
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
        meet_create(t, choice ? (int)choice - 1 : thread_first(~threads_created));
        break;
    case REQUEST_MARK:
        meet_mark(t);
        break;
    case REQUEST_JOIN:
        if (meet_join(t) == MET_WAITS)
            return NULL;
        break;
    default:
        meet_exit(t);
    }
    return last_event(t);
}
