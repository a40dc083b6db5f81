#include "guest/explore/search/checkpoint.h"
#include "guest/explore/search/ops.h"
#include <string.h>
#include "guest/explore/search/explore.h"
#include "guest/explore/graph/finding.h"
#include "guest/explore/memory/locals.h"
#include "guest/explore/memory/memory.h"
#include "guest/explore/memory/scrub.h"
#include "guest/explore/memory/undo.h"
#include "guest/explore/memory/deferred.h"
#include "guest/explore/memory/divert.h"
#include "guest/runtime/fiber.h"
#include "guest/explore/memory/heap.h"
#include "guest/runtime/image.h"
#include "guest/runtime/opaque.h"
#include "guest/runtime/pages.h"

#define SNAPSHOT_BYTES (UINT32_C(1) << 31)
CheckpointState checkpoints;

void checkpoint_setup(void)
{
    checkpoints.stacks = pages_reserve(SNAPSHOT_BYTES);
}

void checkpoint_reset(void)
{
    checkpoints.top = 0;
    checkpoints.outdated = false;
}

void checkpoint_save(Event *e)
{
    const Fiber *fiber = &fibers[e->thread];
    e->heap_used = heap_cursor[e->thread].used;
    e->heap_count = heap_cursor[e->thread].count;
    e->log_position = undo_count;
    if (UNLIKELY(graphs.pasts_on))
        pool_extra[event_id(e)].past = pasts[e->thread];
    if (!options.checkpoints && !checkpoint_is_compared())
        return;
    uint32_t bytes = (uint32_t)(fiber->base - (char *)fiber->sp);
    if (UNLIKELY(checkpoints.top + (uint64_t)bytes + 64 >= SNAPSHOT_BYTES))
        op_unsupported("the stacks of one execution need more than %u MB of checkpoints",
                       SNAPSHOT_BYTES >> 20);
    e->snapshot = checkpoints.top;
    e->snapshot_bytes = bytes;
    checkpoints.deepest = MAX(checkpoints.deepest, bytes);
    memcpy(checkpoints.stacks + checkpoints.top, fiber->sp, bytes);
    checkpoints.top += (bytes + 15) & ~15u;
}

void checkpoint_answer(const Event *e)
{
    switch (e->kind) {
    case EVENT_READ:
        reply.value = e->value;
        reply.success = e->rmw;
        if (UNLIKELY(e->size == 16))
            reply.value_high = pool_extra[event_id(e)].value_high;
        break;
    case EVENT_WRITE:
        if (e->rmw)
            checkpoint_answer(thread_event(e->thread, e->index - 1));
        break;
    case EVENT_CREATE:
        reply.value = e->other;
        break;
    case EVENT_JOIN: {
        const Event *end = last_event((int)e->other);
        reply.value = e->test ? end->value : 0;
        break;
    }
    case EVENT_CHOOSE:
        reply.value = e->value;
        break;
    default:
        break;
    }
}

/* ---- stacks that other threads write into ----
 * Bytes that others wrote into T's stack since a snapshot survive its restore. What they wrote is
 * taken from memory before T runs on: later T may have left the frame and used the place otherwise.
 * And since others read such a stack, it is restored at once, not when T runs next. */

static bool is_foreign(const LogEntry *entry, int t)
{
    return !entry->dead && entry->kind != LOG_READ && entry->thread != t &&
           (char *)entry->address >= fibers[t].limit && (char *)entry->address < fibers[t].base;
}

/* Returns what entry I wrote: the next write to the place replaced it, or it is still there. */
static uint64_t written_by(uint32_t i)
{
    const LogEntry *entry = &undo_log[i];
    for (uint32_t j = i + 1; j < undo_count; j++)
        if (undo_log[j].address == entry->address && !undo_log[j].dead &&
            undo_log[j].kind != LOG_READ)
            return undo_log[j].old;
    uint64_t value = 0;
    memcpy(&value, entry->address, entry->size);
    return value;
}

