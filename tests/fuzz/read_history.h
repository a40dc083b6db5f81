/* read_history.h: the readers of histories, for files.c: its other readers have types of the same
 * names. */
#ifndef HEDDLE_FUZZ_READ_HISTORY_H
#define HEDDLE_FUZZ_READ_HISTORY_H
#include "base/arena.h"
#include "base/error.h"
#include "base/str.h"

/* A line of an observation file. */
bool read_run(Arena *arena, Str input, Error *error);
/* A log; what is one is also checked, with small limits. */
bool read_log(Arena *arena, Str input, Error *error);
#endif
