/* callers.h: who called whom, for reports: an access inside std::atomic or std::mutex is shown at
 * the line of the user's code that led there. Kept from the compiler's calls at function entry and
 * exit, and only while an execution is run again to be shown: an exploration pays one test a call.
 */
#ifndef HEDDLE_RUNTIME_CALLERS_H
#define HEDDLE_RUNTIME_CALLERS_H
#include "base/common.h"

extern bool callers_kept;
/* The current thread has entered the function that INSIDE lies in, which returns to PC. */
void callers_enter(const void *pc, const void *inside);
void callers_leave(void);
/* The innermost call sites of THREAD, return addresses, innermost first; zeros after the last. */
void callers_list(int thread, uint64_t *list, unsigned count);
/* Whose frame is ADDRESS in, of the functions that are active now? False if it is on no stack, or
 * that is not known. *inside lies in the function, *frame is its canonical frame address (as DWARF
 * has it). */
bool callers_frame(const void *address, uint64_t *inside, uint64_t *frame);
#endif
