/* rwlock.c: read-write locks. One word: 0 free, n > 0 held by n readers, minus the owner's number
 * minus one for a writer. Any waiting thread may be next; a reader may come while others read, even
 * if a writer waits (what glibc does by default). But a thread that holds the lock for reading and
 * locks it so once more may have to wait for a writer that waits: POSIX leaves that to systems, and
 * in C++ the behaviour is undefined. So from the first such lock of a program on, writers say in a
 * second word that they wait, and such readers wait until none does. That a reader's unlock is seen
 * by the next reader's lock gives an order between the two that the standard does not promise, but
 * then another execution has both inside at once, where a race between them shows. */
#include "guest/entry/guest.h"
#include <pthread.h>
#include <time.h>
#include "guest/entry/library/hidden.h"
#include "guest/entry/sync/word.h"

static const char name[] = "read-write lock";

static bool recursion_known; /* learnt, and kept */

static void *word_of(pthread_rwlock_t *lock)
{
    return &lock->__data.__readers;
}

/* How many writers wait. */
static void *waiting_of(pthread_rwlock_t *lock)
{
    return &lock->__data.__writers;
}

static bool owned(const pthread_rwlock_t *lock)
{
    return lock->__data.__cur_writer == (int)guest_self() + 1;
}

static uint64_t writer_mark(void)
{
    return (uint32_t)(-(int)guest_self() - 1);
}

/* The calling thread holds the lock for writing. glibc notices that and fails; POSIX lets it, or
 * the thread waits for itself; in C++ the behaviour is undefined. */
static int locked_again(const void *pc)
{
    if (op_active())
        op_violation(VIOLATION_MISUSE, pc,
                     "thread %u locks a read-write lock that it holds for writing: it may wait for "
                     "ever",
                     op_self());
    return EDEADLK;
}

/* A record has an event at ADDRESS: see await_writers. */
void rwlock_recall(uint64_t address)
{
    recursion_known |= address == (uintptr_t)hidden_cell('q');
}

/* The calling thread, which holds the lock for reading, locks it so again. */
static void await_writers(pthread_rwlock_t *lock, const void *pc)
{
    if (!recursion_known) {
        recursion_known = true;
        op_begin_again();
    }
    op_load(hidden_cell('q'), 4, ORDER_RELAXED, pc); /* tells replays that writers say it */
    word_await(waiting_of(lock), 4, AWAIT_EQ, 0, RMW_NONE, 0, ORDER_RELAXED, pc, name,
               "read lock again");
}

static int read_lock(pthread_rwlock_t *lock, const void *pc)
{
    if (owned(lock))
        return locked_again(pc);
    if (op_active() && op_others_exist() && guest_holds(lock))
        await_writers(lock, pc);
    uint64_t found =
        word_await(word_of(lock), 4, AWAIT_GE, 0, RMW_ADD, 1, ORDER_ACQUIRE, pc, name, "read lock");
    word_check_alive(found, word_of(lock), name, "read lock", pc);
    guest_hold(lock, "read lock");
    return 0;
}

/* A compare-exchange that fails because another reader came or went says nothing: try again with
 * what it found. */
static int read_try(pthread_rwlock_t *lock, int busy, const void *pc)
{
    if (owned(lock))
        return busy;
    word_check_begun(word_of(lock), name, "try to read lock", pc);
    op_note_try(word_of(lock));
    for (uint64_t found = 0; (int32_t)found >= 0;) {
        if (word_cas(word_of(lock), 4, &found, found + 1, ORDER_ACQUIRE, ORDER_RELAXED, pc)) {
            guest_hold(lock, "read lock");
            return 0;
        }
        word_check_alive(found, word_of(lock), name, "try to read lock", pc);
    }
    return busy;
}

static int write_lock(pthread_rwlock_t *lock, const void *pc)
{
    if (owned(lock))
        return locked_again(pc);
    bool says_so = recursion_known && op_active() && op_others_exist();
    if (says_so)
        word_rmw(waiting_of(lock), 4, RMW_ADD, 1, ORDER_RELAXED, pc);
    uint64_t found = word_await(word_of(lock), 4, AWAIT_FREE, 0, RMW_EXCHANGE, writer_mark(),
                                ORDER_ACQUIRE, pc, name, "write lock");
    if (says_so)
        word_rmw(waiting_of(lock), 4, RMW_SUB, 1, ORDER_RELAXED, pc);
    word_check_alive(found, word_of(lock), name, "write lock", pc);
    guest_set(lock->__data.__cur_writer, (int)guest_self() + 1);
    return 0;
}

