/* generate.h: random programs of the twin's language, the same for the same seed. */
#ifndef HEDDLE_TWIN_GENERATE_H
#define HEDDLE_TWIN_GENERATE_H
#include "base/str.h"

/* Appends one program (threads separated by `|`) with at most EVENTS events: 2 to 4 threads, 1 to 3
 * locations, every order and kind of access, guards on values read, sometimes initial values and
 * accesses by main before and after. */
void twin_generate(uint64_t seed, int events, Buffer *text);
/* One that hands a plain variable from thread to thread over atomic flags, with orders and fences
 * that suffice or do not: about half of them have a data race. */
void twin_generate_handover(uint64_t seed, Buffer *text);
/* Plain accesses of up to 16 bytes to four locations, beside single and atomic ones. */
void twin_generate_wide(uint64_t seed, int events, Buffer *text);
/* A block of the heap that threads and their creator use, and that somebody may free. */
void twin_generate_lives(uint64_t seed, Buffer *text);
/* A block that a thread frees when another one has said, directly or by a third one and with orders
 * that suffice or do not, that it needs it no longer. */
void twin_generate_ends(uint64_t seed, Buffer *text);
#endif
