/* fiber.h: threads of the program under test as fibers of one kernel thread. The explorer runs on
 * the process's own stack; fiber_resume gives control to a thread until its next request. Stacks
 * lie at fixed addresses and can be copied out and back: that is a checkpoint. */
#ifndef HEDDLE_RUNTIME_FIBER_H
#define HEDDLE_RUNTIME_FIBER_H
#include "guest/runtime/arch.h"
#include "record/layout.h"

typedef struct Fiber {
    void *sp;    /* where it stopped; the saved registers are on top of its stack */
    char *base;  /* the high end of its stack */
    char *limit; /* the low end, above the guard page */
    uint64_t thread_pointer;
    void *(*function)(void *);
    void *argument;
} Fiber;

extern Fiber fibers[MAX_THREADS];
extern int fiber_current;      /* the thread that runs, or -1 in the explorer */
extern bool fiber_own_storage; /* each fiber has its own thread-local storage */
/* For fiber_resume: where the explorer stopped; do fibers have storage or kernel threads of their
 * own? Then they are resumed by this. */
extern void *fiber_engine_sp;
extern bool fiber_lives_elsewhere;
void fiber_resume_elsewhere(int thread);

/* Called with the result of a thread's function, on its stack; does not return. Set it before the
 * first fiber_resume. */
extern void (*fiber_end)(void *result);

/* Maps the stacks and, if asked, takes the storage of parked kernel threads. Once. THREADS > 0
 * makes fiber_use_kernel_threads possible for so many of them. */
void fiber_setup(size_t stack_bytes, bool own_storage, unsigned threads);
/* For a debugger: from here on every fiber runs in a kernel thread of its own, main in that of the
 * process, on the same stacks as before; the explorer moves to another one. They hand a baton
 * round, so that still one runs at a time. The threads are called main, T1, T2 ... and heddle. To
 * be called by the explorer, before threads are restarted. */
void fiber_use_kernel_threads(void);
/* Says what thread T does when it begins. */
static inline void fiber_begin(int thread, void *(*function)(void *), void *argument)
{
    fibers[thread].function = function;
    fibers[thread].argument = argument;
}
/* Puts thread T back to its very first instruction. */
void fiber_restart(int thread);
/* Runs thread T until it calls fiber_yield. Inline, for the reason that arch_switch
 * gives. */
static inline void fiber_resume(int thread)
{
    fiber_current = thread;
    if (UNLIKELY(fiber_lives_elsewhere))
        fiber_resume_elsewhere(thread);
    else
        arch_switch(&fiber_engine_sp, fibers[thread].sp);
    fiber_current = -1;
}
/* Back to the explorer, from a thread. */
void fiber_yield(void);
/* Leaves the current thread for good (a violation inside it): the explorer goes on as if the thread
 * had yielded. */
NORETURN void fiber_abandon(void);
/* The user's main, as the function of thread 0. */
void fiber_set_main(void *(*function)(void *));
/* Is ADDRESS on some thread's stack? Returns the thread or -1. */
static inline int fiber_of_stack(const void *address)
{
    uintptr_t offset = (uintptr_t)address - STACK_BASE;
    return offset < (uintptr_t)MAX_THREADS * STACK_SLOT ? (int)(offset / STACK_SLOT) : -1;
}
/* Thread-local storage of every fiber, as it is now, for re-execution; and back to that. */
void fiber_save_storage(void);
void fiber_reset_storage(void);
/* Is ADDRESS in the thread-local storage of a thread other than main? Returns the thread or -1.
 * What is at the same distance from the thread pointers of two threads is the same variable. */
int fiber_of_storage(const void *address);
char *fiber_storage(int thread, size_t *bytes);        /* the storage of one of these */
extern uint64_t fiber_storage_low, fiber_storage_span; /* all such storage lies there */
static inline bool fiber_near_storage(const void *address)
{
    return (uintptr_t)address - fiber_storage_low < fiber_storage_span;
}
#endif
