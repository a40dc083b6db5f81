/* locals.h: variables on stacks, by address. The record tells in which function's frame an address
 * lay (RecordEvent.frame); the debug information where in it the variable is. */
#ifndef HEDDLE_REPORT_DWARF_LOCALS_H
#define HEDDLE_REPORT_DWARF_LOCALS_H
#include <elfutils/libdwfl.h>
#include "base/arena.h"
#include "record/record.h"

typedef struct LocalNames LocalNames;
typedef struct LocalVariable {
    unsigned thread; /* whose stack */
    const char *name;
    Dwarf_Die type;
    uint64_t offset; /* of the address in the variable */
} LocalVariable;

/* NULL if the record names no frame. LOAD_BASE is where the program was loaded. */
LocalNames *locals_new(Arena *arena, Dwfl_Module *module, const Record *record, uint64_t load_base);
/* The variable at ADDRESS when event MOMENT of the record happened (RECORD_NONE: at its end), since
 * functions that are called one after the other use the same part of a stack; false if there is
 * none. LOCALS may be NULL. */
bool locals_find(const LocalNames *locals, uint64_t address, uint32_t moment, LocalVariable *out);
#endif
