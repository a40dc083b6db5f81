/* golden.h: compiles a C file with golden code and loads it. */
#ifndef HEDDLE_CLI_GOLDEN_H
#define HEDDLE_CLI_GOLDEN_H
#include "judge/spec/golden.h"

/* COMPILER may be NULL. NULL and a message with the compiler's first complaint if it fails. A crash
 * in the golden code later ends the program with exit status 2 and a message. */
Spec *golden_load(Arena *arena, Values *values, const char *path, const char *compiler,
                  Error *error);
#endif
