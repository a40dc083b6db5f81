/* compile.h: the sources of a build, compiled to assembly text and assembled, several at a time.
 * gcc compiles in one step, unless there are nested functions (nested.h); clang in two
 * (unannounced/fields.h). */
#ifndef HEDDLE_INSTRUMENT_COMPILE_H
#define HEDDLE_INSTRUMENT_COMPILE_H
#include "tool/instrument/build.h"

/* Compiles, then assembles, every source of BUILD. What the compilers say is printed. */
MUST_USE bool compile_sources(Arena *arena, Workspace *workspace, const BuildRequest *request,
                              const Build *build, Error *error);
/* WORDS as posix_spawn wants them: it takes char *const *, though it changes nothing. */
char *const *compile_arguments(Words *words);
/* Prints the file PATH on stderr, if it is there. */
void compile_print_log(const char *path);
#endif
