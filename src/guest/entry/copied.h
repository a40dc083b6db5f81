/* copied.h: functions of the C library whose effects on memory no table knows, watched while they
 * run. The library itself can't be watched: the runtime runs in it, and so do functions whose
 * effects are announced otherwise. So its code is copied, a fixed distance away; operands relative
 * to their instruction are moved back, so that the copy works on the library's own data. The
 * program's calls of unknown functions go to the copy, whose instructions are watched (watch.h).
 *
 * A thread leaves the copy by a return, or by a jump or call to an address that it has from
 * elsewhere; all of the latter are watched, and one that means the library's code means the copy's.
 * So what is reached from the copy is the copy, or the program, or the runtime (malloc). String
 * functions that come in several forms read beyond the end of their strings: the original runs, and
 * what it reads and writes is announced by its arguments.
 *
 * The program's memory is announced as if the program had accessed it where it calls the function.
 * Frames and thread-local memory are the thread's own, and constants nobody's concern. But what the
 * library keeps for itself (data that it writes, blocks that it allocated otherwise, a system call)
 * is also used by functions that run unwatched, so that nobody would see both sides: then the call
 * is noted as one of an unknown function (guest/runtime/unseen.h), and goes on in the original. */
#ifndef HEDDLE_ENTRY_COPIED_H
#define HEDDLE_ENTRY_COPIED_H
#include "record/link.h"

struct dl_phdr_info;
/* Makes the copy of a library that was loaded, which has that NUMBER (LinkWatch.library). */
void copied_setup(const Link *link, const LinkLibrary *library, unsigned number,
                  const struct dl_phdr_info *info);
/* The copy is complete: it can be run. */
void copied_close(void);
/* How far the copy of library NUMBER lies from the original; 0 if there is none. */
uint64_t copied_distance(unsigned number);
/* Is the address in the copy? Then *ORIGINAL is what it is a copy of. */
bool copied_is_in(uint64_t address, uint64_t *original);

/* A stream or another object that the library keeps is used by a function that is not watched: if
 * the copy has allocated it, all calls so far count as those of unknown functions. */
void copied_note_object(const void *object);

/* ---- while a thread runs in the copy, with its stack pointer at SP ---- */

/* The call goes on unwatched from the instruction at PLACE of the original on, which works on
 * ADDRESS (0 if unknown); or does so already. */
void copied_give_up(const void *sp, uint64_t place, uint64_t address);
bool copied_is_given_up(const void *sp);
/* The program's call that the thread is in, and the name of the function; NULL if in none. */
const void *copied_pc(const void *sp);
const char *copied_name(const void *sp);
typedef enum CopiedMemory {
    COPIED_OWN,    /* the thread's, or constant */
    COPIED_SHARED, /* the program's */
    COPIED_HIDDEN  /* the library's */
} CopiedMemory;
/* READS is the number of bytes if ADDRESS is only read, else 0. The library's own data may be read
 * as long as it is what it was before the first execution; if it changes later, the call is noted
 * then. */
CopiedMemory copied_memory(const void *address, size_t reads, const void *sp);
/* Returns where a jump or call to TARGET leads, with these registers, or 0: the original must go
 * on. Announces what a string function is about to do. [switch] */
uint64_t copied_target(uint64_t target, const uint64_t *registers, const void *sp);
#endif
