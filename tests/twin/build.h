/* build.h: an instrumented program that stays. */
#ifndef HEDDLE_TWIN_BUILD_H
#define HEDDLE_TWIN_BUILD_H
#include <stdbool.h>

/* Compiles SOURCE with CC, FLAGS (NULL ends them) and our runtime (HEDDLE_RUNTIME names it) into
 * OUT; prints what is wrong. */
bool twin_build(const char *cc, const char *source, const char *out, char **flags);
#endif
