#include "guest/explore/schedules/beginning.h"
#include <string.h>
#include "guest/explore/search/checkpoint.h"
#include "guest/explore/search/explore.h"
#include "guest/explore/memory/blocks.h"
#include "guest/explore/memory/deferred.h"
#include "guest/explore/memory/heap.h"
#include "guest/explore/memory/locals.h"
#include "guest/explore/memory/memory.h"
#include "guest/explore/memory/undo.h"
#include "guest/explore/reduce/rest.h"
#include "guest/explore/search/validate.h"
#include "guest/runtime/fiber.h"
#include "guest/runtime/request.h"

enum { MOST_STACK = 4096 }; /* bytes of a stack that is kept */

typedef struct KeptThread {
    Thread thread;
    HeapCursor heap;
    uint32_t bytes; /* of its stack */
    char stack[MOST_STACK];
} KeptThread;

static struct {
    bool is_noted;
    int events;
    EventId pool;
    uint32_t log, snapshots;
    uint64_t requests;
    bool any_sc, any_sc_fence, any_not_sc;
    int child;
    KeptThread kept[2]; /* main and the child */
} beginning;

void beginning_forget(void)
{
    beginning.is_noted = false;
}

static bool may_be_used(void)
{
    return options.checkpoints && !exploration.restarts && !locals_on && !facts_met[FACT_blocks] &&
           !graphs.validates;
}

/* Has main done nothing but what leaves no choice? */
static bool is_forced(void)
{
    for (int i = 0; i < threads[0].count; i++) {
        const Event *e = thread_event(0, i);
        if (e->kind == EVENT_CHOOSE || e->weak || e->waits != WAITS_NOT)
            return false;
    }
    return order_count == threads[0].count;
}

static bool keep(KeptThread *kept, int t)
{
    const Fiber *fiber = &fibers[t];
    size_t bytes = (size_t)(fiber->base - (char *)fiber->sp);
    if (threads[t].live != LIVE_PENDING || bytes > MOST_STACK)
        return false;
    kept->thread = threads[t];
    kept->heap = heap_cursor[t];
    kept->bytes = (uint32_t)bytes;
    memcpy(kept->stack, fiber->sp, bytes);
    return true;
}

void beginning_note(uint64_t requests)
{
    ThreadSet others = threads_created & ~(ThreadSet)1;
    beginning.child = thread_first(others);
    beginning.is_noted = may_be_used() && is_forced() && !(others & (others - 1)) &&
                         !undo_stack_written && !threads_ended && !threads_waiting &&
                         keep(&beginning.kept[0], 0) && keep(&beginning.kept[1], beginning.child);
    beginning.events = order_count;
    beginning.pool = pool_top;
    beginning.log = undo_count;
    beginning.snapshots = checkpoints.top;
    beginning.any_sc = graphs.any_sc;
    beginning.any_sc_fence = graphs.any_sc_fence;
    beginning.any_not_sc = graphs.any_not_sc;
    beginning.requests = requests;
}

static void put_back(const KeptThread *kept, int t)
{
    Fiber *fiber = &fibers[t];
    threads[t] = kept->thread;
    heap_cursor[t] = kept->heap;
    fiber->sp = fiber->base - kept->bytes;
    memcpy(fiber->sp, kept->stack, kept->bytes);
}

bool beginning_restore(void)
{
    if (!beginning.is_noted || !may_be_used())
        return false;
    deferred_abandon();
    exploration.completes = false;
    undo_to(beginning.log);
    graph_remove_last(beginning.events);
    pool_top = beginning.pool;
    checkpoints.top = beginning.snapshots;
    undo_stack_written = 0;
    memory_state.races_off = false;
    threads_waiting = threads_ended = 0;
    graphs.any_sc = beginning.any_sc;
    graphs.any_sc_fence = beginning.any_sc_fence;
    graphs.any_not_sc = beginning.any_not_sc;
    graphs.any_program_end = false;
    put_back(&beginning.kept[0], 0);
    put_back(&beginning.kept[1], beginning.child);
    request_count += beginning.requests;
    return true;
}
