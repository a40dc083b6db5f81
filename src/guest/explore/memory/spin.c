#include "guest/explore/memory/spin.h"
#include <string.h>
#include "guest/explore/graph/finding.h"
#include "guest/explore/memory/memory.h"
#include "guest/runtime/arch.h"
#include "guest/runtime/fiber.h"
#include "guest/explore/memory/heap.h"
#include "guest/runtime/pages.h"
#include "guest/runtime/request.h"
#include "record/hooks.h"

enum {
    SPIN_PERIOD = 1 << 16,
    SPIN_PERIOD_TRACED = 1 << 8, /* every access becomes a part of the record */
    SPIN_LOOKS = 1 << 12,        /* the longest loop, in plain reads */
    SPIN_STALL = 16              /* periods without a request after which the thread stalls */
};

SpinState spin = {.next = SPIN_PERIOD, .period = SPIN_PERIOD};

static struct { /* the read to which the thread may come back */
    const void *address, *pc;
    const char *sp;
    size_t bytes; /* of its stack */
    uint64_t requests, writes;
    HeapCursor heap;
    int thread, looks; /* looks 0: none */
} seen;
static char *stack; /* as it was at that read */

void spin_begin(void)
{
    spin.period = hooks.spin_period > 0 ? (uint32_t)MIN(hooks.spin_period, SPIN_PERIOD)

                  : memory_undoes_nothing() ? SPIN_PERIOD_TRACED
                                            : SPIN_PERIOD;
    spin_note_request();
}

/* The next look comes after a whole period. */
static void rest(void)
{
    seen.looks = 0;
    spin.next = spin.reads + spin.period;
}

static void remember(const void *address, const void *pc, const char *sp)
{
    DEBUG_ASSERT(sp > fibers[fiber_current].limit && sp <= fibers[fiber_current].base);
    if (!stack)
        stack = pages_reserve(STACK_SLOT);
    seen.address = address;
    seen.pc = pc;
    seen.sp = sp;
    seen.bytes = (size_t)(fibers[fiber_current].base - sp);
    seen.requests = request_count;
    seen.writes = memory_state.writes;
    seen.heap = heap_cursor[fiber_current];
    seen.thread = fiber_current;
    seen.looks = SPIN_LOOKS;
    memcpy(stack, sp, seen.bytes);
}

static bool nothing_happened(void)
{
    return seen.thread == fiber_current && seen.requests == request_count &&
           seen.writes == memory_state.writes &&
           seen.heap.used == heap_cursor[fiber_current].used &&
           seen.heap.count == heap_cursor[fiber_current].count;
}

static void look(const void *address, size_t bytes, const void *pc, const char *sp)
{
    if (!seen.looks) {
        remember(address, pc, sp);
        spin.next = spin.reads + 1;
        return;
    }
    if (!--seen.looks) {
        rest();
        return;
    }
    spin.next = spin.reads + 1;
    if (address != seen.address || pc != seen.pc || sp != seen.sp || memcmp(stack, sp, seen.bytes))
        return;
    rest();
    if (memory_state.races_off) /* a ghost: it does not come to the request that it is asked for */
        finding_stop();
    if (memory_undoes_nothing())
        spin.in_replay = true;
    else
        memory_promote_read((char *)(uintptr_t)address, (unsigned)MIN(bytes, 8u));
    finding_restart();
}

/* The present thread has read a whole period without a request. */
static void count_period(void)
{
    static uint64_t requests;
    static int thread, periods;
    if (requests != request_count || thread != fiber_current)
        periods = 0;
    requests = request_count;
    thread = fiber_current;
    if (++periods < SPIN_STALL || !spin.may_stall || memory_state.races_off)
        return;
    periods = 0;
    Request later = request;
    request.kind = REQUEST_STALL;
    fiber_yield();
    request = later;
}

void spin_look(const void *address, size_t bytes, const void *pc)
{
    if (seen.looks && !nothing_happened())
        seen.looks = 0;
    if (!seen.looks)
        count_period();
    heddle__registers(address, bytes, pc, look);
}
