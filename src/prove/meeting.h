/* meeting.h: operations that take effect in pairs, such as a push and a pop that eliminate each
 * other: one waits with an offer, the other takes it in one of its steps (`meets'), and both are
 * done without touching the structure. Steps alone can't be reordered into two serial operations.
 *
 * Theorem. Suppose that
 *   1 when an operation meets another, that one has begun, has not ended and was not met before;
 *   2 what waits ends only after it was met, and both agree on the value that is passed;
 *   3 in the specification the two operations, one after the other with that value, can run in
 * every state and leave it as it was; 4 all other operations are linearizable together, the steps
 * of those that meet, and of what begins like one that waits, being operations of their own without
 * effect. Then all are. Proof: let L be a serial order for the others (4). Insert the pairs, in the
 * order of the steps at which they meet. Operations that ended before one of a pair began, ended
 * before that step; those that began after one of the pair ended, began after it. So each of the
 * former ended before each of the latter began, and stands before it in L; the pair is put between.
 * By 3 the rest of L stays legal. By 1 and 2 an operation that has ended is in just one pair.
 *
 * An internal operation that begins with the same steps as one that waits (and then, say, withdraws
 * its offer) may be met while it stands there: so far it is the other. That it never goes on then
 * is checked: its next step runs only if it was not met, and from then on it can't be. */
#ifndef HEDDLE_PROVE_MEETING_H
#define HEDDLE_PROVE_MEETING_H
#include "prove/ghost.h"

bool meeting_exists(const IrProgram *program);
/* Makes obligations of conditions 1 and 2. Fails if tokens are of different kinds, or if an
 * operation with an effect begins like one that waits. */
MUST_USE bool meeting_obligations(Arena *arena, const IrProgram *program, Ghosted *out,
                                  Error *error);
/* Checks condition 3: *REASON is NULL, or why it does not hold. */
void meeting_check_specification(Arena *arena, const IrProgram *program, unsigned effort,
                                 const char **reason);
/* Which of the two operations of the specification of a meeting, which OPERATION of PROGRAM makes,
 * comes first in condition 3, and the locals that are the same value; false: in neither order. */
bool meeting_order(Prover *prover, const IrProgram *program, int operation, int *order, int *given);
/* The program of 4. */
IrProgram *meeting_split(Arena *arena, const IrProgram *program);
#endif
