/* golden.h: compiles a C file with golden code and loads it. */
#ifndef HEDDLE_CLI_GOLDEN_H
#define HEDDLE_CLI_GOLDEN_H
#include "judge/spec/golden.h"

/* Golden code may end the process in ways that nobody sees (_exit), and its status must not be
 * taken for an answer. Goes on in a child process, where it returns true; the parent waits for it,
 * hands signals on, and ends with *status: the child's, or 2 if the child ended before
 * golden_guard_done. */
bool golden_guard(int *status);
void golden_guard_done(void);
/* COMPILER may be NULL. Returns NULL and a message with the compiler's first complaint if it fails.
 * A crash in the golden code later ends the program with exit status 2 and a message. */
Spec *golden_load(Arena *arena, Values *values, const char *path, const char *compiler,
                  Error *error);
#endif
