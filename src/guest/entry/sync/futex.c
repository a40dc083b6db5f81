/* futex.c: the futex system call, through which libstdc++ waits (atomic::wait, future, semaphore,
 * latch, barrier), and the `syscall` function that carries it.
 *
 * The kernel compares the value and enters the queue of the address under a lock that a waker takes
 * too. So does the runtime: the set of the waiters of an address is one atomic word, which has the
 * value LOCKED while a thread is inside. A waiter takes it, reads the value, and gives it back with
 * its own bit, or without if the value differs; a waker takes it and gives it back without those
 * that it wakes (all of them: in one step). A waker that comes second finds the waiter; if it comes
 * first, the waiter has acquired all that the waker wrote before, and so reads the new value.
 *
 * Most waiters that find another value would not have to touch the set: the value is read before,
 * too, and one that differs ends the call there. (That is what the kernel does if nothing else
 * comes between the read and the lock.) So in an exploration the second look need not fail
 * (AWAIT_STILL): whatever follows a failure follows the first look that finds the same write, with
 * the set left alone, which is an execution of its own. The graph with the second look blocked
 * leads to no execution, yet what others do in it is real, since it is what they do while the
 * waiter is inside and has not looked: nobody sees more of it than that the set is taken, and waits
 * for it. Therefore what is found wrong in such a graph is wrong. Where no other execution is
 * tried instead (schedules, replays, states), a look that fails goes on and gives the set back.
 *
 * Sets are found by address in a table that is filled as addresses turn up and never emptied: where
 * a set lies has no meaning, so the table is no part of the program's state. */
#include "guest/entry/guest.h"
#include <linux/futex.h>
#include <stdarg.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include "guest/explore/thread_set.h"
#include "guest/runtime/native.h"
#include "guest/entry/sync/word.h"

enum { SLOTS = 4096 };
typedef struct Slot {
    const void *address;
    uint64_t waiters; /* atomic location */
} Slot;
static Slot *slots;

uint64_t futex_slots(void)
{
    if (!slots)
        slots = op_permanent(sizeof(Slot) * SLOTS);
    return SLOTS;
}

static uint64_t *waiters_of(const void *address)
{
    uint64_t index = ((uintptr_t)address >> 2) * UINT64_C(0x9e3779b97f4a7c15) >> 52;
    futex_slots();
    for (unsigned tries = 0; tries < SLOTS; tries++, index++) {
        Slot *slot = &slots[index % SLOTS];
        if (!slot->address)
            slot->address = address;
        if (slot->address == address)
            return &slot->waiters;
    }
    op_unsupported("the program waits on more than %d futex addresses", SLOTS);
}

/* All bits. (Nobody is left to take the set once all threads are in it.) */
static uint64_t locked_set(void)
{
    return guest_set_bytes() == 8 ? UINT64_MAX : UINT32_MAX;
}

/* Takes the set, when no other thread has it, and leaves AFTER there. Returns what was in it. */
static uint64_t take_set(uint64_t *waiters, RmwOp op, uint64_t after, const void *pc)
{
    return word_await(waiters, guest_set_bytes(), AWAIT_NE, -1, op, after, ORDER_ACQ_REL, pc,
                      "futex", "lock");
}

static uint64_t lock_set(uint64_t *waiters, const void *pc)
{
    uint64_t set = take_set(waiters, RMW_EXCHANGE, locked_set(), pc);
    guest_set(guest_current()->inside, 1);
    return set;
}

static void unlock_set(uint64_t *waiters, uint64_t set, const void *pc)
{
    word_release(waiters, guest_set_bytes(), set, pc);
    guest_set(guest_current()->inside, 0);
}

/* Any COUNT of the threads of SET; each choice of them comes once. */
static uint64_t choose_threads(uint64_t set, unsigned count, const void *pc)
{
    uint64_t chosen = 0;
    for (; count; count--) {
        unsigned left = (unsigned)__builtin_popcountll(set);
        if (left <= count)
            return chosen | set;
        for (unsigned skip = op_choose(left - count + 1, pc); skip; skip--)
            set &= set - 1;
        chosen |= set & -set;
        set &= set - 1;
    }
    return chosen;
}

