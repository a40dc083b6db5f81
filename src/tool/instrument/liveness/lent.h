/* lent.h: objects that a function lends to others: it passes on their address, and the
 * callee gives it back. C++ compiled without optimisation does little else: every method of an
 * object on the stack gets its address.
 *
 * The address that argument register r held on entry is followed like the value of a callee-saved
 * register (frame.h). It counts as kept as soon as it is not followed any more: it is
 * stored outside of the frame, or in a slot that has escaped, or copied in parts; something is
 * added to it; it is joined with another value; a function that is not known, or that keeps it,
 * gets it; an access through it has an index, or reaches before the address or further than
 * FRAME_LENT_BYTES behind it. Else all that the function reaches through it are the bytes of its
 * own accesses, and those of the functions that it lends the object to in turn. It may return the
 * address: then its caller goes on to follow it.
 *
 * So no byte of an object that is only lent is read or written while no call lends it, but by its
 * owner. During a call that lends it, the bytes that the callee may touch are live. Before the call
 * those are live which the callee reads before it writes them, and those which are live after it
 * and which the callee does not overwrite on every path to its return. (A call that may go on at a
 * landing pad overwrites nothing for certain.) What an object holds that is lent may be read, and
 * kept: addresses in it escape. Two arguments may be addresses of one object: what one of them
 * reads is live, whatever the other one has written before. */
#ifndef HEDDLE_INSTRUMENT_LIVENESS_LENT_H
#define HEDDLE_INSTRUMENT_LIVENESS_LENT_H
#include "tool/instrument/liveness/calls.h"
#include "tool/instrument/liveness/walk.h"

/* Before the first instruction of W's function: its arguments are followed. */
void lent_begin(LivenessWalk *w);
/* Notes what instruction C does through the address of an argument. */
void lent_access(LivenessWalk *w, const Code *c, FrameEffect *effect);
/* Argument A of call C, instruction I, is V. False if V is an address in the frame that escapes. */
bool lent_pass(LivenessWalk *w, const Code *c, uint32_t i, const CallModel *model, int a,
               const WalkValue *v);
/* Returns what call C leaves in the register of results, if that is one of its arguments. Call it
 * while these are in their registers. */
WalkValue lent_result(LivenessWalk *w, const Code *c);
/* The function returns. */
void lent_return(LivenessWalk *w);
/* All effects and loans are recorded: fills in frame->lent. */
void lent_conclude(StackFrame *frame);
/* The loans of instruction I: the first one, or NULL; COUNT gets their number. */
const FrameLoan *lent_loans(const StackFrame *frame, uint32_t i, size_t *count);
#endif
