/* heap_names.h: heap objects by the type of the pointer that received them ("node#2"), or by what
 * the allocator of a C++ container is for, by address. The record tells where each was allocated
 * and who called that; the debug information which pointers are there. */
#ifndef HEDDLE_REPORT_DWARF_HEAP_NAMES_H
#define HEDDLE_REPORT_DWARF_HEAP_NAMES_H
#include <elfutils/libdwfl.h>
#include "base/arena.h"
#include "record/record.h"

typedef struct HeapNames HeapNames;
/* A HeapHead is what libstdc++ puts before the user's value in an object that it makes. */
typedef struct HeapHead {
    const char *type, *word; /* the template's name with "<"; what to call the object, or NULL: as
                                the value */
    const char *fields[4];   /* of `width` bytes each; the last one may be narrower */
    uint64_t bytes, width;
} HeapHead;
typedef struct HeapName {
    const char *name; /* "node#2" */
    bool has_type;
    bool is_array;        /* several of the type */
    bool inside_library;  /* the allocation stands in a header of the system */
    const HeapHead *head; /* what comes before the value, or NULL */
    uint64_t offset;      /* where the type begins in the object: the size of the head */
    Dwarf_Die type;
} HeapName;
/* The field of HEAD at OFFSET, "use_count"; NULL if an access of SIZE bytes (0: unknown) is to more
 * than one. */
const char *heap_head_field(const HeapHead *head, uint64_t offset, uint64_t size);

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
