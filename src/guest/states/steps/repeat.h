/* repeat.h: steps that are made again without their code. Most steps of a search have been made
 * before: from another state, but by the same thread with the same stack and request (its part,
 * part.h), and all that it read held the same values. Then the code does the same again: it makes
 * the same accesses, allocations and requests in the same order, writes the same values, and stops
 * at the same place. What the code did is kept as a tree. A path of it begins with a part and a way
 * to go on; each node is what the thread does next, and has a branch for each answer that it got:
 * the value that it found, the address of a new block, or the reply to its request. To repeat a
 * step is to follow a path.
 *
 * WHAT IS LEFT OUT is the code of the program, with its hooks. All that the explorer does is done
 * each time, by the same functions: step.c performs requests, and decides what is private and where
 * the step ends; memory.c checks accesses, finds races and takes note of them, allocates and frees.
 * Only what the code itself does is taken from the tree: its writes, which are made when it gets to
 * its next request (nobody looks before), and its stack where the step ends. So nothing that is
 * found out about a step depends on how it is made, and both may end in the same finding.
 *
 * WHY THE CODE DOES THE SAME. It is a function of its stack, its registers and the memory that it
 * reads. (What lies below its stack pointer has no influence: states_run_begins.) Each access to
 * memory other than its own stack comes with a hook, or states would not be complete in the first
 * place (memory.h); the values are compared, but for those that the step itself has written. But
 * code of the runtime may read what no access announces: its own variables, a lock's, the size of a
 * block. Whatever can do so sets op_unannounced (explore/search/ops.h), and a run in which that is
 * set is not kept. Hooks of plain and atomic accesses, malloc and free do not; of what else a
 * thread can call nothing is kept. Nor is anything kept of accesses of more than 8 bytes, of
 * objects that were allocated before main, of waits, choices of the program and volatile accesses.
 * If code that got the same answers is seen to do something else all the same, its steps are not
 * repeated any more; such code has no states that could be explored.
 *
 * Steps are not repeated where there are store buffers, tickets, or threads that share stacks, nor
 * in tests, whose searches are short. HEDDLE_DEBUG=check-steps makes each step that was repeated by
 * its code as well, and compares. Of those that elsewhere.h tests, the repeated step is compared
 * with one that the code has made. */
#ifndef HEDDLE_STATES_STEPS_REPEAT_H
#define HEDDLE_STATES_STEPS_REPEAT_H
#include "guest/states/step.h"

/* A search begins, with new numbers of parts. */
void repeat_begin(bool used);
/* Takes a step as states_step does, from the state of COPY, which is present. */
void repeat_step(const char *copy, int thread, uint32_t way, StatesDone *done);
/* A finding has ended the step that was made. */
void repeat_drop_step(void);
uint64_t repeat_bytes(void); /* memory in use */

/* ---- for step.c ---- */

extern bool repeat_follows; /* the step that is made is repeated */
/* Thread T goes on with `reply`; leaves its next request in `request`. False: that is not known,
 * and the step is to be made by its code. */
bool repeat_run(int thread);
/* T ends its step with its last request, inside a call: gives it the stack that it has there. If
 * that is not known, the step is to be made by its code, as above. */
void repeat_stop(int thread);

extern bool repeat_records; /* the step that is made by its code is kept */
/* T's code is about to run; it has run, and left its next request. */
void repeat_note_begin(void);
void repeat_note_run(void);

/* ---- for memory.c, on the stacks of threads ---- */

typedef enum RepeatKind {
    REPEAT_NOTHING, /* nothing is known */
    REPEAT_ACCESS,
    REPEAT_SITE, /* an access that was a request, and is made now */
    REPEAT_ALLOCATE,
    REPEAT_FREE,
    REPEAT_REQUEST,
    REPEAT_NEVER /* from here on the code has to run */
} RepeatKind;

typedef struct RepeatEvent {
    uint8_t kind;
    bool writes; /* ALLOCATE: zeroed */
    uint32_t bytes;
    uint64_t at;     /* ALLOCATE: the alignment */
    uint64_t answer; /* what was found there, or the address */
    const void *pc;
} RepeatEvent;
enum { REPEAT_EVENTS = 32 }; /* of a run that is kept */
extern RepeatEvent repeat_events[REPEAT_EVENTS];
extern uint32_t repeat_count; /* of these, or more */

static inline void repeat_note(RepeatEvent event)
{
    if (LIKELY(!repeat_records))
        return;
    if (repeat_count < REPEAT_EVENTS)
        repeat_events[repeat_count] = event;
    repeat_count++;
}
/* An access is made: what is there now. (No function is called for it.) */
static inline void repeat_note_access(RepeatKind kind, const char *address, size_t bytes,
                                      bool writes, const void *pc)
{
    uint64_t found = 0;
    if (LIKELY(!repeat_records))
        return;
    for (size_t i = MIN(bytes, sizeof found); i-- > 0;)
        found = found << 8 | (unsigned char)address[i];
    repeat_note((RepeatEvent){kind, writes, (uint32_t)bytes, (uintptr_t)address, found, pc});
}
#endif
