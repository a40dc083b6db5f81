/* image.h: the writable memory of the program and its libraries as it was before main, for
 * re-execution. The runtime's own data is left out. */
#ifndef HEDDLE_RUNTIME_IMAGE_H
#define HEDDLE_RUNTIME_IMAGE_H
#include "base/common.h"
void image_save(void);
/* Puts the memory back. If IMAGE_MAY_OPEN_FILES was set since, files that were opened after
 * image_save are closed: the next execution opens its own. */
void image_restore(void);
/* Calls visit with each piece of that memory, as it is now. */
void image_each(void (*visit)(const char *from, size_t bytes));
extern bool image_may_open_files; /* a library function has run since that may have opened some */
#endif
