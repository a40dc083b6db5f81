/* pages.h: the runtime's own memory, apart from the program's heap (which it intercepts). Taken
 * from the kernel, seldom given back, untouched by restarts. */
#ifndef HEDDLE_RUNTIME_PAGES_H
#define HEDDLE_RUNTIME_PAGES_H
#include "base/common.h"
/* Address space for BYTES; pages are used when first written, and read as zero. */
void *pages_reserve(size_t bytes);
/* Does the same at a fixed address; WHAT is for the message when the system refuses. */
void pages_reserve_at(uintptr_t address, size_t bytes, int protection, const char *what);
/* Ends the process: the system refuses address space for WHAT, and the machine or its limits are to
 * blame. The tool tells the user what stands in the message (cli/session.c). */
NORETURN void pages_refused(const char *what, size_t bytes);
/* Does the same, shared with the processes that are forked from now on. */
void *pages_share(size_t bytes);
#define PAGES_LARGE ((size_t)2 << 20)
/* All of the BYTES at AT, whole large pages of memory that pages_share gave, will be used: takes
 * them now, as large pages if the system has them. False: it has not, and none were taken. Memory
 * that is shared has large pages on demand only where an administrator says so, but may be made
 * large (Linux 6.1); that takes a quarter of the time that its small pages would, one by one. */
bool pages_take_large(void *at, size_t bytes);
/* All of the BYTES at AT, memory of this process alone, will be used: from now on the system may
 * take large pages for it, which are faster to get and to find. No byte outside is used by that. */
void pages_use_large(void *at, size_t bytes);
/* Gives back what pages_reserve gave. */
void pages_give_back(void *at, size_t bytes);
/* A piece that lives as long as the process: zeroed, 16-byte aligned. */
void *pages_alloc(size_t bytes);
#endif
