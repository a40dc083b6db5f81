/* arrows.h: what connects the events of an execution across its threads: which write each read
 * reads from, which newer write it missed, and the happens-before order, as the fewest arrows that
 * say all of it: with program order, their transitive closure is happens-before, and none of them
 * follows from the others. Under sc and tso every read is ordered after the write it reads from. */
#ifndef HEDDLE_REPORT_ARROWS_H
#define HEDDLE_REPORT_ARROWS_H
#include "base/arena.h"
#include "base/vec.h"
#include "record/record.h"

/* X(NAME, word) */
#define ARROW_KINDS(X)                                                                             \
    X(READS_FROM, "reads-from")                                                                    \
    X(BEFORE, "happens-before")                                                                    \
    X(MISSED, "missed")
typedef enum ArrowKind {
#define X(name, word) ARROW_##name,
    ARROW_KINDS(X)
#undef X
} ArrowKind;

typedef struct Arrow {
    ArrowKind kind;
    uint32_t from, to; /* events of the record */
    bool orders;       /* the one happens before the other */
} Arrow;
typedef struct Arrows {
    Vec(Arrow) list;  /* by `to`; a pair of events has at most one READS_FROM or BEFORE */
    uint32_t threads; /* in a clock */
    const uint32_t
        *clocks; /* by event and thread: so many of its events happen before, or are it */
    const uint32_t *places; /* by event: its number in its thread */
} Arrows;

/* ARENA keeps the clocks; vec_free the list. */
void arrows_make(Arena *arena, const Record *record, Arrows *arrows);
/* Does event A happen before event B? Not reflexive. */
bool arrows_before(const Arrows *arrows, const Record *record, uint32_t a, uint32_t b);
/* By event: the newest write to its place that stands earlier in the record and that it, a read,
 * misses; or RECORD_NONE. */
const uint32_t *arrows_missed(Arena *arena, const Record *record);
const char *arrow_kind_word(ArrowKind kind);
#endif
