/* futex.c: the futex system call, through which libstdc++ waits (atomic::wait, future, semaphore,
 * latch, barrier), and the `syscall` function that carries it.
 *
 * The kernel compares the value and enters the queue of the address under a lock that a waker takes
 * too. Here a waiter first enters the set of waiters of the address (an acquire-release
 * read-modify-write), then reads the value; a waker does a read-modify-write on the same set,
 * whether somebody waits or not. If the waker comes second it finds the waiter; if it comes first
 * the waiter has acquired all that the waker wrote before, and so reads the new value and must not
 * sleep. In the kernel a waiter that finds another value is never in the queue. So the value is
 * read before, too, and one that differs ends the call; a waiter that has entered goes on only if
 * the value is still the same (AWAIT_STILL): if it is not, the graph leads to no execution, since
 * the waiter that had read the new value before it entered, and the others' accesses to the set
 * without it in between, are one of their own.
 *
 * Where states are explored (guest/states), each step is taken for good: there, a waiter that finds
 * another value leaves the set, and if it was chosen by a waker meanwhile it passes the wake-up on.
 *
 * Sets are found by address in a table that is filled as addresses turn up and never emptied: where
 * a set lies has no meaning, so the table is no part of the program's state. */
#include "guest/entry/guest.h"
#include <linux/futex.h>
#include <stdarg.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include "guest/explore/memory/divert.h"
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

static long wake_up_to(uint64_t *waiters, unsigned count, const void *pc)
{
    if (count >= GUEST_THREADS)
        return (long)guest_wake_all(waiters, ORDER_ACQ_REL, pc);
    uint64_t seen = word_rmw(waiters, guest_set_bytes(), RMW_OR, 0, ORDER_ACQ_REL, pc);
    long woken = 0;
    while (woken < (long)count && guest_wake_one(waiters, &seen, ORDER_ACQ_REL, pc))
        woken++;
    return woken;
}

/* 0, or an error number. */
static int futex_wait(uint32_t *address, uint32_t value, bool timed, const void *pc)
{
    uint64_t *waiters = waiters_of(address);
    bool by_states = memory_divert != NULL;
    op_fence(ORDER_SEQ_CST, pc); /* the kernel's lock is one, and libstdc++ counts on it */
    if (!by_states && word_load(address, 4, ORDER_ACQUIRE, pc) != value)
        return EAGAIN;
    guest_sleep_enter(waiters, ORDER_ACQ_REL, pc);
    op_fence(ORDER_SEQ_CST, pc);
    bool changed = by_states && word_load(address, 4, ORDER_ACQUIRE, pc) != value;
    if (!by_states)
        word_await(address, 4, AWAIT_STILL, (int32_t)value, RMW_NONE, 0, ORDER_ACQUIRE, pc, "futex",
                   "wait");
    if (changed || timed) {
        if (guest_sleep_leave(waiters, ORDER_ACQ_REL, pc))
            return changed ? EAGAIN : ETIMEDOUT;
        guest_sleep(pc, "futex", "wait");
        if (changed) {
            wake_up_to(waiters, 1, pc);
            return EAGAIN;
        }
        return 0;
    }
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
        return wake_up_to(waiters_of(address), (unsigned)arguments[2], pc);
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
