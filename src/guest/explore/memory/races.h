/* races.h: accesses that nothing orders, inside guest/explore/memory: what memory.c and races.c ask
 * of each other. H is always the happens-before clock of the access of thread T that is checked. */
#ifndef HEDDLE_EXPLORE_MEMORY_RACES_H
#define HEDDLE_EXPLORE_MEMORY_RACES_H
#include "guest/explore/memory/memory.h"
#include "guest/explore/memory/cells.h"

/* Does a race end the exploration with a violation, under this model and these options? */
bool races_are_errors(void);
/* Two unordered accesses meet: the model and who asks decide what is wrong with that. Does not
 * return, unless races do not count there. */
void race_found(char *address, unsigned bytes, int self, int other, const void *pc, bool with_free);
/* Checks a plain access against the atomic events of a location. */
void race_check_events(const Location *x, const Clock *h, int t, bool writes, char *address,
                       unsigned bytes, const void *pc, bool with_free);
/* Thread T frees what thread U has accessed after its first TAG events, and happens-before does not
 * order the two. Does the model's memory do so (models/performed.h)? A cell has the last write and
 * the last reads alone: those before them happen before these, and are then performed, too. */
bool race_is_performed(int u, EventIndex tag, bool writes, const char *address, unsigned mask,
                       int t);
/* Checks an access to the heap against the allocation of its memory by another thread. */
void race_check_allocation(const char *address, const Clock *h, int t, const void *pc);
/* Checks an access against the plain ones of a cell. */
static inline void race_check_cell(const Cell *cell, const Clock *h, int t, bool writes,
                                   char *address, unsigned bytes, const void *pc, bool with_free)
{
    const char *granule = (const char *)((uintptr_t)address & ~(uintptr_t)7);
    if (cell->has_write && cell->writer != t && cell->write_tag >= h->at[cell->writer] &&
        !(with_free &&
          race_is_performed(cell->writer, cell->write_tag, true, granule, cell->mask, t)))
        race_found(address, bytes, t, cell->writer, pc, with_free);
    if (writes)
        for (ThreadSet others = cell->readers & ~thread_bit(t); others; others &= others - 1) {
            int u = thread_first(others);
            if (cell->read_tag[u] >= h->at[u] &&
                !(with_free &&
                  race_is_performed(u, cell->read_tag[u], false, granule, cell->mask, t)))
                race_found(address, bytes, t, u, pc, with_free);
        }
}

#endif
