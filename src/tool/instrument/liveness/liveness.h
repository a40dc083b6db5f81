/* liveness.h: which bytes of the stack frames and which saved registers of a program are dead at
 * its calls. The explorer compares states of a thread by its stack; leftovers that nobody will read
 * make equal states look different and each such miss costs executions.
 *
 * The analysis reads the linked machine code, so it holds for any compiler and optimisation level.
 * It errs on one side only: what it calls dead is never read again; whatever it does not understand
 * (computed stack pointers, unknown jumps, setjmp, frames whose addresses went elsewhere) counts as
 * live, or the call gets no entry at all. The arguments stand in liveness.c. */
#ifndef HEDDLE_INSTRUMENT_LIVENESS_H
#define HEDDLE_INSTRUMENT_LIVENESS_H
#include "base/arena.h"
#include "base/error.h"
#include "record/liveness_table.h"

/* Analyses the executable at PATH (linked at fixed addresses, with the runtime inside and its
 * symbols kept) and puts its table into ARENA. Fails only if PATH is no such file; code that cannot
 * be analysed gives a smaller table. */
MUST_USE bool liveness_analyse(Arena *arena, const char *path, LivenessTable **out, Error *error);

/* Analyses the runtime alone, in the executable at PATH, and writes to file TO what
 * liveness_analyse can take from it in any program (tool/instrument/liveness/stored.h). For the
 * Makefile. */
MUST_USE bool liveness_store(Arena *arena, const char *path, const char *to, Error *error);
#endif
