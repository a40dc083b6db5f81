/* guest.h: what the entry points of threads, locks and libc share. These files define functions
 * that the user's program (and libstdc++.so on its behalf) calls instead of those of the system's
 * libraries. They are written in terms of ops.h and keep three rules:
 *
 * 1. State that several threads see is an atomic location (word_* below), so that the explorer
 *    decides its order. Everything else that outlives a call belongs to one thread (GuestThread)
 * and is written with guest_set, so that backtracking takes it back. Nothing may depend on the
 * order in which the explorer happens to run unordered threads.
 * 2. What libc would write through a pointer of the program goes through guest_store or
 *    guest_will_write: it is checked like an instrumented access, and undone on backtracking.
 * 3. Before main and after the exploration (op_active() is false) there is one thread; every entry
 *    point then does the same on the same memory, without events.
 *
 * Some names are defined directly, since libstdc++.so must meet them too (pthread_*, __cxa_*);
 * those that only the user's objects call are defined as __wrap_NAME and listed in wrap.inc, so
 * that the runtime itself still has the system's own. */
#ifndef HEDDLE_ENTRY_GUEST_H
#define HEDDLE_ENTRY_GUEST_H
#include <errno.h>
#include <string.h>
#include "record/layout.h"
#include "guest/explore/search/ops.h"

#ifndef __GLIBC__
#error "Heddle needs glibc: its runtime looks into glibc's mutexes (doc/systems.md)"
#endif
#define GUEST __attribute__((visibility("default")))
#define GUEST_PC __builtin_return_address(0)

/* The sets of waiting threads are bits of one word (condition variables, futexes). All words of
 * locks have four bytes, so that memory can be one lock after another; only in programs with many
 * threads these sets have eight. */
enum { GUEST_THREADS = MAX_THREADS };
enum {
    GUEST_DESTRUCTORS = 256,
    GUEST_LOOKS = 4, /* places where the clock is read that are told apart */
    GUEST_HELD = 256,
    GUEST_SPECIFIC = 256,
    GUEST_KEYS = 64
};

/* Set before exploration by the driver; zero is the default. */
typedef struct GuestOptions {
    unsigned spurious_wakeups; /* at most so many per thread and execution; 0: none happen */
    unsigned rand_values;  /* rand() etc. give each number below, all explored; 0: one sequence */
    unsigned rand_others;  /* of these, others than 0 at most so often a thread; 0: no limit */
    unsigned clock_equals; /* of a thread's readings of chosen clocks; 0: no limit */
    bool clock_chosen;     /* readings of different threads come in any order */
    bool weak_cas;         /* weak compare-exchanges may fail for no reason */
    bool echo;             /* let the program print (replay of one execution) */
} GuestOptions;
extern GuestOptions guest_options;

typedef struct GuestCall {
    void (*function)(void *);
    void *argument;
} GuestCall;
typedef struct GuestStart { /* what a new thread is to do */
    void *(*function)(void *);
    void *argument;
    uint64_t random;
    uint64_t clock;
    uint64_t signal_mask;
    uint32_t detached;
    uint32_t c11;    /* FUNCTION returns int */
    uint32_t number; /* of the thread, where process_calls_at_exit */
} GuestStart;
typedef struct GuestHeld {
    const void *object;
    uint32_t count;
    uint32_t robust; /* a robust mutex */
} GuestHeld;
typedef struct GuestValue {
    uint64_t key;
    void *value;
} GuestValue;
typedef struct GuestLook { /* how often the clock was read at a place in the program */
    uint64_t place, count;
} GuestLook;
typedef struct GuestKey {
    void (*destructor)(void *);
    uint32_t state; /* 0 never used, 1 live, 2 deleted */
} GuestKey;

/* One per thread. Written by its thread alone but for the fields that say otherwise. */
typedef struct GuestThread {
    uint32_t claim;   /* GUEST_JOINABLE..: written by the one thread that joins or detaches it */
    uint32_t waits;   /* how often it went to sleep on a condition variable or futex */
    uint32_t woken;   /* atomic location: the number of the sleep that somebody ended */
    uint32_t inside;  /* it has taken the set of waiters of a futex */
    uint32_t not_for; /* bits of a FUTEX_WAKE_BITSET that its futex wait does not want */
    uint32_t created;
    uint32_t spurious;
    uint32_t destructor_count, held_count, specific_count, key_count;
    uint32_t last_look;
    uint32_t schedules;    /* of thread 0: the program has set how threads are scheduled */
    uint32_t rand_others;  /* how often rand() gave something else than 0 */
    uint32_t clock_equals; /* how often a chosen clock stood still for it */
    uint32_t gone;         /* atomic location: 1 at its end, where somebody asks (threads.c) */
    uint64_t clock;        /* nanoseconds */
    GuestLook looks[GUEST_LOOKS];
    uint64_t moved_to; /* atomic location: the futex that its wait was moved to (futex.c), or 0 */
    uint64_t random;
    uint64_t signal_mask;
    void *result;                             /* of pthread_exit, while the stack unwinds */
    void *cleanup;                            /* innermost pthread_cleanup_push of C code */
    _Alignas(16) unsigned char unwinding[32]; /* struct _Unwind_Exception of pthread_exit */
    GuestStart starts[GUEST_THREADS];         /* for the threads that this one creates */
    GuestKey keys[GUEST_KEYS];                /* the ones it created */
    GuestValue specific[GUEST_SPECIFIC];
    GuestHeld held[GUEST_HELD]; /* read locks and spin locks: their words do not name the holder */
    GuestCall destructors[GUEST_DESTRUCTORS]; /* of thread_local objects */
} GuestThread;
enum { GUEST_JOINABLE, GUEST_JOINED, GUEST_DETACHED };

