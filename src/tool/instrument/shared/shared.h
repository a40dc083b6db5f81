/* shared.h: shared libraries that the program is linked with and that heddle did not compile: their
 * instructions, to be watched where the loader puts them (guest/entry/shared.h), and their calls of
 * functions that the runtime stands in for, to be led there.
 *
 * Functions are found by the unwind tables, which every function of C and C++ has, also in a
 * library without symbols. Code that has none (but for some bytes that the compiler's start files
 * leave in every library), a table that is not understood or too many instructions leave the
 * library unseen: its functions are noted when they are called (guest/runtime/opaque.h). */
#ifndef HEDDLE_INSTRUMENT_SHARED_SHARED_H
#define HEDDLE_INSTRUMENT_SHARED_SHARED_H
#include "tool/instrument/machine/foreign.h"

typedef Vec(LinkLibrary) SharedLibraries;
typedef Vec(LinkRedirect) SharedRedirects;

typedef struct SharedCode {
    SharedLibraries libraries; /* that are watched; LinkWatch.library is an index here plus 1 */
    SharedRedirects redirects;
    ForeignCopy copy;      /* of the one whose code is copied (copied.h) */
    bool has_thread_local; /* one of them has thread-local variables */
} SharedCode;

/* Looks at the libraries among ESCAPES that are loaded when the program starts; what can be watched
 * of them goes to WATCHES. */
void shared_watch(Arena *arena, const Build *build, const Escapes *escapes, Watches *watches,
                  SharedCode *shared);
void shared_free(SharedCode *shared);
#endif
