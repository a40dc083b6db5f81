#include "guest/entry/watched.h"
#include <string.h>
#include "guest/explore/memory/plain.h"
#include "guest/explore/memory/volatile.h"
#include "guest/explore/search/explore.h"
#include "guest/runtime/code.h"
#include "guest/runtime/fiber.h"

bool watched_is_announced(const void *address, size_t bytes)
{
    return deferred.kind != DEFERRED_LOAD && deferred.address &&
           (uintptr_t)address - (uintptr_t)deferred.address < deferred.size &&
           (uintptr_t)address + bytes <= (uintptr_t)deferred.address + deferred.size;
}

static bool is_own_stack(const void *address)
{
    const Fiber *self = &fibers[fiber_current];
    return (const char *)address >= self->limit && (const char *)address < self->base;
}

/* A hook has announced a store. Is it made already, though no other hook has come since? */
static bool is_stored(const LinkWatch *watch, uint64_t frame,
                      unsigned (*trapped)(const void *address))
{
    CodeBetween before =
        code_before(deferred.pc, (const void *)watch->address, is_own_stack(deferred.address),
                    is_own_stack((const void *)frame), trapped);
    if (before == CODE_UNKNOWN && !deferred_is_visible())
        op_unsupported("a store whose machine code is not understood, before another one that the "
                       "compiler does not announce");
    return before != CODE_NOTHING;
}

void watched_put_aside(const LinkWatch *watch, uint64_t frame,
                       unsigned (*trapped)(const void *address), DeferredAside *aside)
{
    if (!deferred.address || watch->foreign || watch->library)
        return;
    if (deferred.kind == DEFERRED_LOAD ? deferred_can_load_later()
                                       : !is_stored(watch, frame, trapped))
        deferred_put_aside(aside);
    else
        deferred_flush();
}

static void announce_access(const LinkWatch *watch, void *address, bool writes, const void *pc)
{
    if (watch->is_volatile && writes)
        volatile_write_shared(address, watch->bytes, pc);
    else if (watch->is_volatile)
        volatile_read_shared(address, watch->bytes, pc);
    else if (writes)
        op_plain_write(address, watch->bytes, pc);
    else
        op_plain_read(address, watch->bytes, pc);
}

/* A load and a store by one instruction. Where they are events, the load's value stands in memory
 * until the next hook (deferred.h), which is the store's: it is put there again. */
static void announce_update(const LinkWatch *watch, void *address, const void *pc)
{
    unsigned char loaded[64];
    announce_access(watch, address, false, pc);
    memcpy(loaded, address, watch->bytes);
    announce_access(watch, address, true, pc);
    if (deferred.address)
        memcpy(address, loaded, watch->bytes);
}

void watched_announce(const LinkWatch *watch, void *address, const void *pc)
{
    if (watch->writes == 2)
        announce_update(watch, address, pc);
    else
        announce_access(watch, address, watch->writes, pc);
}
