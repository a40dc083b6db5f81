/* opaque.h: code that the log of memory does not follow. A program that calls functions which keep
 * state of their own (known.h) is re-executed instead of restored. That goes for backtracking; but
 * to recognise a loop that waits (guest/explore/reduce/waiting/waiting.h) one must know that a
 * stretch of a thread's run left nothing behind but what the log shows. So every call of such a
 * function is noted: its entry in the program's table of addresses leads to a thunk that tells
 * opaque_enter and goes on to the function.
 *
 * A function may call the program back, and goes on when that returns; so what matters is not only
 * that it was entered, but also that it may still be open. Its return address tells: as long as the
 * call is open, the slot is part of the stack and nobody writes there.
 *
 * The virtual functions of the C++ library's own classes are called without a name, through tables
 * that the library brings: these lead to thunks, too (vtables.h).
 *
 * Not seen: functions that are called by other pointers which a library made (dlsym: then nothing
 * is watched) and code that was not compiled by us (options.foreign_code: then nothing is watched,
 * either). */
#ifndef HEDDLE_RUNTIME_OPAQUE_H
#define HEDDLE_RUNTIME_OPAQUE_H
#include "base/common.h"

extern bool
    opaque_is_watched; /* all such calls are noted (set before the program's constructors) */
/* Thread T begins at its first instruction. */
void opaque_begin(int thread);
/* T has run to a request: may such code have run in it since its last one? Asked after every run.
 */
bool opaque_ran(int thread);
extern void (*opaque_after_run)(void); /* called then, if set */
/* The present thread is about to run such code; SLOT, or NULL, is where its return address stands.
 */
void opaque_note(const uint64_t *slot);

/* The code of a shared library is watched (guest/entry/shared.h): its functions are no longer
 * unknown, and its own calls are noted as the program's are. */
struct dl_phdr_info;
void opaque_watch_library(const struct dl_phdr_info *library);

/* The code from FROM to TO of a library was copied DISTANCE away (guest/entry/copied.h): calls of
 * its functions with unknown effects go to the copy where opaque_begins_copy says so, which is set
 * before. SLOT is where the return address stands. */
void opaque_copy_library(uint64_t from, uint64_t to, uint64_t distance);
extern bool (*opaque_begins_copy)(const char *name, uint64_t function, const uint64_t *slot);

/* ---- what such functions do to memory ----
 * Functions with known effects (record/effects.inc) have thunks as well; the entry points announce
 * the effects. What is neither known nor performed by the runtime is noted (unseen.h): nobody sees
 * what it does. */
enum { OPAQUE_ARGUMENTS = 10 }; /* six in registers, the rest from the stack */
typedef struct OpaqueHooks {
    void (*before)(const char *name, const char *effects, const uint64_t *arguments,
                   const void *pc);
    void (*after)(const char *name, const char *effects, const uint64_t *arguments, const void *pc);
    void (*keeps_state)(void); /* before a call of a function that keeps state of its own */
} OpaqueHooks;
extern OpaqueHooks opaque_hooks; /* set before the program's constructors */
/* Does the program name a function that changes the hidden state LETTER? */
bool opaque_may_change(char letter);
/* Does a call that returns to PC come from the runtime itself? */
bool opaque_is_own_call(uint64_t pc);
#endif
