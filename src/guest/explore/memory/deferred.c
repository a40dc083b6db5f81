#include "guest/explore/memory/deferred.h"
#include "guest/explore/graph/finding.h"
#include "guest/explore/memory/divert.h"
#include "guest/explore/memory/memory.h"
#include "guest/explore/memory/pieces.h"
#include "guest/explore/memory/blocks.h"
#include "guest/explore/memory/route.h"
#include <string.h>
#include "guest/runtime/code.h"
#include "guest/runtime/fiber.h"
#include "guest/runtime/request.h"

Deferred deferred, deferred_copy;
DeferredHook deferred_hook;
/* The bytes that memory held before; of use only between two hooks of one thread: never while
 * others run. */
static unsigned char before_load[DEFERRED_MOST], before_store[DEFERRED_MOST];

void deferred_store(DeferredKind kind, void *address, unsigned size, uint8_t plain, const void *pc)
{
    DEBUG_ASSERT(kind != DEFERRED_LOAD && !deferred.address &&
                 (kind == DEFERRED_RANGE || size <= DEFERRED_MOST));
    deferred = (Deferred){
        .address = address, .size = size, .kind = (uint8_t)kind, .plain = plain, .pc = pc};
    if (kind != DEFERRED_RANGE)
        memcpy(before_store, address, size);
}

void deferred_load(void *address, unsigned size, const void *values, bool partly)
{
    DEBUG_ASSERT(!deferred.address && size <= DEFERRED_MOST);
    deferred = (Deferred){.address = address, .size = size, .kind = DEFERRED_LOAD, .plain = partly};
    deferred_copy.address = NULL;
    memcpy(before_load, address, size);
    if (partly)
        pieces_copy_racing(address, address, values, size);
    else if (memcmp(address, values, size)) /* (it may be a constant, in memory that is closed) */
        memcpy(address, values, size);
}

void deferred_submit(void *address, unsigned size, const void *value, uint8_t plain, const void *pc)
{
    DEBUG_ASSERT(size && size <= 16);
    uint64_t words[2] = {0, 0};
    memcpy(words, value, size);
    request = (Request){.kind = REQUEST_STORE,
                        .order = ORDER_RELAXED,
                        .size = (uint8_t)size,
                        .plain = plain,
                        .address = address,
                        .operand = words[0],
                        .operand_high = words[1],
                        .pc = pc};
    if (UNLIKELY(blocks_asked))
        route_submit();
    else
        fiber_yield();
}

void deferred_submit_range(char *address, unsigned size, char *start, char *end, uint8_t plain,
                           const void *pc)
{
    char *base;
    unsigned block;
    if (!blocks_find(address, &base, &block) || (start <= address && end >= address + size)) {
        deferred_submit(address, size, address, plain, pc);
        return;
    }
    char *to = MIN(end, address + size);
    for (char *at = MAX(start, address); at < to; at += 8)
        deferred_submit(at, (unsigned)MIN(to - at, 8), at, plain, pc);
}

bool deferred_is_late(const void *pc)
{
    const Fiber *self = &fibers[fiber_current];
    char *to = deferred.address;
    if (!to || deferred.kind == DEFERRED_LOAD || deferred.made)
        return false;
    const char *rbp = deferred_hook.pc == pc ? deferred_hook.rbp : NULL;
    CodeBetween between = code_between(deferred.pc, pc, to >= self->limit && to < self->base,
                                       rbp >= self->limit && rbp < self->base);
    if (between == CODE_UNKNOWN)
        op_unsupported("a copy of a structure whose machine code is not understood");
    return between == CODE_NOTHING;
}

void deferred_resume_copy(const Deferred *store)
{
    DEBUG_ASSERT(store->address && store->kind != DEFERRED_LOAD);
    if (store->kind != DEFERRED_RANGE) /* others may have run, and have used before_store */
        memcpy(before_store, store->address, store->size);
    if (!deferred.address) { /* the load was no event */
        deferred = *store;
        return;
    }
    char *from = deferred.address, *to = store->address;
    if (from < to + store->size && to < from + deferred.size)
        op_unsupported("a structure is copied onto itself while others access it");
    deferred_copy = *store;
}

