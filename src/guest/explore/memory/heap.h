/* heap.h: the program's heap: deterministic (an address is thread and allocation count), with every
 * byte known as live, freed or never allocated. Each thread has its own region, filled upwards;
 * what was allocated before main lies in one more. Blocks are not reused.
 *
 * The state of a region is its cursor, which the explorer saves and restores with each event, and a
 * shadow byte for every 16 bytes, which is logged memory. */
#ifndef HEDDLE_EXPLORE_MEMORY_HEAP_H
#define HEDDLE_EXPLORE_MEMORY_HEAP_H
#include "record/layout.h"

#define HEAP_UNIT 16u /* bytes; every block begins at a multiple */

typedef struct HeapCursor {
    uint32_t used;  /* in units of 16 bytes */
    uint32_t count; /* allocations so far */
} HeapCursor;

typedef struct HeapBlock { /* stands before each block */
    uint64_t bytes;
    uint64_t pc, free_pc;
    uint32_t serial; /* in its region */
    uint16_t region, free_thread;
    uint64_t check; /* tells a block's start from other memory */
    uint32_t zeroed;
    uint32_t tag; /* events of its thread before the allocation */
} HeapBlock;

#define HEAP_REGION_START MAX_THREADS /* the region used before main */
extern HeapCursor heap_cursor[MAX_THREADS + 1];
typedef struct HeapLimits {
    uint64_t bytes; /* largest allocation */
    /* A thread runs by itself (symmetry/placements.h): blocks of other threads are not there. */
    bool unchecked;
} HeapLimits;
extern HeapLimits heap_limits;

void heap_setup(void);
/* Places the next block of REGION; ALIGNMENT is a power of two, at least HEAP_UNIT. Of HEADER what
 * is not the region's is looked at. NULL: the region is full. */
HeapBlock *heap_place(int region, size_t alignment, const HeapBlock *header);
/* The program frees ADDRESS: ends the execution with a violation unless BLOCK, which begins there,
 * is live. */
void heap_check_release(const HeapBlock *block, void *address, const void *pc);
void heap_mark_freed(HeapBlock *block, const void *pc);
HeapBlock *heap_block_at(const void *address); /* NULL unless a block begins there */
/* The block that ADDRESS lies in or behind; NULL if it is not in the heap. */
const HeapBlock *heap_block_around(const void *address);
/* Ends the execution with a violation unless [address, address + bytes) lies in one live block. */
void heap_check(const char *address, size_t bytes, bool writes, const void *pc);
/* The thread that has allocated the live block at ADDRESS, in the heap, and after how many of its
 * events; -1 for what was allocated before main. */
int heap_allocated_by(const char *address, uint32_t *tag);
/* Does ADDRESS, in the heap, lie in the region of THREAD? */
static inline bool heap_is_of(const void *address, int thread)
{
    return ((uintptr_t)address - HEAP_BASE) / HEAP_SLOT == (unsigned)thread;
}
/* Does it? */
bool heap_is_allowed(const char *address, size_t bytes);
bool heap_is_zeroed(const char *address); /* from calloc, or allocated before main */
bool heap_is_live(const HeapBlock *block);
/* For memory_divert, which places blocks itself: makes heap_block_at and heap_is_live know a block
 * of its own, or forget it. sizeof(HeapBlock) bytes before ADDRESS are overwritten. */
void heap_put_block(void *address, size_t bytes, bool zeroed, bool live, const void *pc);
void heap_remove_block(void *address);
/* For the same: the program frees a block that was allocated before main, with heap_release's
 * violations. Its bytes become zero, so that nothing depends on what they were; their number. */
size_t heap_release_early(void *address, const void *pc);
/* For the same: such a block counts as freed from now on. Calls will_write before it writes. */
void heap_forget_early(void *address, void (*will_write)(void *address, size_t bytes));
/* Calls visit(block, address) for all blocks of a region below its cursor. */
void heap_each(int region, void (*visit)(HeapBlock *block, char *address, void *context),
               void *context);
/* Before re-execution: regions of threads are empty again, that of the start as it was. */
void heap_save_start(void);
void heap_restart(void);
#endif
