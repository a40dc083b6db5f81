/* memory.h: the program's memory while its states are explored: plain accesses and the heap of
 * threads that run, with races and uses after free; steps that the explorer makes for them ask for
 * the same checks. Every value, atomic or plain, is in memory itself (present.h). */
#ifndef HEDDLE_STATES_MEMORY_H
#define HEDDLE_STATES_MEMORY_H
#include "guest/states/present.h"

/* Sites: places in the code whose plain accesses race, and are visible steps. */
extern uint32_t states_site_count;
uint32_t states_site_index(const void *pc);
const void *states_site(uint32_t index);

/* From here on, until states_memory_leave, memory is the states': see memory_divert. Words get
 * their first values, the heap is empty. */
void states_memory_enter(void);
/* Forgets which stacks are shared and which plain accesses are steps: another test is explored, and
 * what it counts must not depend on those before. Call it before states_memory_enter. */
static inline void states_memory_forget(void)
{
    states_stacks_shared = 0;
    states_site_count = 0;
}
void states_memory_leave(void);
/* Puts everything back to the start, for another run. */
void states_memory_restart(void);

/* The explorer performs an atomic access for thread T (or a plain one, at a site): the same checks
 * as for plain ones. */
void states_check_atomic(int thread, void *address, unsigned size, bool writes, bool plain,
                         const void *pc);
/* An atomic read of thread T: a violation if nothing has written there yet. */
void states_check_initialised(const void *address, unsigned size, const void *pc);
/* The plain write that came just before the plain read at which a thread has stopped, or NULL. */
extern const void *states_late_write;
/* Thread T is about to run: what it did before its request, and what lies below its stack pointer,
 * has no influence any more. */
void states_run_begins(int thread);
/* Code of thread T that does not run (steps/repeat.h) makes a plain access, AT_SITE after a
 * request; allocates, frees. */
void states_repeat_access(int thread, char *address, size_t bytes, bool writes, bool at_site,
                          const void *pc);
void *states_allocate(size_t bytes, size_t alignment, bool zeroed, const void *pc);
/* False: the object was allocated before main, and is not to be freed here. */
bool states_release(int thread, void *address, const void *pc);
#endif
