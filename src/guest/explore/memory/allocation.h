/* allocation.h: malloc and free, as the program calls them: where the heap (heap.h) meets races,
 * and accesses that are on their way (deferred.h). */
#ifndef HEDDLE_EXPLORE_MEMORY_ALLOCATION_H
#define HEDDLE_EXPLORE_MEMORY_ALLOCATION_H
#include "guest/explore/memory/heap.h"

/* Called for every allocation and free of the program, when set (replay). */
extern void (*heap_trace)(const HeapBlock *block, bool frees, const void *pc);

/* Allocates on behalf of the program; NULL where the program may see that. ALIGNMENT is a power of
 * two, at least HEAP_UNIT. Fresh memory is zero, and undone writes leave it so; ZEROED notes that
 * the program may rely on it. */
void *heap_allocate_aligned(size_t bytes, size_t alignment, bool zeroed, const void *pc);
/* Does so as the program's malloc, for entry points that hand out memory (strdup). */
void *heap_allocate(size_t bytes, const void *pc);
void heap_release(void *address, const void *pc); /* as the program's free */
#endif
