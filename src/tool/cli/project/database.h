/* database.h: compile_commands.json, the list of compilations that CMake, Meson and Bear write: the
 * flags of the files that are checked, so that nobody has to type them again. */
#ifndef HEDDLE_CLI_PROJECT_DATABASE_H
#define HEDDLE_CLI_PROJECT_DATABASE_H
#include "base/error.h"
#include "tool/instrument/build.h"

typedef struct DatabaseTaken { /* what was found */
    size_t count;              /* files that are in the list */
    Words near;                /* others, which get the flags of a neighbour: "t.c as q.c" */
} DatabaseTaken;

/* Appends to *COMPILE the flags that FOLDER/compile_commands.json has for the sources among FILES,
 * as far as they mean something here (compiler_wants); paths are made absolute. If the sources do
 * not agree on them, *DIFFER is set and nothing is appended: database_own serves. Flags that could
 * run a program or write a file are refused (instrument/trust.h): the list may come from anybody. A
 * source that is not in the list gets the flags of the one in the same language that is nearest in
 * the tree of folders; it is an error if there is none for any of the files. The caller frees
 * TAKEN->near. */
MUST_USE bool database_flags(Arena *arena, const char *folder, const Words *files, Words *compile,
                             DatabaseTaken *taken, bool *differ, Error *error);
/* Gives each file of REQUEST its own flags (REQUEST->own, which must be empty), and with ALL adds
 * the other sources of the list as an archive, of which the linker takes what is needed. The lists
 * of REQUEST that change are new ones, whose memory the caller frees, as that of TAKEN->near. */
MUST_USE bool database_own(Arena *arena, const char *folder, bool all, BuildRequest *request,
                           DatabaseTaken *taken, Error *error);
#endif
