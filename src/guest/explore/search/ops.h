/* ops.h: what a thread of the program under test can do, as calls. The entry points that the user's
 * program meets (__tsan_*, pthread_*, malloc, ...) are written in terms of these; the explorer
 * stands behind them and decides which value a read gets, which thread runs next, and when to stop.
 *
 * Every call that names a PC wants the return address into the user's code: reports print its line.
 * Calls marked [switch] may run other threads before they return; the others never do.
 * Outside an exploration (static constructors, after main) op_active() is false and the entry
 * points must do the native thing themselves.
 *
 * Backtracking restores a thread's stack from a copy and undoes logged writes to other memory. So
 * all state that an entry point keeps outside its stack frame must live in memory written through
 * op_write (or in the atomic locations of op_load/op_store/...), never in plain C variables. */
#ifndef HEDDLE_EXPLORE_OPS_H
#define HEDDLE_EXPLORE_OPS_H
#include "base/common.h"
#include "guest/explore/graph/finding.h"
#include "guest/explore/memory/plain.h"
#include "record/kinds.h"
#include "record/operations.h"

bool op_active(void);   /* does the caller run in an explored thread? */
unsigned op_self(void); /* its number; main is 0, others count from 1 in order of creation */

/* Atomic accesses of 1, 2, 4 or 8 bytes. [switch] */
uint64_t op_load(const void *address, unsigned size, int order, const void *pc);
/* Does the same while promises.makes: it may get the value of a store behind it. (A function of its
 * own, for threads that wait are compared by their stacks: what is called for it must not be in the
 * frame of other loads.) [switch] */
uint64_t op_load_by_promise(const void *address, unsigned size, int order, const void *pc);
void op_store(void *address, unsigned size, uint64_t value, int order, const void *pc);
/* A store with which a lock is given back: with release order, and by a locked instruction where
 * that is what the machine does (tso). */
void op_release(void *address, unsigned size, uint64_t value, const void *pc);
uint64_t op_rmw(void *address, unsigned size, RmwOp op, uint64_t operand, int order,
                const void *pc);
/* True if *expected was found and DESIRED written; else *expected becomes the value found. */
bool op_cas(void *address, unsigned size, uint64_t *expected, uint64_t desired, int success,
            int failure, bool weak, const void *pc);
void op_fence(int order, const void *pc);
/* Blocks until the location's value satisfies the test, then, in the same atomic step, applies OP
 * with AFTER (nothing for RMW_NONE). Returns the value found. A lock is
 * op_await(&word, 4, AWAIT_EQ, 0, RMW_EXCHANGE, self + 1, ORDER_ACQUIRE, pc). A thread that can
 * never go on is a deadlock. OBJECT and VERB are for reports: "mutex", "lock". [switch] */
uint64_t op_await(void *address, unsigned size, AwaitTest test, int64_t operand, RmwOp op,
                  uint64_t after, int order, const void *pc, const char *object, const char *verb);
/* The calling thread arrives at OBJECT, where threads meet in rounds of COUNT, by a call that will
 * return to PC. Returns the operand of AWAIT_TURN with which it counts itself (waiting/arrivals.h).
 */
int64_t op_arrival_turn(const void *object, unsigned count, const void *pc);
/* The calling thread is about to look at the word of a lock without waiting for it: to try it
 * (waiting/sections.c). */
void op_note_try(const void *word);
/* A choice from 0 to COUNT-1 that is explored, not sampled. [switch] */
unsigned op_choose(unsigned count, const void *pc);
/* Does a wait that is about to begin time out before anybody ends it? Both are explored. If not,
 * the thread waits with AWAIT_TOLD. (Where states are explored that alone is both: false.) */
bool op_times_out(const void *pc);
/* Threads that wait are moved to another set, and their number is told; are they, in any execution
 * that was met? (The first time the exploration begins again.) */
void op_note_moves(void);
bool op_knows_moves(void);
/* The thread looks at a clock that has stopped: should it go round for nothing, it is not stuck. */
void op_note_time_over(const void *pc);

/* Ends the thread: what the program assumes does not hold. This execution does not count. The
 * others may go on. */
NORETURN void op_assumption_fails(const void *pc);
/* A remark in the answer then. */
#define OP_ASSUMED "executions that do not meet what the program assumes do not count"

/* The calling thread goes no further, for reason number WHY; the others may. */
NORETURN void op_park(unsigned why, const void *pc);
#define PARKED_WORD (UINT64_C(1) << 41) /* Event.expected of the CHOOSE that says so, and WHY */

/* Does the same, with a word (not 0) of the caller's that the explorer finds in the event. For
 * programs that pass a turn round: see exploration.held. Also COUNT 1 makes an event. [switch] */
unsigned op_turn(unsigned count, uint64_t word);

/* A sign in the thread's trace: the call (RETURNS false) or the return of operation NUMBER, with a
 * word of the caller's (its result). It orders nothing. [switch] */
void op_mark(unsigned number, bool returns, uint64_t word, const void *pc);
/* Does the same, but it is no effect: a round of a loop that leaves nothing else behind is still
 * for nothing (guest/explore/reduce/waiting/waiting.h). Who makes it keeps what matters in the
 * thread's state. [switch] */
void op_mark_lightly(unsigned number, bool returns, uint64_t word, const void *pc);

/* Threads. op_create does not run the child yet; op_join waits for its end. [switch] */
unsigned op_create(void *(*function)(void *), void *argument, const void *pc);
/* Creates a thread that gets its name at NAME, or NULL, when it has been created. ALIKE: it
 * does what the thread that was created last does (explore/reduce/symmetry/alike.h). */
unsigned op_create_alike(void *(*function)(void *), void *argument, bool alike, const void *name,
                         const void *pc);
/* Notes that what the calling thread gets depends on which thread it is: see
 * explore/reduce/symmetry/alike.h. */
void op_note_identity(void);
/* The calling thread asks for something that is THREAD's alone. */
void op_note_apart(unsigned thread);
/* Returns its result if that is WANTED. */
void *op_join(unsigned thread, bool wanted, const void *pc);
NORETURN void op_exit(void *result); /* ends the calling thread now, no destructors */
bool op_thread_exists(unsigned thread);
bool op_others_exist(void); /* has the program created a thread? */

/* Is set wherever the runtime may read or write what no access announces, for a thread: its own
 * state, that of locks, the size of a heap object (guest/states/steps/repeat.h). */
extern bool op_unannounced;
/* Zeroed memory of the runtime that lives as long as the process (for tables of held locks and the
 * like); allocate at start-up, before exploration. */
void *op_permanent(size_t bytes);

/* The program did something that only whole re-execution can follow (an exception, stdio state):
 * exploration starts again without checkpoints. If it already runs without them, the call is only
 * noted (guest/runtime/opaque.h). */
void op_needs_replay(const char *why);
/* The program ends as a whole: exit(STATUS) was called. QUIET: no function of the program's was
 * called for that, and whether one is can't depend on other threads (explore/reduce/rest.h). */
NORETURN void op_program_exit(int status, bool quiet, const void *pc);
/* Another thread than main joins or detaches a thread: see explore/reduce/rest.h. */
void op_note_claim(void);
#endif
