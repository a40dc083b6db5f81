/* build.h: from the files of a command line to an instrumented program that contains our runtime.
 * Files compile in parallel; what the compiler prints goes to stderr unchanged. */
#ifndef HEDDLE_INSTRUMENT_BUILD_H
#define HEDDLE_INSTRUMENT_BUILD_H
#include "tool/instrument/built.h"

/* On failure the compiler's messages have been printed and *error is one sentence for the end. */
MUST_USE bool build_program(Arena *arena, Workspace *workspace, const BuildRequest *request,
                            Build *build, Error *error);
void build_free(Build *build);
/* The size and hash of a file's contents. */
MUST_USE bool build_hash_file(const char *path, BuildSource *out, Error *error);
/* Where the tool's own files lie: RELATIVE below its library folder; NULL if absent. */
const char *build_own_file(Arena *arena, const char *relative);
#endif
