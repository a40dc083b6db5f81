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
 * Bit sets: a waiter notes which bits it wants before it enters the set, and a waker with bits of
 * its own looks at the notes of those in the set while it has it: as with GuestThread.waits, it has
 * acquired them, and they change only after their thread was taken out of the set.
 *
 * FUTEX_REQUEUE, FUTEX_CMP_REQUEUE and FUTEX_WAKE_OP take the sets of both addresses, the lower one
 * first, and give both back: like the kernel's two locks, that is one step to all others. A thread
 * that is moved goes on sleeping; it must know where it is if its time is over. Whoever moves it
 * stores that in its `moved_to`, with a count, while both sets are taken. A thread that gives up
 * takes itself out of the set where it knows to be. If it is not there, it has acquired what the
 * one wrote who took it out, and looks at `moved_to` again: another value means that it was moved
 * (the count tells moves to the same place apart), the same value that it was woken.
 *
 * Checked against the kernel (6.18) by hand: both forms of requeueing return how many were woken or
 * moved, also if nothing moves because both addresses are the same.
 *
 * Whether a wait with a deadline times out is chosen before it begins, as for condition variables
 * (doc/proofs/timed.md), unless waiters are moved in any execution: how many were tells of those
 * whose time is over later.
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
#include "guest/explore/graph/thread_set.h"
#include "guest/runtime/native.h"
#include "guest/entry/sync/word.h"
#include "guest/entry/sync/sleep.h"

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

/* Takes the set, when no other thread has it, and leaves AFTER there. Returns what was in it. VERB
 * is read by tool/report/explain/sleeps.h. */
static uint64_t take_set_to(uint64_t *waiters, RmwOp op, uint64_t after, const char *verb,
                            const void *pc)
{
    return word_await(waiters, guest_set_bytes(), AWAIT_NE, -1, op, after, ORDER_ACQ_REL, pc,
                      "futex", verb);
}

static uint64_t take_set(uint64_t *waiters, RmwOp op, uint64_t after, const void *pc)
{
    DEBUG_ASSERT(op == RMW_OR || op == RMW_AND || op == RMW_EXCHANGE || op == RMW_ADD);
    return take_set_to(waiters, op, after, "lock", pc);
}

static uint64_t lock_set_to(uint64_t *waiters, const char *verb, const void *pc)
{
    uint64_t set = take_set_to(waiters, RMW_EXCHANGE, locked_set(), verb, pc);
    guest_set(guest_current()->inside, 1);
    return set;
}

static uint64_t lock_set(uint64_t *waiters, const void *pc)
{
    return lock_set_to(waiters, "lock", pc);
}

