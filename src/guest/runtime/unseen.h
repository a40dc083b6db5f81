/* unseen.h: does an execution come by code whose accesses nobody announces? The tool knows the
 * functions that contain such code (record/link.h). Each gets a trap at its first byte; the first
 * thread that runs into it leaves a note in the mapping, the byte is put back, and the thread goes
 * on as if nothing had been there. So programs pay nothing for it, and the answer can name the
 * places that an execution, or all of them, really went through. */
#ifndef HEDDLE_RUNTIME_UNSEEN_H
#define HEDDLE_RUNTIME_UNSEEN_H
#include "base/common.h"
#include "guest/runtime/arch.h"
#include "record/link.h"

/* Calls are noted in LINK from here on. Sets the TRAPS, if asked to; a place without an address
 * counts as one that was run. Call after crash_install and after others have set traps, which then
 * stand behind these where both are at one place; without traps under a debugger, which takes them
 * for its own. */
void unseen_setup(Link *link, bool traps);
/* A library function whose effects on memory nobody knows is called and will return to PC: notes
 * its name and PC, once for each place, since the user may answer for one place and not for
 * another. */
void unseen_call(const char *name, uint64_t pc);
/* Writes to the program's code: a trap, or what stood there. */
void unseen_put(uint64_t address, ArchTrap word);
/* The trap at ADDRESS was hit: true if it was one of these; the thread must go on there. */
bool unseen_trap(uint64_t address);
#endif