static long wake_up_to(uint64_t *waiters, unsigned count, const void *pc)
{
    if (count >= GUEST_THREADS)
        return (long)guest_wake_set(take_set(waiters, RMW_EXCHANGE, 0, pc), pc);
    uint64_t set = lock_set(waiters, pc), chosen = choose_threads(set, count, pc);
    unlock_set(waiters, set & ~chosen, pc);
    return (long)guest_wake_set(chosen, pc);
}

/* The thread, which is in the set, gives up: false if it was woken before. */
static bool leave_set(uint64_t *waiters, const void *pc)
{
    uint64_t bit = thread_bit(guest_self());
    return guest_sleep_left((take_set(waiters, RMW_AND, ~bit, pc) & bit) != 0);
}

/* 0, or an error number. */
static int futex_wait(uint32_t *address, uint32_t value, bool timed, const void *pc)
{
    uint64_t *waiters = waiters_of(address);
    op_fence(ORDER_SEQ_CST, pc); /* the kernel's lock is one, and libstdc++ counts on it */
    if (word_load(address, 4, ORDER_ACQUIRE, pc) != value)
        return EAGAIN;
    uint64_t set = lock_set(waiters, pc);
    op_fence(ORDER_SEQ_CST, pc);
    uint64_t seen = word_await(address, 4, AWAIT_STILL, (int32_t)value, RMW_NONE, 0, ORDER_ACQUIRE,
                               pc, "futex", "wait");
    if ((uint32_t)seen != value) {
        unlock_set(waiters, set, pc);
        return EAGAIN;
    }
    guest_sleep_begin();
    unlock_set(waiters, set | thread_bit(guest_self()), pc);
    if (timed && leave_set(waiters, pc))
        return ETIMEDOUT;
    guest_sleep(pc, "futex", "wait");
    return 0;
}

static long futex(const long arguments[6], const void *pc)
{
    uint32_t *address = (uint32_t *)arguments[0];
    const struct timespec *timeout = (const struct timespec *)arguments[3];
    int operation = (int)arguments[1] & FUTEX_CMD_MASK, error;
    switch (operation) {
    case FUTEX_WAIT:
    case FUTEX_WAIT_BITSET:
        if (operation == FUTEX_WAIT_BITSET && (uint32_t)arguments[5] != FUTEX_BITSET_MATCH_ANY)
            op_unsupported("the program waits on a futex with a bit set of its own");
        error = futex_wait(address, (uint32_t)arguments[2], timeout != NULL, pc);
        if (error == ETIMEDOUT) {
            if (operation == FUTEX_WAIT)
                time_pass(timeout);
            else
                time_pass_until(timeout);
        }
        if (!error)
            return 0;
        guest_errno(error);
        return -1;
    case FUTEX_WAKE:
    case FUTEX_WAKE_BITSET:
        if (operation == FUTEX_WAKE_BITSET && (uint32_t)arguments[5] != FUTEX_BITSET_MATCH_ANY)
            op_unsupported("the program wakes a futex with a bit set of its own");
        /* the kernel wakes one thread also for a number that is 0 or negative */
        return wake_up_to(waiters_of(address), (unsigned)MAX((int)arguments[2], 1), pc);
    default:
        op_unsupported("the program uses futex operation %d", operation);
    }
}

/* library/process.c */
pid_t __wrap_getpid(void);
pid_t __wrap_gettid(void);

GUEST long syscall(long number, ...)
{
    long arguments[6];
    va_list list;
    va_start(list, number);
    for (unsigned i = 0; i < 6; i++)
        arguments[i] = va_arg(list, long);
    va_end(list);
    if (!op_active())
        return native_syscall(number, arguments);
    switch (number) {
    case SYS_futex:
        return futex(arguments, GUEST_PC);
    case SYS_gettid:
        return __wrap_gettid();
    case SYS_getpid:
        return __wrap_getpid();
    case SYS_getuid:
        return native_syscall(number, arguments);
    case SYS_sched_yield:
        return 0;
    default:
        op_unsupported("the program makes system call %ld itself", number);
    }
}
