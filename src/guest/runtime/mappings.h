/* mappings.h: the pages that the program maps itself (mmap). Their addresses depend on the thread
 * and on what it mapped before, as those of the heap do, so that re-execution meets the same ones.
 * What was mapped before main stays, with its contents, when an execution begins; the rest goes. */
#ifndef HEDDLE_RUNTIME_MAPPINGS_H
#define HEDDLE_RUNTIME_MAPPINGS_H
#include <sys/types.h>
#include "base/common.h"
#include "record/layout.h"

#define MAPPINGS_START MAX_THREADS /* the owner of what is mapped before main */

/* Address space for BYTES at the next addresses of OWNER, a thread or MAPPINGS_START; NULL if it
 * has no more. Nothing is mapped there yet; pages around it stay free. */
void *mappings_place(int owner, size_t bytes);
/* The program unmaps these bytes, or maps them again. They stay mapped, because what the explorer
 * knows of them must be written back when it tries another execution; an access by the program is
 * an error meanwhile. False if there are too many such ranges to note. */
MUST_USE bool mappings_take(uintptr_t from, size_t bytes);
MUST_USE bool mappings_give(uintptr_t from, size_t bytes);
extern unsigned mappings_gone_count;                       /* ranges that are unmapped */
bool mappings_are_gone(const void *address, size_t bytes); /* any of them */
/* The program's memory before main, to be restored: call when the image is saved. */
void mappings_save(void);
void mappings_restore(void);
#endif
