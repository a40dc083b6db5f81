/* cells.h: the memory that the steps of an execution touch, as variables with names, and what they
 * hold after each event. Under weak memory a cell holds the newest write so far in its coherence
 * order: a write that arrives late does not change it. */
#ifndef HEDDLE_REPORT_CELLS_H
#define HEDDLE_REPORT_CELLS_H
#include "tool/report/steps.h"

typedef struct MemoryCell {
    uint64_t address;
    const char *name;    /* "q.head" */
    const char *initial; /* NULL if nothing tells */
    bool lock;           /* its value is who holds it */
} MemoryCell;
typedef struct CellUse { /* one event at one cell */
    uint32_t event, cell;
    const char *value; /* read or written */
    bool writes;
    bool current; /* a write: no newer one came before it */
} CellUse;
typedef struct MemoryCells {
    Vec(MemoryCell) list; /* in the order of their first use */
    Vec(CellUse) uses;    /* in the order of the record */
} MemoryCells;

/* Lists the cells of the events that STEPS shows. Strings live in the arena of NAMES; vec_free both
 * lists. */
void cells_make(Names *names, const Record *record, const Steps *steps, MemoryCells *cells);
void cells_free(MemoryCells *cells);
#endif
