#include "guest/explore/memory/route.h"
#include <string.h>
#include "guest/explore/memory/blocks.h"
#include "guest/explore/memory/deferred.h"
#include "guest/explore/memory/divert.h"
#include "guest/explore/memory/locals.h"
#include "guest/explore/memory/memory.h"
#include "guest/explore/memory/shown.h"
#include "guest/runtime/fiber.h"
#include "guest/runtime/request.h"

/* Turns `request` into one for its block, if it lies in one and is smaller. (Kept apart: threads
 * that wait are compared by their stacks, and here are variables whose addresses are taken.) */
__attribute__((noinline)) static void widen(void)
{
    char *base;
    unsigned size, offset;
    request.part = request.merge = 0;
    if (request.kind < REQUEST_LOAD || request.kind > REQUEST_AWAIT ||
        !blocks_find(request.address, &base, &size) || request.size >= size)
        return;
    offset = (unsigned)((char *)request.address - base);
    if (offset + request.size > size) /* it reaches out of the block, which grows */
        return;
    request.part = block_part_make(offset, request.size);
    request.address = base;
    request.size = (uint8_t)size;
    if (request.kind == REQUEST_STORE) {
        request.kind = REQUEST_RMW;
        request.op = RMW_EXCHANGE;
        request.merge = 1;
    }
}

__attribute__((noinline)) static void submit_part(void)
{
    DEBUG_ASSERT(fiber_current >= 0);
    widen();
    uint8_t part = request.part;
    fiber_yield();
    if (part) {
        reply.value = block_part_value(part, reply.value, reply.value_high);
        reply.value_high = 0;
    }
}

/* ---- shown.h ---- */

/* Locations on the present thread's stack, in place of which it has another object by now: that
 * one's value becomes an event. Elsewhere two threads may be at it, and who wrote is not known.
 * Kept apart as widen is. */
__attribute__((noinline)) static void adopt_shown(char *start, char *end)
{
    DEBUG_ASSERT(shown_on && start < end);
    const Fiber *self = &fibers[fiber_current];
    Location *x;
    if (start < self->limit || start >= self->base)
        return;
    for (unsigned i = 0; (x = memory_location_with_events(start, end, i)); i++) {
        if (!shown_is_known(x) || !shown_is_stale(x))
            continue;
        Request later = request;
        deferred_submit(x->address, x->size, x->address, 1, request.pc);
        request = later;
    }
}

__attribute__((noinline)) static void submit_shown(void)
{
    bool access = request.kind >= REQUEST_LOAD && request.kind <= REQUEST_AWAIT;
    char *start = request.address, *end = start + (access ? request.size : 0);
    Location *x;
    if (access && !request.plain && !memory_ghost_runs())
        adopt_shown(start, end);
    submit_part();
    if (!access || memory_ghost_runs())
        return;
    for (unsigned i = 0; (x = memory_location_with_events(start, end, i)); i++)
        shown_put(x);
}

/* ---- locals.h ---- */

/* Makes stores of what the present thread has written to locations in [start, end). It is kept
 * apart, as write_back is: their copies would hide what submit_own reads of the stack
 * (tool/instrument/liveness/liveness.h). */
__attribute__((noinline)) static void adopt_own(char *start, char *end)
{
    DEBUG_ASSERT(locals_on && start < end);
    const Location *x;
    for (unsigned i = 0; (x = memory_location_with_events(start, end, i)); i++) {
        if (!locals_is_replaced(x))
            continue;
        Request later = request;
        deferred_submit(x->address, x->size, x->address, 1, request.pc);
        request = later;
    }
}

typedef struct Made { /* of a request: what memory needs of it when it is answered */
    char *address;
    uint64_t operand, operand_high;
    uint8_t kind, op, size;
} Made;

__attribute__((noinline)) static void write_back(const Made *made)
{
    uint64_t words[2] = {made->operand, made->operand_high};
    if (made->kind == REQUEST_LOAD || (made->kind == REQUEST_CAS && !reply.success) ||
        (made->kind == REQUEST_AWAIT && made->op == RMW_NONE))
        words[0] = reply.value, words[1] = reply.value_high;
    else if (made->kind == REQUEST_RMW || made->kind == REQUEST_AWAIT) {
        words[1] = made->size == 16 ? reply.value_high : 0;
        words[0] = graph_rmw_result(made->op, reply.value, made->operand, made->operand_high,
                                    made->size, &words[1]);
    }
    memcpy(made->address, words, made->size);
}

/* Kept apart: its frame is on the stack while others run. */
__attribute__((noinline)) static void submit_own(void)
{
    DEBUG_ASSERT(request.kind >= REQUEST_LOAD && request.kind <= REQUEST_AWAIT);
    char *at = request.address;
    Made made = {at, request.operand, request.operand_high, request.kind, request.op, request.size};
    if (request.plain != 1 && !memory_ghost_runs())
        adopt_own(at, at + request.size);
    submit_part();
    write_back(&made);
}

/* Other requests leave no frame behind: threads that wait are compared by their stacks. */
__attribute__((noinline)) static void submit_local(void)
{
    bool access = request.kind >= REQUEST_LOAD && request.kind <= REQUEST_AWAIT;
    if (access && locals_is_followed(request.address, request.size)) {
        submit_own();
        return;
    }
    if (access && fiber_of_stack(request.address) >= 0 && !locals_is_own(request.address))
        memory_note_foreign(request.address, request.size);
    if (facts_met[FACT_blocks])
        submit_part();
    else
        fiber_yield();
}

void route_submit(void)
{
    if (memory_divert) /* memory itself holds every byte: there are no locations */
        fiber_yield();
    else if (shown_on)
        submit_shown();
    else if (locals_on)
        submit_local();
    else
        submit_part();
}