/* A plain write over atomic objects: memory keeps it. */
static void store_range(const Deferred *store)
{
    char *start = store->address, *address;
    unsigned size;
    for (unsigned i = 0; memory_location_in(start, start + store->size, i, &address, &size); i++)
        deferred_submit_range(address, size, start, start + store->size, store->plain, store->pc);
}

/* Kept off the way: its frame has the size of the store. */
__attribute__((noinline)) static void store_pieces(const Deferred *store)
{
    const Fiber *self = &fibers[fiber_current];
    if ((char *)__builtin_frame_address(0) - self->limit < (ptrdiff_t)store->size + 16384)
        op_unsupported(
            "a thread's stack is too small for a plain write of %u bytes of which a part "
            "races: use a larger one (--stack)",
            store->size);
    unsigned char *fresh = __builtin_alloca(store->size);
    memcpy(fresh, store->address, store->size);
    memcpy(store->address, before_store, store->size);
    pieces_store(store->address, store->size, fresh, store->pc);
}

/* Clears the stack below the caller's frame. */
__attribute__((noinline)) static void wipe_below(void)
{
    char area[1024];
    memset(area, 0, sizeof area);
    __asm__ volatile("" : : "r"(area) : "memory");
}

static inline void end_load(const Deferred *load)
{
    DEBUG_ASSERT(load->kind == DEFERRED_LOAD && load->size <= DEFERRED_MOST);
    if (UNLIKELY(load->plain))
        pieces_copy_racing(load->address, load->address, before_load, load->size);
    else if (memcmp(load->address, before_load, load->size))
        memcpy(load->address, before_load, load->size);
}

bool deferred_can_load_later(void)
{
    return !deferred_copy.address && deferred.size <= DEFERRED_ASIDE;
}

bool deferred_is_visible(void)
{
    return deferred.kind != DEFERRED_RANGE &&
           memcmp(deferred.address, before_store, deferred.size) != 0;
}

bool deferred_finds_the_same(void)
{
    return deferred.kind == DEFERRED_LOAD &&
           memcmp(deferred.address, before_load, deferred.size) == 0;
}

void deferred_put_aside(DeferredAside *aside)
{
    DEBUG_ASSERT(!deferred_copy.address || deferred.kind != DEFERRED_LOAD || !deferred.address);
    aside->what = deferred;
    if (deferred.kind == DEFERRED_LOAD) {
        memcpy(aside->values, deferred.address, deferred.size);
        end_load(&deferred);
    }
    deferred.address = NULL;
}

void deferred_take_up(const DeferredAside *aside)
{
    const Deferred *what = &aside->what;
    if (!what->address)
        return;
    deferred_settle();
    if (what->kind == DEFERRED_LOAD)
        deferred_load(what->address, what->size, aside->values, what->plain);
    else
        deferred_resume_copy(what);
}

void deferred_abandon(void)
{
    Deferred store = deferred;
    if (!deferred.address)
        return;
    if (deferred.kind == DEFERRED_LOAD) {
        end_load(&deferred);
        store = deferred_copy;
    }
    if (store.address && store.kind != DEFERRED_RANGE)
        memcpy(store.address, before_store, store.size);
    deferred.address = deferred_copy.address = NULL;
}

__attribute__((noinline)) static void flush(void)
{
    Deferred done = deferred;
    deferred.address = NULL;
    if (done.kind == DEFERRED_LOAD) {
        end_load(&done);
        if (LIKELY(!deferred_copy.address))
            return;
        done = deferred_copy;
        deferred_copy.address = NULL;
    }
    Request later = request;
    if (done.kind == DEFERRED_PIECES) {
        store_pieces(&done);
    } else if (done.kind == DEFERRED_RANGE) {
        store_range(&done);
    } else {
        unsigned char value[16];
        memcpy(value, done.address, done.size);
        memcpy(done.address, before_store, done.size);
        deferred_submit(done.address, done.size, value, done.plain, done.pc);
    }
    request = later;
}

void deferred_flush(void)
{
    if (memory_divert) /* where stacks are part of the state, no left-over must be on them */
        wipe_below();
    flush();
}

void deferred_leave_frame(void)
{
    const Fiber *self = &fibers[fiber_current];
    char *last = deferred.address;
    if (last >= self->limit && last < self->base)
        deferred_flush();
}
