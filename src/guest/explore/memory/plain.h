/* plain.h: plain memory, as entry points and the runtime itself touch it; a part of ops.h
 * (guest/explore/search), for those who stand below that. */
#ifndef HEDDLE_EXPLORE_MEMORY_PLAIN_H
#define HEDDLE_EXPLORE_MEMORY_PLAIN_H
#include "guest/explore/memory/write.h"

/* Plain memory, as if instrumented code had touched it: bounds, use after free, races. */
void op_plain_read(const void *address, size_t bytes, const void *pc);
void op_plain_write(void *address, size_t bytes, const void *pc); /* call before writing */
/* *counter grows by EACH in every round, and *rounds, which threads wait for (AWAIT_GT) and add to,
 * by 1; nothing depends on more than differences between the two. Where states are explored both
 * are made smaller, with what threads wait for, so that states come back. */
void op_forget_rounds(uint32_t *counter, uint32_t *rounds, uint32_t each);
/* Do the bytes lie in a heap object, and has nothing written to them in the present execution?
 * [switch] */
bool op_is_blank(const void *address, unsigned size);
#endif
