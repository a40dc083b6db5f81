/* volatile.h: volatile accesses count as relaxed atomics. The hook runs before the native access: a
 * read's value is put into memory for that one load, a write becomes an event at the next hook. */
#ifndef HEDDLE_EXPLORE_MEMORY_VOLATILE_H
#define HEDDLE_EXPLORE_MEMORY_VOLATILE_H
#include "base/common.h"
void volatile_read(void *address, unsigned size, const void *pc);
void volatile_write(void *address, unsigned size, const void *pc);
#endif
