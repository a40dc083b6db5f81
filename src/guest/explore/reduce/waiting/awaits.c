/* awaits.c: loops that wait, where no reduction is wanted: a thread that has gone a round twice,
 * byte by byte, and has only read, waits. An execution in which it does so for ever has no end
 * otherwise.
 *
 * Nothing finite is left out: a thread in the same state with the same answers goes the same way,
 * so it is on the way to an execution that does not end, or some later read gets another value;
 * then that one frees it. Two rounds stay, so that what is accessed in one, with whatever the
 * thread does after it, is explored, too. This rests on no other rule, nor on what is known of
 * machine code. */
#include <string.h>
#include "guest/explore/memory/heap.h"
#include "guest/explore/memory/undo.h"
#include "guest/explore/reduce/waiting/waiting.h"
#include "guest/explore/search/ghost.h"
#include "guest/runtime/fiber.h"

enum { MOST_EVENTS = 256 }; /* that are looked at: a longer round is not recognised */

/* Is T's present request, with all of its state, that of its event E? */
static bool is_same_state(int t, const Event *e)
{
    const Fiber *fiber = &fibers[t];
    uint32_t bytes = (uint32_t)(fiber->base - (char *)fiber->sp);
    return e->pc == (uintptr_t)request.pc && e->snapshot_bytes == bytes &&
           ghost_same_request(&request, e) && e->heap_used == heap_cursor[t].used &&
           !memcmp(checkpoints.stacks + e->snapshot, fiber->sp, bytes) &&
           ghost_memory_unchanged(t, e->log_position);
}

static int find_round(int t)
{
    int last = -1, least = MAX(threads[t].opaque_at, threads[t].count - MOST_EVENTS);
    if (!waiting_is_read(request.kind))
        return -1;
    for (int i = threads[t].count - 1; i >= least && waiting_is_pure(t, i); i--) {
        const Event *e = thread_event(t, i);
        if (e->kind != EVENT_READ || !is_same_state(t, e))
            continue;
        if (last >= 0)
            return last;
        last = i;
    }
    return -1;
}

static bool may_wait(void)
{
    return !options.reductions && !options.no_awaits && checkpoint_is_compared();
}

/* Some thread has had many events: it may be in such a loop. (To compare stacks takes time, which
 * other programs are not asked for.) */
static bool look_from_now_on(int t)
{
    (void)t;
    if (may_wait() && waiting_is_read(request.kind))
        facts_note(FACT_awaits, 0, 1);
    return false;
}

static bool is_looked_for(void)
{
    return facts_met[FACT_awaits] && may_wait();
}

extern const Rule awaits_rule, awaits_noted_rule;
const Rule awaits_rule = {.active = is_looked_for, .round = find_round};
const Rule awaits_noted_rule = {.active = may_wait, .gives_up = look_from_now_on};
