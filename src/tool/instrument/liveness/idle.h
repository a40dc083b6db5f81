/* idle.h: local variables that only stretch a wait. A loop that backs off counts its rounds:
 *     while (!try_lock()) { for (int i = 0; i < delay; i++) pause(); if (delay < 1024) delay *= 2;
 * } while (!ready) if (++spins > 100) sched_yield(); `delay` and `spins` are not dead, but whatever
 * they hold the thread goes on alike, only later or earlier. So two states that differ in them
 * alone are the same to the search.
 *
 * An instruction matters if it
 *  - has an effect outside of the function: a call, but of functions that only delay (below), a
 *    return, a jump elsewhere, a write to memory other than the function's own bytes, an access
 *    that may fault, whatever the decoder does not understand (Code.is_plain);
 *  - or writes a register, a flag or a byte of the frame that an instruction which matters may read
 *    afterwards;
 *  - or is a branch that decides whether an instruction which matters is reached (one of its ways
 *    must come to it, the other need not: it is control dependent on the branch; Ferrante,
 *    Ottenstein, Warren 1987).
 * This is Weiser's slice of the function for all its effects. What no instruction that matters will
 * read before it is overwritten is idle: a run from a state and a run from one that differs only in
 * idle bytes make the same instructions that matter, in the same order with the same operands,
 * provided that both come to them. They do if loops that only delay end: that is assumed, as of
 * every sleep.
 *
 * A function only delays if nothing in it has an effect but its return: it yields, sleeps, counts,
 * calls others of the kind, and writes at most objects that it is lent (lent.h). */
#ifndef HEDDLE_INSTRUMENT_LIVENESS_IDLE_H
#define HEDDLE_INSTRUMENT_LIVENESS_IDLE_H
#include "tool/instrument/liveness/frame.h"

typedef struct FrameLive { /* what is live at one point of a function */
    RegSet registers;
    uint64_t *bytes; /* as StackFrame.escaped */
    /* Known to liveness.c only: registers that may have the same value when the function returns;
     * are the flags live? */
    RegSet passed;
    bool flags;
} FrameLive;

typedef struct Idle Idle;
/* FRAME_OF tells the analysed frame of a function, or NULL. */
Idle *idle_new(Arena *arena, const Image *image, const void *context,
               const StackFrame *(*frame_of)(const void *context, uint32_t function));
/* For each call of FRAME what instructions that matter may read after it; NULL if that could not be
 * found out, or all that is live matters. In SCRATCH. */
const FrameLive *idle_find(Idle *idle, Arena *scratch, const StackFrame *frame);
#endif
