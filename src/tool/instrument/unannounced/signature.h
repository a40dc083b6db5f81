/* signature.h: what the debug information says of the function at an address. Without any (DWARF is
 * NULL), nothing is known. */
#ifndef HEDDLE_INSTRUMENT_UNANNOUNCED_SIGNATURE_H
#define HEDDLE_INSTRUMENT_UNANNOUNCED_SIGNATURE_H
#include <elfutils/libdw.h>
#include "base/arena.h"

/* Returns "file.c:7", in ARENA, or NULL. */
const char *signature_place(Arena *arena, Dwarf *dwarf, uint64_t address);
const char *signature_name(Dwarf *dwarf, uint64_t address); /* as the source has it, or NULL */
/* Does the function get the address of its result as a hidden first argument? */
bool signature_has_hidden_argument(Dwarf *dwarf, uint64_t address);
/* Is NAME, as the linker knows it, that of a constructor? Its object is nobody else's yet. */
bool signature_is_constructor(const char *name);
/* Is it given structures by value, in memory? True also if nobody knows what it is given. */
bool signature_takes_structure(Dwarf *dwarf, uint64_t address);
#endif
