/* demangle.h: names of C++ functions as people write them. The C++ library is loaded for it when a
 * name needs it: without the library, names stay as they are. */
#ifndef HEDDLE_INSTRUMENT_MACHINE_DEMANGLE_H
#define HEDDLE_INSTRUMENT_MACHINE_DEMANGLE_H
#include "base/arena.h"

/* Returns NAME, or for "_ZN..." what it stands for, in the arena. */
const char *demangle(Arena *arena, const char *name);
#endif
