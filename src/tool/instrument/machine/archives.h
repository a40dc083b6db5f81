/* archives.h: which members of archives the linker took, from its map: those of archives that are
 * inputs, and of libraries that -l names and that are archives. What it left out does not run. */
#ifndef HEDDLE_INSTRUMENT_MACHINE_ARCHIVES_H
#define HEDDLE_INSTRUMENT_MACHINE_ARCHIVES_H
#include "tool/instrument/built.h"

/* Returns whether the runtime stands in for the functions of the library NAME, or they share no
 * memory with the program. */
bool archives_is_known_library(const char *name);
/* Returns the name of the library that word number I of LINK names, or NULL if it names none. */
const char *archives_library(const Words *link, size_t i);
/* Does anything that is linked want a map? */
bool archives_want_map(const BuildRequest *request, const Build *build);
/* Marks the objects of BUILD that are not in the program, and reads those members of libraries that
 * are to build->members. Without the words of a linker that we know nothing is marked or read. */
MUST_USE bool archives_find(Arena *arena, const char *map, const BuildRequest *request,
                            Build *build, Error *error);
#endif
