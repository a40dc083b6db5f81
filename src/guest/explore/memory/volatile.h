/* volatile.h: volatile accesses count as relaxed atomics. The hook runs before the native access: a
 * read's value is put into memory for that one load, a write becomes an event at the next hook. */
#ifndef HEDDLE_EXPLORE_MEMORY_VOLATILE_H
#define HEDDLE_EXPLORE_MEMORY_VOLATILE_H
#include "base/common.h"
/* Accesses to the thread's own stack are plain ones where no other thread has touched it: compilers
 * announce the volatile accesses to a local variable whose address nobody has, but not the plain
 * stores beside them, so that memory alone knows its value (locals.h). */
void volatile_read(void *address, unsigned size, const void *pc);
void volatile_write(void *address, unsigned size, const void *pc);
/* The variable is known to be shared. */
void volatile_read_shared(void *address, unsigned size, const void *pc);
void volatile_write_shared(void *address, unsigned size, const void *pc);
#endif