static void capture_foreign(int t)
{
    for (uint32_t i = MIN(threads[t].captured_to, undo_count); i < undo_count; i++) {
        LogEntry *entry = &undo_log[i];
        if (entry->captured || !is_foreign(entry, t))
            continue;
        entry->fresh = written_by(i);
        entry->captured = 1;
    }
    threads[t].captured_to = undo_count;
}

static void restart(int t)
{
    fiber_restart(t);
    heap_cursor[t] = (HeapCursor){0, 0};
    opaque_begin(t);
    threads[t].opaque_at = 0;
    rules_restart(t);
}

static void restore_stack(int t)
{
    Fiber *fiber = &fibers[t];
    threads[t].live = LIVE_YES;
    if (!threads[t].count) {
        restart(t);
        return;
    }
    const Event *e = last_event(t);
    if (UNLIKELY(graphs.pasts_on))
        pasts[t] = pasts_at(e);
    bool written = undo_stack_written >> t & 1;
    if (UNLIKELY(written))
        capture_foreign(t);
    heap_cursor[t] = (HeapCursor){e->heap_used, e->heap_count};
    fiber->sp = fiber->base - e->snapshot_bytes;
    memcpy(fiber->sp, checkpoints.stacks + e->snapshot, e->snapshot_bytes);
    if (UNLIKELY(written))
        for (uint32_t i = e->log_position; i < undo_count; i++)
            if (is_foreign(&undo_log[i], t) && (char *)undo_log[i].address >= (char *)fiber->sp)
                memcpy(undo_log[i].address, &undo_log[i].fresh, undo_log[i].size);
}

void checkpoint_restore_shared(void)
{
    for (ThreadSet left = facts_met[FACT_stacks_shared] & threads_created; left; left &= left - 1) {
        int t = thread_first(left);
        if (threads[t].live == LIVE_NO && options.checkpoints && !(threads_ended >> t & 1))
            restore_stack(t);
    }
}

bool checkpoint_prepare(int t)
{
    DEBUG_ASSERT(threads_created >> t & 1 && !(threads_ended >> t & 1));
    Thread *thread = &threads[t];
    if (thread->live == LIVE_PENDING) {
        thread->live = LIVE_YES;
        request = thread->pending;
        return UNLIKELY(request.kind == REQUEST_STALL); /* it goes on where it stalled */
    }
    if (thread->live == LIVE_NO)
        restore_stack(t);
    else if (UNLIKELY(undo_stack_written >> t & 1))
        capture_foreign(t);
    if (thread->count)
        checkpoint_answer(last_event(t));
    if (UNLIKELY(locals_on) && thread->count)
        locals_catch_up(last_event(t));
    thread->resumed_at = undo_count;
    return true;
}

/* ---- re-execution ---- */

static EventId put_off[MAX_THREADS]; /* the read of each thread that is to be checked, or 0 */

void checkpoint_put_off(const Event *read)
{
    DEBUG_ASSERT(read->kind == EVENT_READ && !options.checkpoints);
    put_off[read->thread] = event_id(read);
}

/* Checks the reads that were put off and have stayed in the graph: a later cut may have taken some
 * away. They are the newest of their threads, so that all accesses which others have made since
 * then are either before them or race. */
static void check_put_off(void)
{
    for (ThreadSet left = threads_created; left; left &= left - 1) {
        int t = thread_first(left);
        EventId id = put_off[t];
        put_off[t] = 0;
        if (!id || !threads[t].count)
            continue;
        const Event *last = last_event(t);
        if (last->kind == EVENT_WRITE && last->rmw)
            last = thread_event(t, last->index - 1);
        if (event_id(last) == id && last->kind == EVENT_READ)
            explore_check_read(last);
    }
}

static NORETURN void stop_replaying(void)
{
    graphs.replaying = false;
    longjmp(findings.jump, 1);
}

/* T has come again to the request of E: its stack and its place in the log, which was written in
 * another order, for waiting.c. */
