/* divert.h: where plain memory and the heap go while states are explored instead of graphs
 * (guest/states). Then memory itself holds every value, atomic or plain, and the functions of
 * memory.h and heap.h hand what they are asked for to these. */
#ifndef HEDDLE_EXPLORE_MEMORY_DIVERT_H
#define HEDDLE_EXPLORE_MEMORY_DIVERT_H
#include "base/common.h"

typedef struct MemoryDivert {
    /* op_plain_read, op_plain_write: comes before the access [switch] */
    void (*access)(char *address, size_t bytes, bool writes, const void *pc);
    /* op_write: comes before the write, by a thread */
    void (*write)(void *to, size_t bytes);
    void *(*allocate)(size_t bytes, size_t alignment, bool zeroed, const void *pc);
    /* false: the block is not one of its own */
    bool (*release)(void *address, const void *pc);
    void (*forget_rounds)(uint32_t *counter, uint32_t *rounds,
                          uint32_t each); /* op_forget_rounds */
} MemoryDivert;
extern const MemoryDivert *memory_divert; /* NULL: graphs are explored */
#endif
