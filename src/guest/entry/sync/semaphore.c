/* semaphore.c: POSIX semaphores without a name. The first word is the value: waiting is one atomic
 * step (read something positive, write one less), posting one more. */
#include "guest/entry/guest.h"
#include <limits.h>
#include <semaphore.h>
#include <time.h>
#include "guest/entry/sync/word.h"

static int fail(int error)
{
    guest_errno(error);
    return -1;
}

/* A compare-exchange that fails on a positive value says nothing: try again with what it found. The
 * first guess is 1, the value that semaphores have most often. */
static int take_now(sem_t *semaphore, const void *pc)
{
    for (uint64_t found = 1; found;)
        if (word_cas(semaphore, 4, &found, found - 1, ORDER_ACQUIRE, ORDER_RELAXED, pc))
            return 0;
    return -1;
}

GUEST int sem_init(sem_t *semaphore, int shared, unsigned value)
{
    (void)shared;
    if (value > (unsigned)SEM_VALUE_MAX)
        return fail(EINVAL);
    sem_t fresh;
    memset(&fresh, 0, sizeof fresh);
    memcpy(&fresh, &value, sizeof value);
    word_init(semaphore, &fresh, sizeof fresh, 1, GUEST_PC);
    return 0;
}

GUEST int sem_destroy(sem_t *semaphore)
{
    (void)semaphore;
    return 0;
}

GUEST int sem_wait(sem_t *semaphore)
{
    word_await(semaphore, 4, AWAIT_GT, 0, RMW_SUB, 1, ORDER_ACQUIRE, GUEST_PC, "semaphore", "wait");
    return 0;
}

GUEST int sem_trywait(sem_t *semaphore)
{
    return take_now(semaphore, GUEST_PC) ? fail(EAGAIN) : 0;
}

/* To wait and then get it is the same execution as to try later (see mutex.c). */
static int take_timed(sem_t *semaphore, const struct timespec *until, const void *pc)
{
    if (take_now(semaphore, pc) == 0)
        return 0;
    time_pass_until(until);
    return fail(ETIMEDOUT);
}

GUEST int sem_timedwait(sem_t *restrict semaphore, const struct timespec *restrict until)
{
    return take_timed(semaphore, until, GUEST_PC);
}

GUEST int sem_clockwait(sem_t *restrict semaphore, clockid_t clock,
                        const struct timespec *restrict until)
{
    (void)clock;
    return take_timed(semaphore, until, GUEST_PC);
}

GUEST int sem_post(sem_t *semaphore)
{
    uint64_t old = word_rmw(semaphore, 4, RMW_ADD, 1, ORDER_RELEASE, GUEST_PC);
    if (UNLIKELY(old >= (uint64_t)SEM_VALUE_MAX) && op_active())
        op_violation(VIOLATION_MISUSE, GUEST_PC, "a semaphore is posted past its largest value");
    return 0;
}

GUEST int sem_getvalue(sem_t *restrict semaphore, int *restrict value)
{
    int found = (int)word_load(semaphore, 4, ORDER_RELAXED, GUEST_PC);
    guest_store(value, &found, sizeof found, GUEST_PC);
    return 0;
}

GUEST sem_t *sem_open(const char *name, int flags, ...)
{
    (void)flags;
    if (op_active())
        op_unsupported("the program opens the named semaphore %s", name);
    guest_errno(ENOSYS);
    return SEM_FAILED;
}

GUEST int sem_close(sem_t *semaphore)
{
    (void)semaphore;
    return 0;
}

GUEST int sem_unlink(const char *name)
{
    (void)name;
    return 0;
}
