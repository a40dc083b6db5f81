/* thread_storage.h: thread-local variables of a program, by address. Each thread has its copies
 * below its thread pointer, which the record tells; the program's own block ends there (the static
 * model of x86-64, variant II of the ELF specification of thread-local storage, Drepper 2013). */
#ifndef HEDDLE_REPORT_DWARF_THREAD_STORAGE_H
#define HEDDLE_REPORT_DWARF_THREAD_STORAGE_H
#include <elfutils/libdwfl.h>
#include "base/arena.h"
#include "record/record.h"

typedef struct ThreadStorage ThreadStorage;
typedef struct ThreadVariable {
    unsigned thread;
    const char *name;
    Dwarf_Die type;
    uint64_t offset; /* of the address in the variable */
} ThreadVariable;

/* NULL if the program has none, or the record says nothing about threads. */
ThreadStorage *thread_storage_new(Arena *arena, Dwfl_Module *module, const Record *record);
/* The variable at ADDRESS; false if there is none. STORAGE may be NULL. */
bool thread_storage_find(const ThreadStorage *storage, uint64_t address, ThreadVariable *out);
#endif
