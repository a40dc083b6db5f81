/* unannounced.h: accesses that the compilers' thread instrumentation forgets: it announces
 * assignments, but a call is none to it.
 *
 * Stores (gcc). Where a function returns a structure in memory (more than 16 bytes) and the result
 * is assigned as a whole, shared = make(), nothing tells of the store. Two things happen to it:
 *  - make's result goes to a temporary object, and the caller copies that after the call;
 *  - (optimised) make gets the address of `shared` as that of its result, and stores there.
 * clang copies with memcpy, and announces what is stored through the address of the result.
 * Both are found in the linked machine code. A store belongs to a hook if the last call before it
 * was one of an access: gcc puts hook and access side by side, with no call between. So a store
 * after any other call, or after none, was not announced. Of these, stores
 *  - to the stack are the compiler's own business, or objects whose address nobody has;
 *  - to memory that the function has just allocated, or to the object of a constructor, come before
 *    anybody else can know of it: they race with nothing, unless the address is shown to others
 *    first. And the runtime must know what they overwrite, so that memory and stack of the thread
 *    can be put back to one time; they are watched where that is possible, and so are stores to
 * results that shall stand there (of every function that returns a structure, if one is called
 * through a pointer for such a result);
 *  - through the hidden first argument of a function that returns a structure (debug information
 *    tells) are not its own doing, but that of whoever passed an address that is none of these.
 * What remains, and such calls, may change shared memory.
 *
 * Loads (both). A structure of more than 16 bytes that is given to a function by value,
 * use(shared), is copied onto the stack between the call before and the call. The hook of a read
 * announces 16 bytes at most, that of a range as many as there are: so if more bytes than that are
 * loaded from memory that is neither the stack nor constant, and the call before was no hook of a
 * range, nobody was told. Only calls whose callee is known are looked at: not those through
 * pointers.
 *
 * Structures of up to 16 bytes travel in registers, and what else compilers forget is found by
 * counting the bytes that hooks announce (overlooked.h).
 *
 * What is found is watched, if it is an instruction with one simple operand: the runtime stops
 * there and announces it (guest/entry/watch.h). Else it is an escape (escapes.h): it is reported
 * with its place, and the answer is inconclusive at best; so is a function whose machine code is
 * not understood as a whole. Of two paths that meet, the one with the hook counts, and code without
 * debug information is passed over: so something may be missed where a copy and the call before it
 * are not in one piece of code, which no compiler that we know makes. */
#ifndef HEDDLE_INSTRUMENT_UNANNOUNCED_UNANNOUNCED_H
#define HEDDLE_INSTRUMENT_UNANNOUNCED_UNANNOUNCED_H
#include "base/hash.h"
#include "record/link.h"
#include "tool/instrument/machine/escapes.h"

/* Looks at those functions of the executable whose names' hashes are in NAMES. CLANG: which
 * compiler. */
/* Instructions that the runtime can stop at and announce go to WATCHES, others to OUT. */
MUST_USE bool unannounced_find(Arena *arena, const char *program, bool clang, HashMap *names,
                               Escapes *out, Watches *watches, Error *error);
#endif
