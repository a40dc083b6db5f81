/* library.h: what a program asks of the C library, read off its undefined symbols: it decides how
 * the program can be explored. */
#ifndef HEDDLE_INSTRUMENT_LIBRARY_H
#define HEDDLE_INSTRUMENT_LIBRARY_H
#include "tool/instrument/build.h"

typedef struct LibraryUse {
    const char *replay_name; /* a function with state that checkpoints do not restore, or NULL */
    bool finds_functions;    /* dlsym: calls that no table of the program names */
    bool needs_thread_local; /* thread-local variables, errno */
} LibraryUse;
void library_use_of(const Build *build, LibraryUse *out);
/* Does the program itself define a function of that name? Then the library's is not meant. */
bool library_program_defines(const Build *build, const char *name);
#endif
