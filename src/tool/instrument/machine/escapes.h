/* escapes.h: code that the runtime will not see: inline assembly that touches memory, locked
 * instructions, objects and libraries that were not compiled by us. A program with such code can be
 * found wrong, but never right: what escapes is named, and the answer is inconclusive at best. */
#ifndef HEDDLE_INSTRUMENT_MACHINE_ESCAPES_H
#define HEDDLE_INSTRUMENT_MACHINE_ESCAPES_H
#include "tool/instrument/build.h"

typedef struct Escape {
    const char *place;       /* "queue.c:12" or "libq.a(queue.o)" */
    const char *function;    /* NULL if unknown */
    uint64_t offset;         /* in the function; only for objects */
    const char *instruction; /* NULL: the whole object */
    const char *why;         /* "an atomic access" */
} Escape;
typedef Vec(Escape) Escapes;

MUST_USE bool escapes_find(Arena *arena, const Build *build, const BuildRequest *request,
                           Escapes *out, Error *error);
/* One line about it, for a person. */
const char *escapes_text(Arena *arena, const Escape *escape);
#endif