static int write_try(pthread_rwlock_t *lock, int busy, const void *pc)
{
    uint64_t expected = 0;
    word_check_begun(word_of(lock), name, "try to write lock", pc);
    op_note_try(word_of(lock));
    if (!word_cas(word_of(lock), 4, &expected, writer_mark(), ORDER_ACQUIRE, ORDER_RELAXED, pc)) {
        word_check_alive(expected, word_of(lock), name, "try to write lock", pc);
        return busy;
    }
    guest_set(lock->__data.__cur_writer, (int)guest_self() + 1);
    return 0;
}

static int unlock(pthread_rwlock_t *lock, const void *pc)
{
    if (owned(lock)) {
        guest_set(lock->__data.__cur_writer, 0);
        word_release(word_of(lock), 4, 0, pc);
    } else if (guest_release(lock)) {
        word_rmw(word_of(lock), 4, RMW_SUB, 1, ORDER_RELEASE, pc);
    } else if (op_active()) {
        op_violation(VIOLATION_MISUSE, pc,
                     "unlock of a read-write lock that thread %u does not hold", op_self());
    }
    return 0;
}

static int timed(int result, const struct timespec *until)
{
    if (result == ETIMEDOUT)
        time_pass_until(until);
    return result;
}

GUEST int pthread_rwlock_init(pthread_rwlock_t *restrict lock,
                              const pthread_rwlockattr_t *restrict attributes)
{
    pthread_rwlock_t fresh;
    (void)attributes;
    memset(&fresh, 0, sizeof fresh);
    word_init(lock, &fresh, sizeof fresh, recursion_known ? 2 : 1, GUEST_PC);
    return 0;
}

GUEST int pthread_rwlock_destroy(pthread_rwlock_t *lock)
{
    const void *pc = GUEST_PC;
    if (word_destroy(word_of(lock), 4, name, pc) && op_active())
        op_violation(VIOLATION_MISUSE, pc, "a read-write lock is destroyed while it is held");
    return 0;
}

GUEST int pthread_rwlock_rdlock(pthread_rwlock_t *lock)
{
    return read_lock(lock, GUEST_PC);
}

GUEST int pthread_rwlock_tryrdlock(pthread_rwlock_t *lock)
{
    return read_try(lock, EBUSY, GUEST_PC);
}

GUEST int pthread_rwlock_timedrdlock(pthread_rwlock_t *restrict lock,
                                     const struct timespec *restrict until)
{
    return timed(read_try(lock, ETIMEDOUT, GUEST_PC), until);
}

GUEST int pthread_rwlock_clockrdlock(pthread_rwlock_t *restrict lock, clockid_t clock,
                                     const struct timespec *restrict until)
{
    (void)clock;
    return timed(read_try(lock, ETIMEDOUT, GUEST_PC), until);
}

GUEST int pthread_rwlock_wrlock(pthread_rwlock_t *lock)
{
    return write_lock(lock, GUEST_PC);
}

GUEST int pthread_rwlock_trywrlock(pthread_rwlock_t *lock)
{
    return write_try(lock, EBUSY, GUEST_PC);
}

GUEST int pthread_rwlock_timedwrlock(pthread_rwlock_t *restrict lock,
                                     const struct timespec *restrict until)
{
    return timed(write_try(lock, ETIMEDOUT, GUEST_PC), until);
}

GUEST int pthread_rwlock_clockwrlock(pthread_rwlock_t *restrict lock, clockid_t clock,
                                     const struct timespec *restrict until)
{
    (void)clock;
    return timed(write_try(lock, ETIMEDOUT, GUEST_PC), until);
}

GUEST int pthread_rwlock_unlock(pthread_rwlock_t *lock)
{
    return unlock(lock, GUEST_PC);
}

/* ---- attributes: kept, without effect ---- */

GUEST int pthread_rwlockattr_init(pthread_rwlockattr_t *attributes)
{
    int values[2] = {0, 0};
    guest_store(attributes, values, sizeof values, GUEST_PC);
    return 0;
}

GUEST int pthread_rwlockattr_destroy(pthread_rwlockattr_t *attributes)
{
    (void)attributes;
    return 0;
}

#define ATTRIBUTE(name, index, highest)                                                            \
    GUEST int pthread_rwlockattr_set##name(pthread_rwlockattr_t *attributes, int value)            \
    {                                                                                              \
        if (value < 0 || value > (highest))                                                        \
            return EINVAL;                                                                         \
        guest_store((int *)attributes + (index), &value, sizeof value, GUEST_PC);                  \
        return 0;                                                                                  \
    }                                                                                              \
    GUEST int pthread_rwlockattr_get##name(const pthread_rwlockattr_t *restrict attributes,        \
                                           int *restrict value)                                    \
    {                                                                                              \
        guest_store(value, (const int *)attributes + (index), sizeof *value, GUEST_PC);            \
        return 0;                                                                                  \
    }
ATTRIBUTE(pshared, 0, PTHREAD_PROCESS_SHARED)
ATTRIBUTE(kind_np, 1, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP)
