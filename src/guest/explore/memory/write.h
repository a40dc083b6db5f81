/* write.h: what the runtime writes into memory that executions share with it: its own state, and
 * what libc would have written. A part of plain.h, for those who stand below that. */
#ifndef HEDDLE_EXPLORE_MEMORY_WRITE_H
#define HEDDLE_EXPLORE_MEMORY_WRITE_H
#include "base/common.h"

/* Writes BYTES bytes: undone on backtracking, never a race. */
void op_write(void *to, const void *from, size_t bytes);
#define op_set(lvalue, value)                                                                      \
    do {                                                                                           \
        __typeof__(lvalue) op_set_value = (value);                                                 \
        op_write(&(lvalue), &op_set_value, sizeof(lvalue));                                        \
    } while (0)
#endif
