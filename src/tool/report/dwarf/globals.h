/* globals.h: variables with a fixed address, by address: those of files, of namespaces and classes,
 * and static ones of functions. From DWARF. */
#ifndef HEDDLE_REPORT_DWARF_GLOBALS_H
#define HEDDLE_REPORT_DWARF_GLOBALS_H
#include <elfutils/libdwfl.h>
#include "base/arena.h"

typedef struct Globals Globals;
typedef struct GlobalVariable {
    uint64_t address, size; /* where the program was loaded */
    const char *name;
    Dwarf_Die type;
} GlobalVariable;

/* LOAD_BASE is where the program was loaded. */
Globals *globals_new(Arena *arena, Dwfl_Module *module, uint64_t load_base);
/* The variable at ADDRESS, or NULL. */
const GlobalVariable *globals_find(const Globals *globals, uint64_t address);
#endif
