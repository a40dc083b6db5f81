#include "guest/explore/memory/blocks.h"
#include "guest/explore/memory/cells.h"

bool blocks_asked;

/* The blocks of a granule, as bits: four of 2 bytes, two of 4, one of 8, and half of one of 16. */
static unsigned bit_of(uintptr_t address, unsigned size)
{
    unsigned offset = address & 7;
    return size == 2 ? offset / 2 : size == 4 ? 4 + offset / 4 : size == 8 ? 6 : 7;
}

static unsigned size_at(const void *address)
{
    uint32_t granule = granules_find(address);
    unsigned bits = granule ? granules[granule].blocks : 0;
    for (unsigned size = 16; bits && size > 1; size /= 2)
        if (bits >> bit_of((uintptr_t)address, size) & 1)
            return size;
    return 0;
}

bool blocks_find(const void *address, char **base, unsigned *size)
{
    *size = facts_met[FACT_blocks] ? size_at(address) : 0;
    *base = (char *)((uintptr_t)address & ~(uintptr_t)(*size - 1));
    return *size != 0;
}

bool blocks_add(const char *a, unsigned a_size, const char *b, unsigned b_size)
{
    DEBUG_ASSERT(a_size <= 16 && b_size <= 16);
    uintptr_t from = MIN((uintptr_t)a, (uintptr_t)b);
    uintptr_t to = MAX((uintptr_t)a + a_size, (uintptr_t)b + b_size);
    unsigned size = 2;
    while (size <= 16 && (from & ~(uintptr_t)(size - 1)) + size < to)
        size *= 2;
    if (size > 16)
        return false;
    from &= ~(uintptr_t)(size - 1);
    for (uintptr_t at = from; at < from + size; at += 8)
        granule_learn(&granules[granules_get((void *)at)], FACT_blocks,
                      (uint8_t)(1u << bit_of(at, size)));
    blocks_asked = true;
    return true;
}
