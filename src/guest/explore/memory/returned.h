/* returned.h: local variables whose function has returned, and others still have their address.
 *
 * Where another thread has touched the stack of T (the exploration begins again when that is found
 * out), the hooks at the beginning and the end of T's functions tell what of it is in use:
 *   - A function ends. An access of another thread to its frame that nothing orders before that may
 *     also come after it: a use after free, as if the frame were freed. The frame ends at the
 * return address (guest/runtime/arch.h), if the frame pointer is one; where the
 * compiler has made the hook's call a jump, that is the hook's own return address. What lies below,
 *     down to the lowest frame since the last such end, is looked at with it. (Functions that the
 *     runtime has called are left out: for threads, memory_check_end does this.)
 *   - From then on nothing below the return address is a variable, until T calls a function: what
 * is above the stack pointer is in use again; so is what is above anything that T itself touches.
 *     Meanwhile an access of another thread there is one to a variable that is gone, unless it lies
 *     above the return address of T's last call (memory that T has got by alloca, or as an array of
 *     variable length, since). That is not called a violation, since that address is not always
 *     found. */
#ifndef HEDDLE_EXPLORE_MEMORY_RETURNED_H
#define HEDDLE_EXPLORE_MEMORY_RETURNED_H
#include "guest/explore/graph/facts.h"

/* Do other threads touch the stack of some thread? */
static inline bool returned_is_wanted(void)
{
    return (facts_met[FACT_shared] & STACK_FOREIGN) != 0;
}
void returned_reset(void);
/* The present thread has entered a function, or leaves one, and has called a hook which returns to
 * PC; SP is the stack pointer there, FRAME what the frame pointer holds. JUMPED: not from the
 * function itself, whose frame is gone. To be called if others touch some stack. */
void returned_enter(char *sp);
void returned_leave(char *sp, char *frame, bool jumped, const void *pc);
/* The present thread accesses its own stack at ADDRESS. */
void returned_touch(char *address);
/* It accesses that of OWNER: ends the exploration if the variable is gone. */
void returned_check(const char *address, int owner, const void *pc);
#endif
