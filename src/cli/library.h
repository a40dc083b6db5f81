/* library.h: what a program asks of the C library, read off its undefined symbols: it decides how
 * the program can be explored. */
#ifndef HEDDLE_CLI_LIBRARY_H
#define HEDDLE_CLI_LIBRARY_H
#include "instrument/build.h"

/* Functions of the C library that the program calls, by what they ask of the runtime. */
typedef struct LibraryUse {
    bool needs_replay;        /* keeps state that checkpoints do not restore */
    const char *replay_name;  /* the first such function */
    const char *refused_name; /* a function that can't be explored, or NULL */
    bool needs_thread_local;  /* thread-local variables, errno */
} LibraryUse;
void library_use_of(const Build *build, LibraryUse *out);
#endif
