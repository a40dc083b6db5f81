/* submit.c: a request on its way from a thread to the explorer (guest/runtime/request.h). In a file
 * of its own, so that the compiler puts nothing into this function: a register that it saved would
 * stay in the thread's stack at every request, and tell states apart that are the same (scrub.h).
 */
#include "guest/explore/memory/blocks.h"
#include "guest/explore/memory/deferred.h"
#include "guest/explore/memory/memory.h"
#include "guest/explore/memory/route.h"
#include "guest/explore/memory/spin.h"
#include "guest/runtime/fiber.h"
#include "guest/runtime/request.h"

void request_submit(void)
{
    deferred_settle();
    request_count++;
    spin_note_request();
    request.part = request.merge = 0;
    if (UNLIKELY(blocks_asked))
        route_submit();
    else
        fiber_yield();
}

/* (It runs on the stack of the ghost, and keeps nothing there that does not follow from the read.)
 */
void memory_pause(const void *address, size_t bytes)
{
    request.kind = REQUEST_PAUSE;
    request.address = (void *)(uintptr_t)address;
    request.operand = bytes;
    fiber_yield();
}
