/* cells.h: the last plain accesses to each group of bytes of a granule that was always accessed
 * together (memory.h says what for). */
#ifndef HEDDLE_EXPLORE_MEMORY_CELLS_H
#define HEDDLE_EXPLORE_MEMORY_CELLS_H
#include "guest/explore/graph/granules.h"

typedef struct Cell {
    uint8_t mask; /* bytes of the granule */
    uint8_t writer, has_write;
    EventIndex write_tag;
    uint32_t next;
    ThreadSet readers; /* threads with a valid read_tag */
    EventIndex read_tag[MAX_THREADS];
} Cell;

extern Cell *memory_cells;

void cells_setup(void);
void cells_forget(void);     /* all accesses that they know of */
void cells_forget_all(void); /* and the cells themselves, with their granules */
/* Adds a cell of these bytes to G. */
void cells_add(Granule *g, uint8_t mask);
uint32_t cells_count(void); /* of all granules */
/* FACT_cells of a granule: the masks of its cells, eight at most, the first one lowest; makes such
 * cells. */
uint64_t cells_get(uint32_t granule);
void cells_put(uint32_t granule, uint64_t masks);

/* Were there plain accesses of X's bytes, perhaps in other executions? */
static inline bool memory_is_used_plainly(const Location *x)
{
    return granules[x->granule].cells || UNLIKELY(x->size == 16);
}
#endif
