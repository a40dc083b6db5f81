#include "explore/checkpoint.h"
#include <string.h>
#include "base/vec.h"
#include "explore/finding.h"
#include "explore/memory.h"
#include "explore/scrub.h"
#include "explore/undo.h"
#include "runtime/deferred.h"
#include "runtime/fiber.h"
#include "runtime/heap.h"
#include "runtime/image.h"
#include "runtime/pages.h"

#define SNAPSHOT_BYTES (UINT32_C(1) << 31)
/* Slots of a frame that were not written yet must not differ between two runs that reach the same
 * state (waiting.c compares stacks), so a little below the stack pointer is cleared. */
#define CLEARED_BELOW 512

char *snapshot_buffer;
uint32_t snapshot_top;
uint64_t checkpoint_restores;

void checkpoint_setup(void)
{
    snapshot_buffer = pages_reserve(SNAPSHOT_BYTES);
}

void checkpoint_reset(void)
{
    snapshot_top = 0;
}

void checkpoint_save(Event *e)
{
    const Fiber *fiber = &fibers[e->thread];
    e->heap_used = heap_cursor[e->thread].used;
    e->heap_count = heap_cursor[e->thread].count;
    e->log_position = undo_count;
    if (!options.checkpoints)
        return;
    uint32_t bytes = (uint32_t)(fiber->base - (char *)fiber->sp);
    if (UNLIKELY(snapshot_top + (uint64_t)bytes + 64 >= SNAPSHOT_BYTES))
        op_unsupported("the stacks of one execution need more than %u MB of checkpoints",
                       SNAPSHOT_BYTES >> 20);
    e->snapshot = snapshot_top;
    e->snapshot_bytes = bytes;
    memcpy(snapshot_buffer + snapshot_top, fiber->sp, bytes);
    snapshot_top += (bytes + 15) & ~15u;
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
        reply.value = end->value;
        break;
    }
    case EVENT_CHOOSE:
        reply.value = e->value;
        break;
    default:
        break;
    }
}

/* Bytes that other threads wrote into T's stack since the snapshot of E: they survive its restore. */
static void restore_stack(int t, const Event *e)
{
    typedef struct Kept {
        void *address;
        uint64_t bytes;
        unsigned size;
    } Kept;
    static Vec(Kept) kept;
    Fiber *fiber = &fibers[t];
    fiber->sp = fiber->base - e->snapshot_bytes;
    vec_clear(&kept);
    if (UNLIKELY(memory_stack_written >> t & 1))
        for (uint32_t i = e->log_position; i < undo_count; i++) {
            const LogEntry *entry = &undo_log[i];
            if (entry->dead || entry->kind == LOG_READ || entry->thread == t ||
                (char *)entry->address < (char *)fiber->sp || (char *)entry->address >= fiber->base)
                continue;
            Kept k = {entry->address, 0, entry->size};
            memcpy(&k.bytes, entry->address, entry->size);
            vec_push(&kept, k);
        }
    memcpy(fiber->sp, snapshot_buffer + e->snapshot, e->snapshot_bytes);
    for (size_t i = 0; i < kept.count; i++)
        memcpy(kept.at[i].address, &kept.at[i].bytes, kept.at[i].size);
}

void checkpoint_resume(int t)
{
    Thread *thread = &threads[t];
    if (thread->live == LIVE_PENDING) {
        thread->live = LIVE_YES;
        request = thread->pending;
        return;
    }
    if (thread->live == LIVE_NO) {
        checkpoint_restores++;
        if (!thread->count) {
            fiber_restart(t);
            heap_cursor[t] = (HeapCursor){0, 0};
        } else {
            const Event *e = last_event(t);
            restore_stack(t, e);
            heap_cursor[t] = (HeapCursor){e->heap_used, e->heap_count};
        }
        thread->live = LIVE_YES;
    }
    if (thread->count)
        checkpoint_answer(last_event(t));
    memset((char *)fibers[t].sp - CLEARED_BELOW, 0, CLEARED_BELOW);
    fiber_resume(t);
    if (UNLIKELY(scrub_torture) && request.kind != REQUEST_STOP)
        scrub_spoil(t);
}

/* ---- re-execution ---- */

static int replayed[MAX_THREADS];

/* Runs thread T until its first COUNT events are answered, and before each read the thread it read
 * from up to that write: an order that respects program order and reads-from, in which every plain
 * read of a race-free program sees the same value again. The recursion ends since porf is acyclic. */
static void replay_to(int t, int count)
{
    while (replayed[t] < count) {
        int i = replayed[t];
        if (i == 0) {
            if (t)
                replay_to(pool[threads[t].create].thread, pool[threads[t].create].index + 1);
            fiber_restart(t);
            heap_cursor[t] = (HeapCursor){0, 0};
        }
        Event *e = thread_event(t, i);
        if (e->kind == EVENT_READ && e->rf)
            replay_to(pool[e->rf].thread, pool[e->rf].index + 1);
        if (e->kind == EVENT_JOIN)
            replay_to((int)e->other, threads[e->other].count);
        /* to the request of event i: answered with the event before it */
        if (i)
            checkpoint_answer(thread_event(t, i - 1));
        int saved = threads[t].count;
        threads[t].count = i; /* plain accesses on the way belong to this position */
        fiber_resume(t);
        threads[t].count = saved;
        if (request.kind == REQUEST_STOP)
            longjmp(finding_jump, 1);
        replayed[t] = i + 1 + (e->kind == EVENT_READ && e->rmw);
    }
}

void checkpoint_replay_all(void)
{
    image_restore();
    heap_restart();
    fiber_reset_storage();
    deferred.address = NULL;
    memory_reset();
    undo_count = 0;
    memset(replayed, 0, sizeof replayed);
    for (uint32_t left = threads_created; left; left &= left - 1) {
        int t = __builtin_ctz(left);
        threads[t].live = LIVE_NO;
        if (!threads[t].count) {
            fiber_restart(t);
            heap_cursor[t] = (HeapCursor){0, 0};
        }
        replay_to(t, threads[t].count);
        threads[t].live = LIVE_YES;
    }
}
