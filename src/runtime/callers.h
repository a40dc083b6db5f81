/* callers.h: who called whom, for reports: an access inside std::atomic or std::mutex is shown at the
 * line of the user's code that led there. Kept from the compiler's calls at function entry and exit,
 * and only while an execution is run again to be shown: an exploration pays one test a call. */
#ifndef HEDDLE_RUNTIME_CALLERS_H
#define HEDDLE_RUNTIME_CALLERS_H
#include "base/common.h"

extern bool callers_kept;
void callers_enter(const void *pc); /* the current thread was called from PC */
void callers_leave(void);
/* The innermost call sites of THREAD, return addresses, innermost first; zeros after the last. */
void callers_list(int thread, uint64_t *list, unsigned count);
#endif