static void unlock_set(uint64_t *waiters, uint64_t set, const void *pc)
{
    DEBUG_ASSERT(guest_current()->inside == 1);
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

/* The kernel wakes one thread also for a number that is 0 or negative. */
static unsigned at_least_one(int count)
{
    return (unsigned)MAX(count, 1);
}

/* Those of SET that a wake with BITS is for. */
static uint64_t wanting(uint64_t set, uint32_t bits)
{
    uint64_t some = 0;
    for (; set; set &= set - 1)
        if (~guest_thread((unsigned)__builtin_ctzll(set))->not_for & bits)
            some |= set & -set;
    return some;
}

static long wake_up_to(uint64_t *waiters, unsigned count, uint32_t bits, const void *pc)
{
    if (count >= GUEST_THREADS && bits == FUTEX_BITSET_MATCH_ANY)
        return (long)guest_wake_set(take_set(waiters, RMW_EXCHANGE, 0, pc), pc);
    uint64_t set = lock_set(waiters, pc), chosen = choose_threads(wanting(set, bits), count, pc);
    unlock_set(waiters, set & ~chosen, pc);
    return (long)guest_wake_set(chosen, pc);
}

/* ---- two futexes at once ---- */

typedef struct Pair { /* of sets; both point to one if the addresses are the same */
    uint64_t *of[2];
    uint64_t set[2];
} Pair;

static void lock_pair(Pair *pair, uint32_t *first, uint32_t *second, const void *pc)
{
    int low = first <= second ? 0 : 1;
    pair->of[0] = waiters_of(first);
    pair->of[1] = waiters_of(second);
    pair->set[low] = lock_set_to(pair->of[low], "lock both", pc);
    pair->set[!low] =
        first == second ? pair->set[low] : lock_set_to(pair->of[!low], "lock both", pc);
    op_fence(ORDER_SEQ_CST, pc);
}

/* Only the first set counts if there is one. */
static void unlock_pair(const Pair *pair, const void *pc)
{
    if (pair->of[0] != pair->of[1])
        word_release(pair->of[1], guest_set_bytes(), pair->set[1], pc);
    unlock_set(pair->of[0], pair->set[0], pc);
}

enum { ADDRESS_BITS = 48 };

/* Notes that the threads of SET wait on ADDRESS from now on. */
static void note_moves(uint64_t set, const uint32_t *address, const void *pc)
{
    DEBUG_ASSERT((uintptr_t)address >> ADDRESS_BITS == 0);
    for (; set; set &= set - 1) {
        uint64_t *place = &guest_thread((unsigned)__builtin_ctzll(set))->moved_to;
        uint64_t moves = (word_load(place, 8, ORDER_RELAXED, pc) >> ADDRESS_BITS) + 1;
        word_store(place, 8, (uintptr_t)address | moves << ADDRESS_BITS, ORDER_RELAXED, pc);
    }
}

/* Returns how many were woken or moved, or a negative error number. */
static long requeue(uint32_t *from, uint32_t *to, int wakes, int moves, const uint32_t *value,
                    const void *pc)
{
    Pair pair;
    if (wakes < 0 || moves < 0)
        return -EINVAL;
    if (memory_divert)
        op_unsupported_at(
            pc, "the program moves waiters from one futex to another: states do not follow "
                "that");
    op_note_moves();
    lock_pair(&pair, from, to, pc);
    if (value && (uint32_t)word_load(from, 4, ORDER_ACQUIRE, pc) != *value) {
        unlock_pair(&pair, pc);
        return -EAGAIN;
    }
    uint64_t woken = choose_threads(pair.set[0], (unsigned)wakes, pc);
    uint64_t moved = 0;
    if (from == to) {
        moved = pair.set[0] & ~woken; /* they stay; only their number counts */
        moves = MIN(moves, __builtin_popcountll(moved));
    } else {
        moved = choose_threads(pair.set[0] & ~woken, (unsigned)moves, pc);
        moves = __builtin_popcountll(moved);
        note_moves(moved, to, pc);
        pair.set[1] |= moved;
    }
    pair.set[0] &= from == to ? ~woken : ~(woken | moved);
    unlock_pair(&pair, pc);
    return (long)guest_wake_set(woken, pc) + moves;
}

static bool compares(uint32_t code, int32_t old, int32_t operand)
{
    switch (code) {
    case FUTEX_OP_CMP_EQ:
        return old == operand;
    case FUTEX_OP_CMP_NE:
        return old != operand;
    case FUTEX_OP_CMP_LT:
        return old < operand;
    case FUTEX_OP_CMP_LE:
        return old <= operand;
    case FUTEX_OP_CMP_GT:
        return old > operand;
    default:
        return old >= operand;
    }
}

/* Changes the word at SECOND and wakes at both addresses. Returns how many were woken, or a
 * negative error number. */
static long wake_op(uint32_t *first, uint32_t *second, int wakes, int second_wakes, uint32_t code,
                    const void *pc)
{
    static const RmwOp operations[] = {RMW_EXCHANGE, RMW_ADD, RMW_OR, RMW_AND, RMW_XOR};
    uint32_t operation = code >> 28 & 7, test = code >> 24 & 15;
    int32_t operand = (int32_t)(code << 8) >> 20, against = (int32_t)(code << 20) >> 20;
    Pair pair;
    if (operation >= COUNT_OF(operations) || test > FUTEX_OP_CMP_GE)
        return -ENOSYS;
    if (code >> 28 & FUTEX_OP_OPARG_SHIFT)
        operand = (int32_t)(UINT32_C(1) << (operand & 31));
    if (operation == FUTEX_OP_ANDN)
        operand = ~operand;
    lock_pair(&pair, first, second, pc);
    int32_t old =
        (int32_t)word_rmw(second, 4, operations[operation], (uint32_t)operand, ORDER_SEQ_CST, pc);
    uint64_t woken = choose_threads(pair.set[0], at_least_one(wakes), pc), more = 0;
    pair.set[0] &= ~woken;
    if (compares(test, old, against)) {
        uint64_t left = first == second ? pair.set[0] : pair.set[1];
        more = choose_threads(left, at_least_one(second_wakes), pc);
        pair.set[first == second ? 0 : 1] &= ~more;
    }
    unlock_pair(&pair, pc);
    return (long)guest_wake_set(woken | more, pc);
}

/* ---- waiting ---- */

/* The thread, which is in the set of ADDRESS or was moved to another, gives up: false if it was
 * woken before. (A move of an earlier sleep only costs a look at a set that it is not in.) */
static bool leave_set(const uint32_t *address, const void *pc)
{
    uint64_t bit = thread_bit(guest_self()), *place = &guest_current()->moved_to, moved = 0;
    for (;;) {
        if (take_set(waiters_of(address), RMW_AND, ~bit, pc) & bit)
            return guest_sleep_left(true);
        uint64_t now = word_load(place, 8, ORDER_RELAXED, pc);
        if (now == moved)
            return guest_sleep_left(false);
        moved = now;
        address = (const uint32_t *)(uintptr_t)(now & ((UINT64_C(1) << ADDRESS_BITS) - 1));
    }
}

/* 0, or an error number. */
static int futex_wait(uint32_t *address, uint32_t value, uint32_t bits, bool timed, const void *pc)
{
    DEBUG_ASSERT(guest_self() < GUEST_THREADS);
    uint64_t *waiters = waiters_of(address);
    GuestThread *self = guest_current();
    op_fence(ORDER_SEQ_CST, pc); /* the kernel's lock is one, and libstdc++ counts on it */
    if (word_load(address, 4, ORDER_ACQUIRE, pc) != value)
        return EAGAIN;
    const bool chooses = timed && op_active() && !op_knows_moves();
    if (chooses && op_times_out(pc))
        return ETIMEDOUT;
    uint64_t set = lock_set(waiters, pc);
    op_fence(ORDER_SEQ_CST, pc);
    uint64_t seen = word_await(address, 4, AWAIT_STILL, (int32_t)value, RMW_NONE, 0, ORDER_ACQUIRE,
                               pc, "futex", "wait");
    if ((uint32_t)seen != value) {
        unlock_set(waiters, set, pc);
        return EAGAIN;
    }
    guest_sleep_begin();
    if (self->not_for != ~bits)
        guest_set(self->not_for, ~bits);
    unlock_set(waiters, set | thread_bit(guest_self()), pc);
    if (chooses && !op_knows_moves() && guest_sleep_timed(pc, "futex", "wait"))
        return 0;
    if (timed && leave_set(address, pc))
        return ETIMEDOUT;
    guest_sleep(pc, "futex", "wait");
    return 0;
}

static long wait_call(const long arguments[6], uint32_t bits, const void *pc)
{
    const struct timespec *timeout = (const struct timespec *)arguments[3];
    if (!bits)
        return -EINVAL;
    int error =
        futex_wait((uint32_t *)arguments[0], (uint32_t)arguments[2], bits, timeout != NULL, pc);
    if (error == ETIMEDOUT) {
        if (((int)arguments[1] & FUTEX_CMD_MASK) == FUTEX_WAIT)
            time_pass(timeout);
        else
            time_pass_until(timeout);
    }
    return -error;
}

/* Returns the result, or a negative error number. */
static long call(const long arguments[6], const void *pc)
{
    uint32_t *address = (uint32_t *)arguments[0], *other = (uint32_t *)arguments[4];
    uint32_t third = (uint32_t)arguments[5];
    int operation = (int)arguments[1] & FUTEX_CMD_MASK, count = (int)arguments[2];
    switch (operation) {
    case FUTEX_WAIT:
        return wait_call(arguments, FUTEX_BITSET_MATCH_ANY, pc);
    case FUTEX_WAIT_BITSET:
        return wait_call(arguments, third, pc);
    case FUTEX_WAKE:
        return wake_up_to(waiters_of(address), at_least_one(count), FUTEX_BITSET_MATCH_ANY, pc);
    case FUTEX_WAKE_BITSET:
        return third ? wake_up_to(waiters_of(address), at_least_one(count), third, pc) : -EINVAL;
    case FUTEX_REQUEUE:
        return requeue(address, other, count, (int)arguments[3], NULL, pc);
    case FUTEX_CMP_REQUEUE:
        return requeue(address, other, count, (int)arguments[3], &third, pc);
    case FUTEX_WAKE_OP:
        return wake_op(address, other, count, (int)arguments[3], third, pc);
    default:
        op_unsupported_at(pc, "the program uses futex operation %d", operation);
    }
}

static long futex(const long arguments[6], const void *pc)
{
    long result = call(arguments, pc);
    if (result >= 0)
        return result;
    guest_errno((int)-result);
    return -1;
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
        op_unsupported_at(GUEST_PC, "the program makes system call %ld itself", number);
    }
}
