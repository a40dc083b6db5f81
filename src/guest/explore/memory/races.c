#include "guest/explore/memory/races.h"
#include "guest/explore/graph/finding.h"
#include "guest/explore/memory/cells.h"
#include "guest/explore/memory/heap.h"
#include "guest/explore/graph/models/performed.h"
#include "guest/runtime/fiber.h"

/* The access that asks, if it is an event that is not made yet: else the report would show the
 * event before it. */
static OpBlame asking;

static struct {
    uintptr_t from, to;
} exempt[64];
static unsigned exempt_count;

void memory_exempt(const void *address, size_t bytes)
{
    ASSERT(exempt_count < COUNT_OF(exempt));
    exempt[exempt_count].from = (uintptr_t)address;
    exempt[exempt_count++].to = (uintptr_t)address + bytes;
}

static bool is_exempt(const char *address)
{
    for (unsigned i = 0; i < exempt_count; i++)
        if ((uintptr_t)address >= exempt[i].from && (uintptr_t)address < exempt[i].to)
            return true;
    return false;
}

bool races_are_errors(void)
{
    return options.races == RACES_ERROR ||
           (options.races == RACES_DEFAULT && model_forbids_races(options.model));
}

void race_found(char *address, unsigned bytes, int self, int other, const void *pc, bool with_free)
{
    DEBUG_ASSERT(self != other);
    if (memory_state.races_off || is_exempt(address))
        return;
    if (with_free) {
        finding_set_partner(other, address, bytes);
        op_violation(VIOLATION_USE_AFTER_FREE, pc,
                     pc && fiber_of_stack(address) >= 0
                         ? "thread %d leaves the function of a local variable that thread %d may "
                           "still access: nothing orders the two"
                     : pc ? "thread %d frees memory that thread %d may still access: "
                            "nothing orders the two"
                     : fiber_of_stack(address) < 0
                         ? "thread %d ends while thread %d may still access a thread-local "
                           "variable of it: nothing orders the two"
                         : "thread %d ends while thread %d may still access a local variable of "
                           "it: nothing orders the two",
                     self, other);
    }
    if (races_are_errors()) {
        finding_set_partner(other, address, bytes);
        finding_set_blame(asking);
        asking = BLAME_NOTHING;
        op_violation(VIOLATION_RACE, pc,
                     "threads %d and %d access the same memory, at least one writes, not both "
                     "atomically, and nothing orders them",
                     other, self);
    }
    asking = BLAME_NOTHING;
    /* this location becomes part of the graph, from the beginning */
    memory_promote(address, bytes);
    finding_restart();
}

void memory_check_allocation(const char *address, const Clock *h, int t, const void *pc,
                             bool writes)
{
    asking = writes ? BLAME_WRITE : BLAME_READ;
    race_check_allocation(address, h, t, pc);
    asking = BLAME_NOTHING;
}

void race_check_allocation(const char *address, const Clock *h, int t, const void *pc)
{
    uint32_t tag = 0;
    if (heap_is_of(address, t))
        return;
    int owner = heap_allocated_by(address, &tag);
    if (owner < 0 || (ClockEntry)tag < h->at[owner] || memory_state.races_off ||
        !races_are_errors())
        return;
    finding_set_blame(asking);
    asking = BLAME_NOTHING;
    op_violation(VIOLATION_RACE, pc,
                 "thread %d accesses memory that thread %d has allocated, and nothing orders the "
                 "two: the memory may have been something else before",
                 t, owner);
}

/* Does E, an event of X, access any of these bytes? */
static bool event_touches(const Event *e, const Location *x, const char *address, unsigned bytes)
{
    if (LIKELY(!e->part))
        return true;
    const char *from = x->address + block_part_offset(e->part);
    return !(e->merge && e->kind == EVENT_READ) && address < from + block_part_size(e->part, 0) &&
           from < address + bytes;
}

bool race_is_performed(int u, EventIndex tag, bool writes, const char *address, unsigned mask,
                       int t)
{
    if (!model_performs_beyond_hb(options.model))
        return false;
    return writes ? performed_store(u, tag, address, mask, t) : performed_load(u, tag, t);
}

/* Does memory perform E, an event of X, before thread T goes on to free X? */
static bool event_is_performed(const Event *e, const Location *x, int t)
{
    return race_is_performed(e->thread, e->index, e->kind == EVENT_WRITE, x->address,
                             event_bytes(e), t);
}

