/* watch.h: instructions of the program that nobody announces, announced by stopping at them. The
 * tool finds them in the machine code (tool/instrument/unannounced/unannounced.h): the stores of
 * structures that gcc forgets, the loads that copy a structure given by value; and in
 * tool/instrument/machine/foreign.h: all of objects that heddle did not compile. Each has a trap at
 * its first byte and a copy elsewhere with a trap behind it. At the first trap the thread goes
 * through heddle__watch, on its own stack, where the access becomes one like any other: threads may
 * switch, values be chosen. Then the copy runs; at the second trap, what was deferred is done, and
 * the thread goes on behind the instruction. Two signals an access, about 5 us.
 *
 * Compilers may have moved the instruction before an access that a hook has announced already.
 * Where that one is an event (deferred.h) it is put aside until the instruction is done: a load
 * always, a store unless the code between shows that it is made.
 *
 * AArch64 has plain loads and stores of our own code only; and since no jump there leaves all
 * registers alone, the thread goes on by a third signal. On x86-64 gathers and masked moves
 * (x86_64/lanes.h), locked instructions, fences and looks at the clock (assembly.h) are performed
 * here instead: one signal. */
#ifndef HEDDLE_ENTRY_WATCH_H
#define HEDDLE_ENTRY_WATCH_H
#include "record/link.h"

/* Call after crash_install, not under a debugger. */
void watch_setup(const LinkWatch *watches, uint32_t count);
/* A thread that was stopped in a call is about to go on: what the one before has left in registers
 * that calls do not preserve, which heddle__watch saves on the stack, must be no part of a state.
 */
extern bool watch_is_used; /* there are instructions that are watched */
void watch_clear_all(void);
static inline void watch_clear_registers(void)
{
    if (UNLIKELY(watch_is_used))
        watch_clear_all();
}
/* Memory for copies within 2 GB of ADDRESS, so that operands relative to the instruction can be
 * reached from there. */
unsigned char *watch_memory_near(uint64_t address, size_t bytes);
#endif