static void arrive_again(int t, Event *e)
{
    DEBUG_ASSERT(graphs.replaying && e->thread == t);
    const Fiber *fiber = &fibers[t];
    bool access = IS_ACCESS(e->kind);
    bool same = request.kind == e->request &&
                (!access || request.address == locations[e->location].address);
    uint32_t bytes = (uint32_t)(fiber->base - (char *)fiber->sp);
    bool saved = checkpoint_is_compared() && e->kind != EVENT_END;
    if (!same || (saved && bytes != e->snapshot_bytes)) {
        graphs.replaying = false;
        op_unsupported(
            "thread %d does not repeat its steps when the program runs again: they depend "
            "on something outside of it (the time, files, the system)",
            t);
    }
    e->log_position = undo_count;
    if (saved)
        memcpy(checkpoints.stacks + e->snapshot, fiber->sp, bytes);
    if (e->kind == EVENT_READ && e->rmw)
        thread_event(t, e->index + 1)->log_position = undo_count;
}

/* Runs thread T until its first COUNT events are answered, and before each read the thread it read
 * from up to that write: an order that respects program order and reads-from, in which every plain
 * read of a race-free program sees the same value again. The recursion ends since porf is acyclic.
 */
static void replay_to(int t, int count)
{
    while (graphs.replayed[t] < count) {
        int i = graphs.replayed[t];
        if (i == 0) {
            if (t)
                replay_to(pool[threads[t].create].thread, pool[threads[t].create].index + 1);
            restart(t);
        }
        Event *e = thread_event(t, i);
        if (e->kind == EVENT_READ && e->rf)
            replay_to(pool[e->rf].thread, pool[e->rf].index + 1);
        if (e->kind == EVENT_JOIN)
            replay_to((int)e->other, threads[e->other].count);
        if ((e->kind == EVENT_MARK || e->kind == EVENT_CHOOSE) && e->operand)
            replay_to(pool[e->operand].thread, pool[e->operand].index + 1);
        /* to the request of event i: answered with the event before it */
        if (i)
            checkpoint_answer(thread_event(t, i - 1));
        if (UNLIKELY(locals_on) && i)
            locals_catch_up(thread_event(t, i - 1));
        int saved = threads[t].count;
        threads[t].count = i; /* plain accesses on the way belong to this position */
        checkpoint_run(t);
        threads[t].count = saved;
        if (request.kind == REQUEST_STOP)
            stop_replaying();
        arrive_again(t, e);
        graphs.replayed[t] = i + 1 + (e->kind == EVENT_READ && e->rmw);
    }
}

void checkpoint_replay_all(void)
{
    undo_to(0); /* the runtime's own tables; the rest is restored as a whole */
    image_restore();
    heap_restart();
    fiber_reset_storage();
    deferred.address = NULL;
    memory_reset();
    memset(graphs.replayed, 0, sizeof graphs.replayed);
    graphs.replaying = true;
    for (ThreadSet left = threads_created; left; left &= left - 1) {
        int t = thread_first(left);
        threads[t].live = LIVE_NO;
        if (!threads[t].count)
            restart(t);
        replay_to(t, threads[t].count);
        threads[t].live = LIVE_YES;
        if (!threads[t].count)
            threads_waiting &= ~thread_bit(t); /* it will ask again for what it waits for */
    }
    graphs.replaying = checkpoints.outdated = false;
    check_put_off();
}

void op_needs_replay(const char *why)
{
    if (ghost_runs()) { /* what the thread itself does not do is no reason */
        request.kind = REQUEST_STOP;
        fiber_abandon();
    }
    if (memory_divert)
        op_unsupported("%s: that leaves state behind which is no part of the program's memory, so "
                       "its states can't be explored",
                       why);
    opaque_note(NULL);
    if (!options.checkpoints)
        return;
    options.checkpoints = 0;
    facts_add(FACT_replayed, 0, 1);
    finding_restart();
}

bool op_thread_exists(unsigned thread)
{
    return graph_thread_exists(thread);
}

bool op_others_exist(void)
{
    return graph_others_exist();
}
