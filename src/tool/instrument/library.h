/* library.h: what a program asks of the C library, read off its undefined symbols: it decides how
 * the program can be explored. */
#ifndef HEDDLE_INSTRUMENT_LIBRARY_H
#define HEDDLE_INSTRUMENT_LIBRARY_H
#include "tool/instrument/build.h"

typedef struct LibraryUse {
    const char *replay_name; /* a function with state that checkpoints do not restore, or NULL */
    bool may_keep_state;  /* there are functions that nobody knows, whose calls the runtime sees */
    bool finds_functions; /* dlsym: calls that no table of the program names */
    bool needs_thread_local; /* thread-local variables, errno */
} LibraryUse;
MUST_USE bool library_use_of(Arena *arena, const Build *build, LibraryUse *out, Error *error);
/* Does the program itself define a function of that name? Then the library's is not meant. */
bool library_program_defines(const Build *build, const char *name);
#endif
