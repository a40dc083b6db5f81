/* shared.h: shared libraries that heddle did not compile, where the loader has put them. The tool
 * has found their instructions (tool/instrument/shared/shared.h), which are watched like those of
 * the program (watch.h); their calls of functions that the runtime stands in for are led to it, and
 * other calls are noted as the program's are (guest/runtime/opaque.h). */
#ifndef HEDDLE_ENTRY_SHARED_H
#define HEDDLE_ENTRY_SHARED_H
#include "record/link.h"

/* Finds the libraries by their files and changes their tables of addresses. Call before the
 * program's memory is saved (guest/runtime/image.h). */
void shared_setup(const Link *link);
/* Returns where library NUMBER (LinkWatch.library) is loaded, or 0 if another file was taken: then
 * nothing of it is watched, and its functions are noted as unknown when they are called. */
uint64_t shared_base(unsigned number);
#endif