GuestThread *guest_thread(unsigned thread);
/* The function that the program gave to pthread_create for THREAD; 0 before it begins. */
uint64_t guest_start_function(unsigned thread);
unsigned guest_self(void); /* 0 outside an exploration */
static inline GuestThread *guest_current(void)
{
    return guest_thread(guest_self());
}

/* A write of the runtime's own state. */
void guest_put(void *to, const void *from, size_t bytes);
/* The first BYTES of WORD, at most 8. It is given by value: a local variable whose address is taken
 * would be a part of the state of a thread that waits in its frame, though nothing was put there
 * (instrument/liveness/frame.h). */
void guest_put_word(void *to, uint64_t word, size_t bytes);
#define guest_set(lvalue, value)                                                                   \
    do {                                                                                           \
        __typeof__(lvalue) guest_set_value = (value);                                              \
        uint64_t guest_set_word = 0;                                                               \
        _Static_assert(sizeof(lvalue) <= sizeof guest_set_word, "it is no word");                  \
        memcpy(&guest_set_word, &guest_set_value, sizeof(lvalue));                                 \
        guest_put_word(&(lvalue), guest_set_word, sizeof(lvalue));                                 \
    } while (0)
/* Accesses to the program's memory on its behalf. guest_will_write must come before the write. */
void guest_will_read(const void *address, size_t bytes, const void *pc);
void guest_will_write(void *address, size_t bytes, const void *pc);
void guest_will_copy(void *to, const void *from, size_t bytes, const void *pc);
void guest_store(void *to, const void *from, size_t bytes, const void *pc);
void guest_errno(int value);
/* Runs CODE, a libc call that may set errno, so that the change of errno is undone like any
 * other. */
#define GUEST_KEEP_ERRNO(code)                                                                     \
    do {                                                                                           \
        int guest_errno_before = errno;                                                            \
        code;                                                                                      \
        guest_errno_since(guest_errno_before);                                                     \
    } while (0)
void guest_errno_since(int before);

/* Locks that the calling thread holds without the lock's word saying so. */
void guest_hold(const void *object, const char *what);
void guest_hold_robust(const void *mutex);
bool guest_release(const void *object); /* false if it was not held */
bool guest_holds(const void *object);

/* libstdc++ counts the waiters of an atomic in a table, and a notification reads the count to see
 * if there is anybody to wake. That this read comes after the notifier's own last store follows
 * from the machine, not from the orders written in its headers; the standard promises it to the
 * program. So a read from that table has a fence before it here. The other side's fence is in
 * futex.c. */
enum { GUEST_WAIT_TABLE_BYTES = 16 * 128 };
extern const char *guest_wait_table; /* NULL: the program has none */
void guest_find_wait_table(void);
/* std::cout and its like, and what the C++ library keeps behind them, never race. */
void guest_exempt_streams(void);
static inline void guest_before_load(const volatile void *address, const void *pc)
{
    if (UNLIKELY((uintptr_t)address - (uintptr_t)guest_wait_table < GUEST_WAIT_TABLE_BYTES))
        op_fence(ORDER_SEQ_CST, pc);
}

/* thread end: thread_local destructors, then those of keys; thread_finish also ends the thread. */
void thread_destroy_locals(void);
void thread_run_destructors(void);
NORETURN void thread_finish(void *result);
/* Called when the program's code ends its thread (pthread_exit, thrd_exit) or the process (exit),
 * before anything else happens; may be NULL. */
extern void (*thread_leaves)(bool process);
/* The program ends as by exit(STATUS): thread_local objects of this thread, then what atexit and
 * static objects registered, newest first. The driver calls it with the result of main. */
NORETURN void process_exit(int status, const void *pc);
bool process_calls_at_exit(void); /* can it be that process_exit calls a function of the program? */
/* Main ends by pthread_exit. Returns the same, and leaves an event that process_recall knows. */
bool process_ends_later(void);
void process_setup(void);
void signals_setup(void);
/* An event of a record has this ADDRESS: if the recorded program had functions to run at exit,
 * locked for reading again, asked whether threads have ended, or deleted keys, the replay knows
 * that from the beginning. */
void process_recall(uint64_t address);
void rwlock_recall(uint64_t address);
void threads_recall(uint64_t address);
void specific_recall(uint64_t address);
/* The thread's clock is at least this from now on: a wait timed out. */
struct timespec;
void time_pass_until(const struct timespec *when);
void time_pass(const struct timespec *duration);
uint64_t time_cycles(void);  /* reads the thread's clock as the processor's counter of cycles */
uint64_t random_child(void); /* where a new thread's sequence starts */
uint64_t futex_slots(void);  /* prepares the table of futex addresses */
/* The program's own heap, as malloc gives it; the runtime's malloc is another. */
void *heddle_user_malloc(size_t bytes);
#endif
