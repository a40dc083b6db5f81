/* heap_names.h: heap objects by the type of the pointer that received them ("node#2"), or by what
 * the allocator of a C++ container is for, by address. The record tells where each was allocated
 * and who called that; the debug information which pointers are there. */
#ifndef HEDDLE_REPORT_DWARF_HEAP_NAMES_H
#define HEDDLE_REPORT_DWARF_HEAP_NAMES_H
#include <elfutils/libdwfl.h>
#include "base/arena.h"
#include "record/record.h"

typedef struct HeapNames HeapNames;
typedef struct HeapName {
    const char *name; /* "node#2" */
    bool has_type;
    bool is_array;   /* several of the type */
    bool is_shared;  /* std::make_shared made it: its counts come first */
    uint64_t offset; /* where the type begins in the object */
    Dwarf_Die type;
} HeapName;
/* libstdc++: a pointer to virtual functions and two counts of 4 bytes */
#define HEAP_NAME_COUNTS 16

/* NULL is allowed for HEAP in what follows: there are no objects. */
HeapNames *heap_names_new(Arena *arena, Dwfl_Module *module, const Record *record);
/* By number in the record; NULL if there is no such object. */
const HeapName *heap_names_of(const HeapNames *heap, uint32_t object);
/* The object at ADDRESS: the last that was allocated there, since earlier ones were freed. */
bool heap_names_find(const HeapNames *heap, uint64_t address, uint32_t *out);
/* The one that ends last before ADDRESS, if it is near: what an access out of bounds was meant
 * for. */
bool heap_names_find_before(const HeapNames *heap, uint64_t address, uint32_t *out);
#endif
