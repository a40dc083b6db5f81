#include "guest/explore/memory/returned.h"
#include <stdio.h>
#include <string.h>
#include "guest/explore/graph/finding.h"
#include "guest/explore/memory/divert.h"
#include "guest/explore/memory/locals.h"
#include "guest/explore/memory/memory.h"
#include "guest/explore/memory/write.h"
#include "guest/runtime/arch.h"
#include "guest/runtime/fiber.h"
#include "guest/runtime/opaque.h"

static struct {
    char *high;   /* what lies below is no variable; NULL: not known of anything */
    char *lowest; /* stack pointer of a function that was entered since `high` was set; or NULL */
} stacks[MAX_THREADS];

static bool is_off(void)
{
    return memory_state.races_off || memory_divert ||
           !(facts_met[FACT_stacks_shared] >> fiber_current & 1);
}

void returned_reset(void)
{
    memset(stacks, 0, sizeof stacks);
}

void returned_touch(char *address)
{
    if (UNLIKELY(stacks[fiber_current].high > address) && !is_off())
        op_set(stacks[fiber_current].high, address);
}

void returned_enter(char *sp)
{
    char *lowest = stacks[fiber_current].lowest;
    returned_touch(sp);
    if ((!lowest || sp < lowest) && !is_off())
        op_set(stacks[fiber_current].lowest, sp);
}

/* Is FRAME the frame pointer of a function that another one with a frame pointer has called, if the
 * stack pointer is SP? */
static bool is_frame_pointer(const char *sp, char *frame)
{
    const Fiber *self = &fibers[fiber_current];
    if (frame < sp || frame > self->base - 16 || (uintptr_t)frame & 7)
        return false;
    const char *outer = *(char **)(void *)frame;
    return outer > frame && outer < self->base &&
           !opaque_is_own_call(((const uint64_t *)(void *)frame)[1]);
}

void returned_leave(char *sp, char *frame, bool jumped, const void *pc)
{
    int t = fiber_current;
    if (is_off() || (!jumped && !is_frame_pointer(sp, frame)))
        return;
    char *high = sp, *low = stacks[t].lowest ? stacks[t].lowest : sp;
    if (!jumped && !arch_frame_end(pc, sp, frame, &high))
        op_unsupported_at(pc,
                          "the end of a function's frame, to which others have an address, is not "
                          "known");
    if (low < high)
        memory_check_free(low, (size_t)(high - low), t, pc);
    op_set(stacks[t].high, high);
    op_set(stacks[t].lowest, high);
}

void returned_check(const char *address, int owner, const void *pc)
{
    DEBUG_ASSERT(owner >= 0 && owner != fiber_current);
    if (memory_state.races_off || graphs.replaying || address >= stacks[owner].high)
        return;
    const Thread *thread = &threads[owner];
    if (thread->live != LIVE_PENDING && !thread->count)
        return;
    uint64_t at = thread->live == LIVE_PENDING ? (uintptr_t)thread->pending.pc
                                               : (uintptr_t)last_event(owner)->pc;
    const char *sp = locals_find_caller(owner, at);
    if (sp && address >= sp)
        return;
    char name[16] = "main";
    if (owner)
        snprintf(name, sizeof name, "T%d", owner);
    op_unsupported_at(pc, "a thread accesses a local variable of %s whose function has returned",
                      name);
}
