/* partial.h: serial runs (serial.h) of a program that decides itself which calls it makes, as two
 * specifications. The runs may lack a call that an execution makes: the program does not make it
 * when its calls are atomic, or not after these others. What follows a call that no run has is
 * unknown.
 *
 * Strict: such a call is not allowed. Lenient: it may give, and bring about, anything. A history
 * that the strict one explains is explained by runs that were seen; one that the lenient one does
 * not explain contradicts a result that was seen, in whatever order its calls are put. In between
 * nothing is known. Depends on libc only. */
#ifndef HEDDLE_SPEC_PARTIAL_H
#define HEDDLE_SPEC_PARTIAL_H
#include "judge/spec/serial.h"

/* Lives in ARENA; RUNS_SEEN must outlive it. */
const Spec *spec_partial(Arena *arena, Values *values, const SerialRuns *runs_seen, bool lenient);
#endif
