/* perpetual.h: from where in a function control never comes to its end: threads that stand inside a
 * loop without an exit are meant to run for ever (record/liveness_table.h). */
#ifndef HEDDLE_INSTRUMENT_LIVENESS_PERPETUAL_H
#define HEDDLE_INSTRUMENT_LIVENESS_PERPETUAL_H
#include "tool/instrument/liveness/code.h"

/* By instruction of F: does no path from it lead out of the function, but by a failure (abort, an
 * assertion)? A return, a jump to another function, and a call that ends the thread or the program
 * or leaves by a jump lead out. Where the paths are not all known, the answer is no. */
const bool *perpetual_find(Arena *arena, const CodeFunction *f);
#endif
