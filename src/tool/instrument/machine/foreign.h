/* foreign.h: objects that were not compiled by us, linked into the program: every instruction of
 * theirs that may touch shared memory becomes one that the runtime stops at and announces
 * (guest/entry/watch.h).
 *
 * What a function does to its own stack by the stack pointer (or the frame pointer that it sets up)
 * is its own business, unless it takes an address there. Thread-local memory and constants are left
 * alone. Everything else is watched: loads, stores, read-modify-writes without a lock, with any
 * base, index and displacement; moves and fills of strings; gathers and masked moves (lanes.h);
 * locked instructions, fences and the clock are performed by the runtime (locked.h). A function
 * with an instruction that can be seen but not announced so (AVX-512, a system call) is an escape
 * as a whole (escapes.h).
 *
 * Machine code does not tell atomic accesses from plain ones: a race with one of these, where races
 * are errors, is no violation for certain (cli/session/conclude.h). */
#ifndef HEDDLE_INSTRUMENT_MACHINE_FOREIGN_H
#define HEDDLE_INSTRUMENT_MACHINE_FOREIGN_H
#include "tool/instrument/isa/isa.h"
#include "tool/instrument/machine/escapes.h"

/* Replaces the escapes that are whole objects by those functions of theirs that can't be watched;
 * what can goes to WATCHES, which end up sorted by address. Returns whether any is watched. */
bool foreign_watch(Arena *arena, const Build *build, Escapes *escapes, Watches *watches);
/* Watches the function of SIZE bytes at ADDRESS of a shared library LIBRARY; its stack counts as
 * shared. Returns NULL, or the instruction that can't be watched. ISA has `foreign`. */
const char *foreign_watch_code(Arena *arena, const Isa *isa, size_t handle, Elf *library,
                               const uint8_t *code, uint64_t address, uint64_t size,
                               Watches *watches);
typedef struct ForeignCopy { /* see record/link.h */
    Vec(LinkGap) gaps;
    Vec(uint32_t) moves;
} ForeignCopy;
/* Watches a function that the runtime will copy (guest/entry/copied.h): its frame is its own,
 * jumps and calls to addresses in registers are watched, too, and an instruction that can't be
 * watched is left out by itself: a gap of COPY. */
void foreign_copy_code(const Isa *isa, size_t handle, Elf *library, const uint8_t *code,
                       uint64_t address, uint64_t size, Watches *watches, ForeignCopy *copy);
#endif
