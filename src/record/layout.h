/* layout.h: where the runtime puts things. Addresses are fixed, so that a thread that repeats its
 * steps meets the same addresses in every execution and every process. */
#ifndef HEDDLE_RECORD_LAYOUT_H
#define HEDDLE_RECORD_LAYOUT_H
#include "base/common.h"

#define MAX_THREADS 64
#define STACK_BASE 0x610000000000u
#define STACK_SLOT (8u << 20) /* address space of a stack; its size is an option */
#define STACK_DEFAULT (256u << 10)
#define HEAP_BASE 0x620000000000u
/* The value of HD_TICKET(0) where threads call for ever (guest/states/tickets.h): a multiple of
 * small numbers and of 65536, so that it is 0 modulo the size of a ring. */
#define TICKETS_BASE UINT32_C(0x5EBF0000)
#define TICKETS_DEFINITION "-DHEDDLE_TICKETS=0x5EBF0000u"
#define HEAP_SLOT ((uint64_t)4 << 30) /* address space of one thread's heap */
#define HEAP_END (HEAP_BASE + (MAX_THREADS + 1) * HEAP_SLOT)
#define HEAP_SHADOW_BASE 0x630000000000u /* a byte for every 16 of the heap */
#define PERMANENT_BASE 0x640000000000u   /* tables of the entry points, see op_permanent */
#define PERMANENT_BYTES ((uint64_t)1 << 30)

/* Locks and locations that stand for state of the libraries (entry/library/hidden.h): by letter,
 * then by object. */
#define HIDDEN_BASE 0x648000000000u
#define HIDDEN_STEP 16u
#define HIDDEN_LETTERS 128u
#define HIDDEN_BYTES ((HIDDEN_LETTERS + 1024u) * HIDDEN_STEP)

/* Pages that the program maps itself (runtime/mappings.h): by thread, then what is mapped before
 * main. */
#define MAPPING_BASE 0x650000000000u
#define MAPPING_SLOT ((uint64_t)64 << 30)

static inline bool in_heap(const void *address)
{
    return (uintptr_t)address - HEAP_BASE < HEAP_END - HEAP_BASE;
}
#endif
