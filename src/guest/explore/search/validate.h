/* validate.h: the invariants of the search, checked as they are stated, slowly: at every step of
 * debug builds and of explorations with HEDDLE_DEBUG=validate, and in unit tests on
 * graphs built by hand. A broken one is a bug of ours and ends in ASSERT. Call them between steps:
 * no event is half added. (undo.h has those of the log.) */
#ifndef HEDDLE_EXPLORE_VALIDATE_H
#define HEDDLE_EXPLORE_VALIDATE_H
#include "base/common.h"

/* graph.h: pool, order and program order name the same events, oldest first; a location's lists
 * hold exactly its accesses, and positions in coherence order are where the list has them; reads
 * have the value of what they read; the write of a read-modify-write stands directly after it;
 * clocks contain those of what comes before; coherence (hb;eco? is irreflexive) holds. */
void graph_validate(void);
/* frames.h: the marks of the frames lie in the order of the frames and within what they mark; the
 * event of a frame is the newest one at its mark. */
void frames_validate(void);
/* Everything is cut to FRAME: no thread is left with the stack of a run that came after it. */
void frames_validate_cut(int frame);
/* The finished graph is consistent by the definition of the model (models/matrices.c). */
void model_validate(void);

void validate_step(void);
#endif
