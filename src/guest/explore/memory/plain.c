#include "guest/explore/memory/plain.h"
#include "guest/explore/graph/finding.h"
#include "guest/explore/memory/access.h"
#include "guest/explore/memory/blocks.h"
#include "guest/explore/memory/cells.h"
#include "guest/explore/memory/deferred.h"
#include "guest/explore/memory/divert.h"
#include "guest/explore/memory/heap.h"
#include "guest/explore/memory/locals.h"
#include "guest/explore/memory/memory.h"
#include "guest/explore/memory/overlap.h"
#include "guest/explore/memory/pieces.h"
#include "guest/explore/memory/returned.h"
#include "guest/explore/memory/shown.h"
#include "guest/explore/memory/spin.h"
#include "guest/explore/memory/undo.h"
#include "guest/runtime/fiber.h"
#include "guest/runtime/mappings.h"

/* Facts of another process are known now. */
static void note_put(void)
{
    locals_on |= facts_met[FACT_stacks_shared] != 0;
    blocks_asked |= locals_on || facts_met[FACT_blocks];
    memory_note_promoted();
}

/* An object on a stack is atomic: from now on its owner's plain accesses (its initialisation, when
 * the frame comes again) count as well. If another thread found it first, what its owner did before
 * must be known, too. */
static void note_atomic(char *address, unsigned size, int thread)
{
    int owner = fiber_of_stack(address);
    if (owner < 0)
        return;
    if (thread == owner)
        memory_mark_stack(address, size, STACK_ATOMIC);
    locals_note_atomic(address, thread); /* first: the location is new only once */
    if (thread != owner)
        memory_note_foreign(address, size);
}

void memory_setup(void)
{
    graph_hooks.made = note_atomic;
    graph_hooks.overlap = overlap_meet;
    facts_hooks = (FactsHooks){cells_get, cells_put, note_put};
    granules_setup();
    cells_setup();
}

void memory_reset(void)
{
    returned_reset();
    cells_forget();
    undo_stack_written = 0;
    memory_state.races_off = false;
    shown_forget();
}

void memory_forget(void)
{
    cells_forget_all();
    locals_on = false;
}

static inline void access_memory(char *address, size_t bytes, bool writes, const void *pc)
{
    if (LIKELY(!facts_met[FACT_races]) || !memory_races_in(address, bytes)) {
        if (UNLIKELY(access_granules(address, bytes, writes, pc)) && writes)
            deferred_store(DEFERRED_RANGE, address, (unsigned)bytes, 1, pc);
        return;
    }
    access_check_promoted(address, bytes, writes, pc);
    if (writes)
        pieces_write(address, bytes, pc);
    else
        pieces_read(address, bytes, pc);
}

/* Kept off the way of accesses to stacks that nobody shares. */
__attribute__((noinline)) static bool is_shared_stack(const char *address, size_t bytes)
{
    for (uintptr_t a = (uintptr_t)address & ~(uintptr_t)7; a < (uintptr_t)address + bytes; a += 8) {
        uint32_t g = granules_find((const void *)a);
        if (g && granules[g].shared)
            return true;
    }
    return false;
}

/* False if the access needs no check: the thread's own stack, unless others use that part. */
static inline bool is_shared(char *address, size_t bytes, const void *pc, bool writes)
{
    Fiber *self = &fibers[fiber_current];
    if (address >= self->limit && address < self->base) {
        if (LIKELY(!(facts_met[FACT_stacks_shared] >> fiber_current & 1)))
            return false;
        returned_touch(address);
        return is_shared_stack(address, bytes);
    }
    if (in_heap(address))
        heap_check(address, bytes, writes, pc);
    else if (UNLIKELY((uintptr_t)address - STACK_BASE < (uintptr_t)MAX_THREADS * STACK_SLOT))
        memory_note_foreign(address, bytes), memory_check_storage(address, bytes, writes, pc);
    else if (UNLIKELY(fiber_near_storage(address)))
        memory_check_storage(address, bytes, writes, pc);
    else if (UNLIKELY(mappings_gone_count))
        memory_check_mapped(address, bytes, writes, pc);
    return true;
}

/* A read after a volatile one that is not over (deferred.h). */
static __attribute__((noinline)) void read_before_end(const void *address, size_t bytes,
                                                      const void *pc)
{
    Deferred store = deferred;
    deferred.address = NULL;
    op_plain_read(address, bytes, pc);
    deferred_resume_copy(&store);
}

