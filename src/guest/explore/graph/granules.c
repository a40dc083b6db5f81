#include "guest/explore/graph/granules.h"
#include <string.h>
#include "guest/explore/graph/finding.h"
#include "guest/runtime/pages.h"

#define MAX_GRANULES (1u << 24)

Granule *granules;
uint32_t granule_count, granule_mask;
uint32_t *granule_table;

void granules_setup(void)
{
    granules = pages_reserve(sizeof(Granule) * MAX_GRANULES);
    granule_mask = 1023;
    granule_table = pages_alloc(sizeof(uint32_t) * (granule_mask + 1));
}

static void grow_table(void)
{
    uint32_t grown = granule_mask * 2 + 1;
    granule_table = pages_alloc(sizeof(uint32_t) * ((size_t)grown + 1));
    granule_mask = grown;
    for (uint32_t g = 1; g <= granule_count; g++) {
        uint32_t slot = granule_slot(granules[g].key);
        while (granule_table[slot])
            slot = (slot + 1) & granule_mask;
        granule_table[slot] = g;
    }
}

uint32_t granules_make(uintptr_t key, uint32_t slot)
{
    if (UNLIKELY(granule_count + 1 >= MAX_GRANULES))
        op_unsupported("the program touches more than %u MB of shared memory", MAX_GRANULES >> 17);
    uint32_t g = ++granule_count;
    granules[g] = (Granule){.key = key};
    granule_table[slot] = g;
    if (granule_count * 2 > granule_mask)
        grow_table();
    return g;
}

void granules_forget_all(void)
{
    memset(granule_table, 0, sizeof *granule_table * ((size_t)granule_mask + 1));
    granule_count = 0;
}
