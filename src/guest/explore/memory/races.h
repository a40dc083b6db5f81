/* races.h: accesses that nothing orders, inside guest/explore/memory: what memory.c and races.c ask
 * of each other. H is always the happens-before clock of the access of thread T that is checked. */
#ifndef HEDDLE_EXPLORE_MEMORY_RACES_H
#define HEDDLE_EXPLORE_MEMORY_RACES_H
#include "guest/explore/memory/memory.h"

/* Does a race end the exploration with a violation, under this model and these options? */
bool races_are_errors(void);
/* Two unordered accesses meet: the model and who asks decide what is wrong with that. Does not
 * return, unless races do not count there. */
void race_found(char *address, unsigned bytes, int self, int other, const void *pc, bool with_free);
/* Checks a plain access against the atomic events of a location. */
void race_check_events(const Location *x, const Clock *h, int t, bool writes, char *address,
                       unsigned bytes, const void *pc, bool with_free);
/* Checks an access against the plain ones of a cell. */
static inline void race_check_cell(const Cell *cell, const Clock *h, int t, bool writes,
                                   char *address, unsigned bytes, const void *pc, bool with_free)
{
    if (cell->has_write && cell->writer != t && cell->write_tag >= h->at[cell->writer])
        race_found(address, bytes, t, cell->writer, pc, with_free);
    if (writes)
        for (ThreadSet others = cell->readers & ~thread_bit(t); others; others &= others - 1) {
            int u = thread_first(others);
            if (cell->read_tag[u] >= h->at[u])
                race_found(address, bytes, t, u, pc, with_free);
        }
}

#endif