/* These two are functions of their own so that op_plain_read and op_plain_write save no register
 * before they know where to go on: what they save stays below the frame of the program. Their own
 * frames hold nothing but that, so that they do not differ where the program's do not. */
static __attribute__((noinline)) void read_in_graph(const void *address, size_t bytes,
                                                    const void *pc)
{
    char *at = (char *)(uintptr_t)address;
    spin_note_read(address, bytes, pc);
    if (UNLIKELY(deferred.address)) {
        if (deferred_is_late(pc)) {
            read_before_end(address, bytes, pc);
            return;
        }
        deferred_flush();
    }
    if (is_shared(at, bytes, pc, false)) {
        if (UNLIKELY(memory_state.pauses))
            memory_pause(address, bytes);
        access_memory(at, bytes, false, pc);
    }
}

/* A volatile access of the thread comes before (deferred.h), whose end would put memory back over
 * what this one writes. */
static __attribute__((noinline)) void divert_after_volatile(char *address, size_t bytes,
                                                            bool writes, const void *pc)
{
    if (!writes && deferred_is_late(pc)) {
        Deferred store = deferred;
        deferred.address = NULL;
        memory_divert->access(address, bytes, false, pc);
        deferred_resume_copy(&store);
        return;
    }
    deferred_flush();
    memory_divert->access(address, bytes, writes, pc);
}

void op_plain_read(const void *address, size_t bytes, const void *pc)
{
    if (LIKELY(memory_divert == NULL))
        read_in_graph(address, bytes, pc);
    else if (UNLIKELY(deferred.address))
        divert_after_volatile((char *)(uintptr_t)address, bytes, false, pc);
    else
        memory_divert->access((char *)(uintptr_t)address, bytes, false, pc);
}

void op_forget_rounds(uint32_t *counter, uint32_t *rounds, uint32_t each)
{
    if (memory_divert)
        memory_divert->forget_rounds(counter, rounds, each);
}

static __attribute__((noinline)) void write_in_graph(void *address, size_t bytes, const void *pc)
{
    if (UNLIKELY(deferred.address))
        deferred_flush();
    if (is_shared(address, bytes, pc, true)) {
        memory_state.writes++;
        access_memory(address, bytes, true, pc);
    }
}

void op_plain_write(void *address, size_t bytes, const void *pc)
{
    if (LIKELY(memory_divert == NULL))
        write_in_graph(address, bytes, pc);
    else if (UNLIKELY(deferred.address))
        divert_after_volatile(address, bytes, true, pc);
    else
        memory_divert->access(address, bytes, true, pc);
}

static bool is_written(const void *address, unsigned size)
{
    LocationId x = graph_find_location(address);
    uint32_t g = granules_find(address);
    unsigned mask = ((1u << size) - 1) << ((uintptr_t)address & 7);
    for (uint32_t c = g ? granules[g].cells : 0; c; c = memory_cells[c].next)
        if (memory_cells[c].has_write && memory_cells[c].mask & mask)
            return true;
    return x && locations[x].writes > 1;
}

bool op_is_blank(const void *address, unsigned size)
{
    if (memory_divert || !in_heap(address) || options.uninitialised_ignored ||
        heap_is_zeroed(address) || is_written(address, size))
        return false;
    deferred_settle(); /* a plain write may be on its way */
    return !is_written(address, size);
}

void memory_check_storage(const char *address, size_t bytes, bool writes, const void *pc)
{
    int owner = memory_owner(address);
    if (owner < 0 || owner == fiber_current || memory_state.races_off)
        return;
    if (fiber_of_stack(address) >= 0)
        returned_check(address, owner, pc);
    if (options.check.enabled)
        return;
    if (fiber_of_stack(address) < 0) /* what ended before must be known, too */
        facts_note(FACT_storage_shared, 0, thread_bit(owner));
    /* (exit does not end the blocks of its thread) */
    if (threads_ended >> owner & 1 && graph_reached(last_event(owner)) &&
        !last_event(owner)->success_order)
        memory_report_ended(address, bytes, writes, owner, pc);
}

void memory_check_end(int t)
{
    size_t bytes;
    ThreadSet shared = facts_met[FACT_storage_shared] | facts_met[FACT_stacks_shared];
    if (LIKELY(!(shared >> t & 1)) || memory_divert || options.check.enabled)
        return;
    char *begin = fiber_storage(t, &bytes);
    memory_check_free(begin, bytes, t, NULL);
    memory_check_free(fibers[t].limit, (size_t)(fibers[t].base - fibers[t].limit), t, NULL);
}
