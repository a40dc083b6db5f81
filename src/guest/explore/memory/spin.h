/* spin.h: loops that wait for plain memory: while (!flag) ; where flag is no atomic.
 *
 * Threads are switched at events. A loop that only reads plain memory makes none, so no other
 * thread would ever run and change what it looks at. It is found by its state: if a thread comes
 * twice to the same plain read, without a request, a write to memory outside its stack or an
 * allocation between, and with the same stack and registers, then it goes round for ever as long as
 * memory does not change. What it reads there becomes an event (memory_promote), and exploration
 * begins again: others run while it waits (waiting.h), and if nobody ever changes the value it is a
 * livelock. To explore a plain access as an event is always right; which one of the loop's reads it
 * is does not matter, since a write to another one of them is then found as a race.
 *
 * Reads are counted from the thread's last request on, and the one of number 65536 is looked at,
 * and the few thousand that follow it: this costs a counter. So most threads are never looked at,
 * and where one is depends on its own steps alone, not on what the process did before. (A look
 * leaves other bytes below the stack pointer than there would be without it.)
 *
 * A loop that also writes (while (!flag) n++) comes to no state twice. It can't be told from a long
 * computation, so a thread that has read very often without a request only stalls: the others run
 * on first, and their accesses are compared with what it has done, so that a race which its loop
 * depends on is found. Then it goes on where it was. */
#ifndef HEDDLE_EXPLORE_SPIN_H
#define HEDDLE_EXPLORE_SPIN_H
#include "base/common.h"

typedef struct SpinState {
    uint32_t reads, next; /* so many plain reads were made since the last request; at
                                              so many one is looked at */
    uint32_t period;      /* next at a request */
    /* A replay came to such a loop: the threads that end it had run on before, to where no event
     * shows it. */
    bool in_replay;
    /* May threads stall? Only where somebody sees to it that others run, and then goes on with
     * them. */
    bool may_stall;
} SpinState;
extern SpinState spin;
/* Once, before anything runs, and when accesses begin to be traced: sets the period, which is short
 * where they are. */
void spin_begin(void);
/* A thread makes a request. */
static inline void spin_note_request(void)
{
    spin.reads = 0;
    spin.next = spin.period;
}
/* A plain read that is looked at. */
void spin_look(const void *address, size_t bytes, const void *pc);

static inline void spin_note_read(const void *address, size_t bytes, const void *pc)
{
    if (UNLIKELY(++spin.reads >= spin.next))
        spin_look(address, bytes, pc);
}
#endif
