/* promoted.c: which bytes' plain accesses are explored as events, and in which pieces (memory.h).
 */
#include "guest/explore/graph/granules.h"
#include "guest/explore/memory/memory.h"
#include "guest/runtime/fiber.h"

uint64_t memory_most_promoted;

void memory_note_promoted(void)
{
    memory_most_promoted = MAX(memory_most_promoted, facts_met[FACT_races]);
}

void memory_promote(char *address, unsigned bytes)
{
    DEBUG_ASSERT(bytes && bytes <= 16);
    for (unsigned i = 0; i < bytes; i++) {
        Granule *g = &granules[granules_get(address + i)];
        granule_learn(g, FACT_promoted, (uint8_t)(1u << ((uintptr_t)(address + i) & 7)));
    }
    const char *ends[2] = {address, address + bytes};
    for (int i = 0; i < 2; i++)
        if ((uintptr_t)ends[i] & 7)
            granule_learn(&granules[granules_get(ends[i])], FACT_cuts,
                          (uint8_t)(1u << ((uintptr_t)ends[i] & 7)));
    facts_add(FACT_races, 0, facts_met[FACT_races] + 1);
    memory_note_promoted();
}

void memory_promote_read(char *address, unsigned bytes)
{
    int owner = fiber_of_stack(address);
    if (owner >= 0) {
        for (unsigned i = 0; i < bytes; i++)
            granule_learn(&granules[granules_get(address + i)], FACT_shared, STACK_ATOMIC);
        facts_add(FACT_stacks_shared, 0, thread_bit(owner));
    }
    memory_promote(address, bytes);
}

bool memory_cut(const char *address)
{
    unsigned b = (uintptr_t)address & 7;
    uint32_t g = b ? granules_find(address) : 0;
    return g && (granules[g].promoted >> (b - 1) & 3) == 3 &&
           granule_learn(&granules[g], FACT_cuts, (uint8_t)(1u << b));
}

bool memory_races_in(const char *address, size_t bytes)
{
    for (const char *end = address + bytes; address < end;) {
        uint32_t g = granules_find(address);
        unsigned offset = (uintptr_t)address & 7;
        unsigned piece = (unsigned)MIN((size_t)(end - address), (size_t)8 - offset);
        if (g && granules[g].promoted & ((1u << piece) - 1) << offset)
            return true;
        address += piece;
    }
    return false;
}

MemoryPiece memory_piece(const char *address, size_t bytes)
{
    uint32_t g = granules_find(address);
    unsigned offset = (uintptr_t)address & 7;
    unsigned end = (unsigned)MIN((size_t)8, offset + bytes), at = offset + 1;
    bool races = g && granules[g].promoted >> offset & 1;
    while (at < end && (g && granules[g].promoted >> at & 1) == races &&
           !(races && granules[g].cuts >> at & 1))
        at++;
    return (MemoryPiece){at - offset, races};
}
