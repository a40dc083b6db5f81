/* project_list.h: `heddle init --toml': the list of a project's tests. */
#ifndef HEDDLE_CLI_INIT_PROJECT_LIST_H
#define HEDDLE_CLI_INIT_PROJECT_LIST_H
#include "base/error.h"
#include "base/str.h"
#include "tool/instrument/compiler.h"

/* Appends a heddle.toml to *OUT with a test for each of FILES, or, if there are none, for each
 * source below the current folder that declares operations or marks calls. COMPILE is the user's
 * words for the compiler; a folder include/ is added by itself. *COUNT is the number of tests. */
MUST_USE bool project_list(Arena *arena, const Words *files, const Words *compile, Buffer *out,
                           size_t *count, Error *error);
#endif
