#include "guest/explore/memory/volatile.h"
#include <string.h>
#include "guest/explore/graph/facts.h"
#include "guest/explore/memory/deferred.h"
#include "guest/explore/memory/divert.h"
#include "guest/explore/memory/locals.h"
#include "guest/explore/memory/pieces.h"
#include "guest/explore/memory/plain.h"
#include "guest/runtime/fiber.h"

/* Is it the thread's own stack, at a place that no other thread has touched? */
static bool is_own_alone(const char *address, unsigned size)
{
    const Fiber *self = &fibers[fiber_current];
    return address >= self->limit && address < self->base &&
           (memory_divert || !(facts_met[FACT_stacks_shared] >> fiber_current & 1) ||
            !locals_is_foreign(address, size));
}

void volatile_read(void *address, unsigned size, const void *pc)
{
    if (is_own_alone(address, size))
        op_plain_read(address, size, pc);
    else
        volatile_read_shared(address, size, pc);
}

void volatile_write(void *address, unsigned size, const void *pc)
{
    if (is_own_alone(address, size))
        op_plain_write(address, size, pc);
    else
        volatile_write_shared(address, size, pc);
}

__attribute__((noinline)) static void read_for_copy(void *address, unsigned size, const void *pc)
{
    Deferred store = deferred;
    deferred.address = NULL;
    pieces_load(address, size, 2, pc);
    deferred_resume_copy(&store);
}

void volatile_read_shared(void *address, unsigned size, const void *pc)
{
    if (deferred_is_late(pc))
        read_for_copy(address, size, pc);
    else
        pieces_load(address, size, 2, pc);
}

void volatile_write_shared(void *address, unsigned size, const void *pc)
{
    if (deferred.address)
        deferred_flush();
    if (LIKELY(!pieces_loads_first(address, size, pc))) {
        deferred_store(DEFERRED_STORE, address, size, 2, pc);
        return;
    }
    pieces_load(address, size, 2, pc);
    uint64_t loaded = pieces_end_load(address, size);
    deferred_store(DEFERRED_STORE, address, size, 2, pc);
    memcpy(address, &loaded, size);
}
