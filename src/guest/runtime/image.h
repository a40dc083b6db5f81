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
/* Called before that if set: takes back what was done to files, and closes what it needs for it. */
extern void (*image_files_back)(bool last);
void image_end(void);   /* an execution is over: files are taken back now */
void image_leave(void); /* it was the last one of this process, or others may go on meanwhile */
bool image_file_was_open(int fd); /* before main */
void image_keep_file(int fd);     /* of the runtime: it stays open */
extern bool image_may_open_files; /* a library function has run since that may have opened some */
#endif
