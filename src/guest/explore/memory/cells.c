#include "guest/explore/memory/cells.h"
#include "guest/explore/graph/finding.h"
#include "guest/runtime/pages.h"

#define MAX_CELLS (1u << 24)

Cell *memory_cells;
static uint32_t cell_count;

void cells_setup(void)
{
    memory_cells = pages_reserve(sizeof(Cell) * MAX_CELLS);
}

void cells_forget(void)
{
    for (uint32_t c = 1; c <= cell_count; c++)
        memory_cells[c].has_write = 0, memory_cells[c].readers = 0;
}

void cells_forget_all(void)
{
    cell_count = 0;
}

uint32_t cells_count(void)
{
    return cell_count;
}

void cells_add(Granule *g, uint8_t mask)
{
    DEBUG_ASSERT(mask);
    if (UNLIKELY(cell_count + 1 >= MAX_CELLS))
        op_unsupported("the program touches too much shared memory");
    uint32_t c = ++cell_count;
    memory_cells[c] = (Cell){.mask = mask, .next = g->cells};
    g->cells = c;
}

uint64_t cells_get(uint32_t granule)
{
    uint64_t masks = 0;
    unsigned shift = 0;
    for (uint32_t c = granules[granule].cells; c && shift < 64;
         c = memory_cells[c].next, shift += 8)
        masks |= (uint64_t)memory_cells[c].mask << shift;
    return masks;
}

void cells_put(uint32_t granule, uint64_t masks)
{
    for (int shift = 56; shift >= 0; shift -= 8)
        if (masks >> shift & 255)
            cells_add(&granules[granule], (uint8_t)(masks >> shift & 255));
}
