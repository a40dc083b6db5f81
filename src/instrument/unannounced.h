/* unannounced.h: stores that gcc's thread instrumentation forgets. It announces assignments, but a
 * call is none to it: where a function returns a structure in memory (more than 16 bytes) and the
 * result is assigned as a whole, shared = make(), nothing tells of the store. Two things happen to
 * it:
 *  - make's result goes to a temporary object, and the caller copies that after the call;
 *  - (optimised) make gets the address of `shared` as that of its result, and stores there.
 * clang copies with memcpy, and announces what is stored through the address of the result.
 *
 * Both are found in the linked machine code. A store belongs to a hook if the last call before it
 * was one of an access: gcc puts hook and access side by side, with no call between. So a store
 * after any other call, or after none, was not announced. Of these, stores
 *  - to the stack are the compiler's own business, or objects whose address nobody has;
 *  - to memory that the function has just allocated, or to the object of a constructor, come before
 *    anybody else can know of it;
 *  - through the hidden first argument of a function that returns a structure (debug information
 *    tells) are not its own doing, but that of whoever passed an address that is none of these.
 * What remains, and such calls, may change shared memory. It is an escape (escapes.h): reported
 * with its place, and the answer is inconclusive at best.
 *
 * Of two paths that meet, the one with the hook counts, and code that can't be followed is passed
 * over: so something may be missed where a copy and the call before it are not in one piece of
 * code, which no gcc that we know makes. Loads that are not announced are another matter: see
 * heddle-run(1), LIMITS. */
#ifndef HEDDLE_INSTRUMENT_UNANNOUNCED_H
#define HEDDLE_INSTRUMENT_UNANNOUNCED_H
#include "base/hash.h"
#include "instrument/escapes.h"

/* Looks at those functions of the executable whose names' hashes are in NAMES. */
MUST_USE bool unannounced_find(Arena *arena, const char *program, HashMap *names, Escapes *out,
                               Error *error);
#endif
