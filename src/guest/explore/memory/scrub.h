/* scrub.h: which bytes of a thread's stack matter. A thread that stopped at a request has on its
 * stack the frames of heddle__switch, of the runtime's functions, of the user's. The tool has found
 * out from the machine code which bytes of each frame, and which saved registers, nobody will read
 * any more (record/liveness_table.h); two stacks that agree in all other bytes are the same
 * state. So are two that differ in idle bytes, which only stretch a wait; but these are never
 * overwritten.
 *
 * A mask covers the stack from its stack pointer to its base, all ones where a byte matters. Return
 * addresses always matter, and they alone decide how the frames lie: so if two images of one length
 * agree under the mask of one of them, the mask of the other is the same. */
#ifndef HEDDLE_EXPLORE_SCRUB_H
#define HEDDLE_EXPLORE_SCRUB_H
#include "base/hash.h"

typedef struct ScrubState {
    bool active;   /* there is a table */
    bool has_idle; /* some bytes of it are idle */
    /* HEDDLE_DEBUG=torture=...: dead bytes are overwritten at every request, a test of the table.
     * With "fixed", by something that depends on their address alone; else where the table ends (at
     * a frame without entry) what was overwritten before makes states differ, so that less is
     * recognised as waiting. */
    bool torture;
} ScrubState;
extern ScrubState scrub;

/* Takes over the table, which must stay where it is; BYTES 0: there is none. False if it is
 * damaged. */
bool scrub_setup(const void *table, size_t bytes);
/* Sets up with a table in a file, for programs that are started by hand. */
bool scrub_setup_from_file(const char *path);
/* Makes the mask of the stack [SP, BASE), valid until the next call. */
void scrub_look(const char *sp, const char *base);
/* Does the same for the stack image [SP, BASE), and returns the mask, by words. */
const uint64_t *scrub_mask(const char *sp, const char *base);
/* Makes the dead bytes of the stack [SP, BASE) zero. OTHERS_LOOK: only those of registers that are
 * kept while an instruction of inline assembly is performed, since other threads look at the rest.
 */
void scrub_clean(char *sp, const char *base, bool others_look);
/* Do two images of that length agree where it matters? */
bool scrub_same(const char *a, const char *b);
/* Two hashes of the image of BYTES bytes of a stack: equal where scrub_same holds. Makes its mask.
 */
Hash128 scrub_hash(const char *image, size_t bytes);
/* Is it known that nobody looks at the result of the call that returns to PC? */
bool scrub_result_is_dead(const void *pc);
/* Does the thread whose stack reaches from SP to BASE stand in a function that does not end, as far
 * as its code tells? */
bool scrub_is_perpetual(const char *sp, const char *base);
/* Overwrites the dead bytes of thread T's stack, in place. */
void scrub_spoil(int thread);
#endif