void race_check_events(const Location *x, const Clock *h, int t, bool writes, char *address,
                       unsigned bytes, const void *pc, bool with_free)
{
    DEBUG_ASSERT(x->address && t >= 0 && t < MAX_THREADS);
    for (int j = 1; j < x->writes; j++) {
        const Event *e = &pool[x->co[j]];
        if (e->thread != t && !before(e, h) && graph_reached(e) &&
            event_touches(e, x, address, bytes) && !(with_free && event_is_performed(e, x, t)))
            race_found(address, bytes, t, e->thread, pc, with_free);
    }
    if (writes)
        for (int j = 0; j < x->reads; j++) {
            const Event *e = &pool[x->read[j]];
            if (e->thread != t && !before(e, h) && graph_reached(e) &&
                event_touches(e, x, address, bytes) && !(with_free && event_is_performed(e, x, t)))
                race_found(address, bytes, t, e->thread, pc, with_free);
        }
}

/* Bytes of X, given as a mask, as bytes of its granule and of the next one. */
static void masks_of(const Location *x, unsigned bytes, uint8_t masks[2])
{
    unsigned in_granules = bytes << ((uintptr_t)x->address & 7);
    masks[0] = (uint8_t)in_granules;
    masks[1] = (uint8_t)(in_granules >> 8);
}

void memory_check_atomic(const Location *x, uint8_t part, const Clock *h, int t, bool writes,
                         const void *pc)
{
    uint8_t masks[2];
    char *address = x->address + block_part_offset(part);
    unsigned size = block_part_size(part, x->size);
    masks_of(x, block_part_bytes(part, x->size), masks);
    asking = writes ? BLAME_WRITE : BLAME_READ;
    for (uint32_t c = granules[x->granule].cells; c; c = memory_cells[c].next)
        if (memory_cells[c].mask & masks[0])
            race_check_cell(&memory_cells[c], h, t, writes, address, size, pc, false);
    uint32_t second = UNLIKELY(x->size == 16) ? granules_find(x->address + 8) : 0;
    for (uint32_t c = second ? granules[second].cells : 0; c; c = memory_cells[c].next)
        if (memory_cells[c].mask & masks[1])
            race_check_cell(&memory_cells[c], h, t, writes, address, size, pc, false);
    asking = BLAME_NOTHING;
}

void memory_check_initialised(const Event *read, unsigned bytes)
{
    const Location *x = &locations[read->location];
    if (!in_heap(x->address) || options.uninitialised_ignored || heap_is_zeroed(x->address))
        return;
    if (read->plain) /* it may copy what has no meaning, or load the other fields of a bit field */
        return;
    uint8_t masks[2];
    masks_of(x, bytes, masks);
    uint8_t missing = masks[0];
    for (uint32_t c = granules[x->granule].cells; c; c = memory_cells[c].next)
        if (memory_cells[c].has_write)
            missing &= (uint8_t)~memory_cells[c].mask;
    const EventExtra *extra = &pool_extra[event_id(read)];
    if (missing && read->request == REQUEST_AWAIT && extra->object) {
        op_blame(BLAME_READ, x->address, x->size);
        op_violation(VIOLATION_MISUSE, (void *)read->pc, "%s of a %s that was never initialised",
                     extra->verb, extra->object);
    }
    if (missing) {
        op_blame(BLAME_READ, x->address, x->size);
        op_violation(VIOLATION_UNINITIALISED_READ, (void *)read->pc,
                     "an atomic read of heap memory that nothing has written yet");
    }
}

static void check_free_granule(uint32_t g, uintptr_t address, int t, const void *pc)
{
    const Clock *h = graph_tip(t);
    for (uint32_t c = granules[g].cells; c; c = memory_cells[c].next)
        race_check_cell(&memory_cells[c], h, t, true, (char *)address, 8, pc, true);
    for (LocationId l = granules[g].locations; l; l = locations[l].next)
        race_check_events(&locations[l], h, t, true, locations[l].address, locations[l].size, pc,
                          true);
}

void memory_check_free(char *address, size_t bytes, int t, const void *pc)
{
    if (memory_state.races_off)
        return;
    if (memory_hooks.freed)
        memory_hooks.freed(address, bytes, t);
    uintptr_t first = (uintptr_t)address & ~(uintptr_t)7, end = (uintptr_t)address + bytes;
    if (bytes / 8 <= granule_map.count) {
        for (uintptr_t a = first; a < end; a += 8) {
            uint32_t g = granules_find((void *)a);
            if (g)
                check_free_granule(g, a, t, pc);
        }
        return;
    }
    for (uint32_t g = 1; g <= granule_map.count; g++) /* more bytes than were ever touched */
        if (granules[g].key * 8 >= first && granules[g].key * 8 < end)
            check_free_granule(g, granules[g].key * 8, t, pc);
}
