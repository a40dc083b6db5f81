/* rename.h: functions of the program that have the name of a library function which the linker
 * would wrap (lib/wrap.args): a getline, strlcpy or rand of its own. The program must call its own
 * and the runtime the library's, so the program's gets another name in all of its objects; reports
 * take names from the debug information, which is left alone. */
#ifndef HEDDLE_INSTRUMENT_MACHINE_RENAME_H
#define HEDDLE_INSTRUMENT_MACHINE_RENAME_H
#include "tool/instrument/built.h"

/* Replaces the objects of BUILD by copies in the workspace if there are such functions. WRAPS is
 * the file with the linker's options. Call before the objects are linked; reads them again. */
MUST_USE bool rename_own_functions(Arena *arena, Workspace *workspace, Build *build,
                                   const char *wraps, Error *error);
#endif
