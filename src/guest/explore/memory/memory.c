#include "guest/explore/memory/memory.h"
#include "guest/explore/graph/finding.h"
#include "guest/explore/graph/granules.h"
#include "guest/explore/memory/divert.h"
#include "guest/runtime/mappings.h"

MemoryState memory_state;
MemoryHooks memory_hooks;
const MemoryDivert *memory_divert;

Location *memory_location_with_events(const char *start, const char *end, unsigned i)
{
    /* one granule earlier: a 16-byte location may reach in */
    for (uintptr_t a = ((uintptr_t)start & ~(uintptr_t)7) - 8; a < (uintptr_t)end; a += 8) {
        uint32_t g = granules_find((void *)a);
        for (LocationId l = g ? granules[g].locations : 0; l; l = locations[l].next) {
            Location *x = &locations[l];
            if (memory_has_events(x) && x->address + x->size > start && x->address < end &&
                i-- == 0)
                return x;
        }
    }
    return NULL;
}

bool memory_location_in(const char *start, const char *end, unsigned number, char **address,
                        unsigned *size)
{
    const Location *x = memory_location_with_events(start, end, number);
    if (x) {
        *address = x->address;
        *size = x->size;
    }
    return x != NULL;
}

bool memory_mark_stack(const char *address, size_t bytes, unsigned mark)
{
    DEBUG_ASSERT(fiber_of_stack(address) >= 0);
    bool fresh = false;
    for (uintptr_t a = (uintptr_t)address & ~(uintptr_t)7; a < (uintptr_t)address + bytes; a += 8) {
        Granule *g = &granules[granules_get((void *)a)];
        fresh |= granule_learn(g, FACT_shared, (uint8_t)mark);
    }
    facts_add(FACT_stacks_shared, 0, thread_bit(fiber_of_stack(address)));
    return fresh;
}

bool memory_mark_foreign(const char *address, size_t bytes)
{
    return memory_mark_stack(address, bytes, STACK_FOREIGN);
}

void memory_note_foreign(const char *address, size_t bytes)
{
    if (memory_mark_foreign(address, bytes) && !memory_state.races_off)
        finding_restart();
}

void memory_check_mapped(const char *address, size_t bytes, bool writes, const void *pc)
{
    if (!mappings_are_gone(address, bytes))
        return;
    op_blame(writes ? BLAME_WRITE : BLAME_READ, address, bytes);
    op_violation(VIOLATION_USE_AFTER_FREE, pc, "a %s of %zu byte%s at %p, which was unmapped",
                 writes ? "write" : "read", bytes, bytes == 1 ? "" : "s", (const void *)address);
}

void memory_report_ended(const char *address, size_t bytes, bool writes, int owner, const void *pc)
{
    DEBUG_ASSERT(owner >= 0 && owner < MAX_THREADS);
    op_blame(writes ? BLAME_WRITE : BLAME_READ, address, bytes);
    op_violation(VIOLATION_USE_AFTER_FREE, pc,
                 "a %s of %zu byte%s of a %slocal variable of thread %d, which has ended",
                 writes ? "write" : "read", bytes, bytes == 1 ? "" : "s",
                 fiber_of_stack(address) < 0 ? "thread-" : "", owner);
}

int memory_owner(const char *address)
{
    int owner = fiber_of_stack(address);
    return owner < 0 ? fiber_of_storage(address) : owner;
}
