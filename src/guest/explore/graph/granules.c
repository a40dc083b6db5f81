#include "guest/explore/graph/granules.h"
#include <string.h>
#include "guest/explore/graph/finding.h"
#include "guest/runtime/pages.h"

#define MAX_GRANULES (1u << 24)

Granule *granules;
GranuleMap granule_map;

void granules_setup(void)
{
    granules = pages_reserve(sizeof(Granule) * MAX_GRANULES);
    granule_map.mask = 1023;
    granule_map.table = pages_alloc(sizeof(uint32_t) * (granule_map.mask + 1));
}

static void grow_table(void)
{
    uint32_t grown = granule_map.mask * 2 + 1;
    granule_map.table = pages_alloc(sizeof(uint32_t) * ((size_t)grown + 1));
    granule_map.mask = grown;
    for (uint32_t g = 1; g <= granule_map.count; g++) {
        uint32_t slot = granule_slot(granules[g].key);
        while (granule_map.table[slot])
            slot = (slot + 1) & granule_map.mask;
        granule_map.table[slot] = g;
    }
}

uint32_t granules_make(uintptr_t key, uint32_t slot)
{
    DEBUG_ASSERT(!granule_map.table[slot]);
    if (UNLIKELY(granule_map.count + 1 >= MAX_GRANULES))
        op_unsupported("the program touches more than %u MB of shared memory", MAX_GRANULES >> 17);
    uint32_t g = ++granule_map.count;
    granules[g] = (Granule){.key = key};
    granule_map.table[slot] = g;
    if (granule_map.count * 2 > granule_map.mask)
        grow_table();
    return g;
}

void granules_forget_all(void)
{
    memset(granule_map.table, 0, sizeof *granule_map.table * ((size_t)granule_map.mask + 1));
    granule_map.count = 0;
}
