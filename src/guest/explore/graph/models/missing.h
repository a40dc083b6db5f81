/* missing.h: notices when executions may be missing because memory is accessed in several sizes,
 * under the models where that can be. blocks.h has the argument. Both are to be called when an
 * access to a block is added to the graph, and call missing_note. */
#ifndef HEDDLE_EXPLORE_MISSING_H
#define HEDDLE_EXPLORE_MISSING_H
#include "guest/explore/graph/graph.h"

/* Executions of the present exploration may be missing (blocks_incomplete): it counts as one that
 * is given up. */
void missing_note(void);
typedef struct MissingState {
    bool any; /* that was so, perhaps in an older exploration */
    /* NULL, or called when missing_note is called for the first time in an exploration. */
    void (*on_news)(void);
} MissingState;
extern MissingState missing;

/* Sets *PREFIX to the prefix of LAST by program order and what reads of the program really read:
 * porf without the reads of merges, and without the writes that a narrow read looks through. */
void missing_real_prefix(const Event *last, Clock *prefix);

/* W is added, before it has its place: might an older write to a part of the block have to stand
 * behind it? */
void missing_note_write(const Event *w);
/* Z, any access, is added, before it reads: might it tell two older writes apart? */
void missing_note_access(const Event *z);
#endif
