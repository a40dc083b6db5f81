/* database.h: compile_commands.json, the list of compilations that CMake, Meson and Bear write: the
 * flags of the files that are checked, so that nobody has to type them again. */
#ifndef HEDDLE_CLI_PROJECT_DATABASE_H
#define HEDDLE_CLI_PROJECT_DATABASE_H
#include "base/error.h"
#include "tool/instrument/compiler.h"

/* Appends to *COMPILE the flags that FOLDER/compile_commands.json has for the sources among FILES,
 * as far as they mean something here (compiler_wants); paths are made absolute. The sources must
 * agree on them. Flags that could run a program or write a file are refused (instrument/trust.h):
 * the list may come from anybody. A file that is not in the list is an error, unless others are.
 * *COUNT says how many files were found. */
MUST_USE bool database_flags(Arena *arena, const char *folder, const Words *files, Words *compile,
                             size_t *count, Error *error);
#endif
