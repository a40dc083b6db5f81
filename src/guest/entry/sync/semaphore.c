/* semaphore.c: POSIX semaphores without a name. The first word is the value: waiting is one atomic
 * step (read something positive, write one less), posting one more. */
#include "guest/entry/guest.h"
#include <limits.h>
#include <semaphore.h>
#include <time.h>
#include "guest/entry/sync/word.h"

typedef struct Semaphore {
    uint32_t value; /* atomic location */
    uint32_t spare;
    uint64_t mark; /* word_life_mark: there is no static initialiser */
} Semaphore;
_Static_assert(sizeof(Semaphore) <= sizeof(sem_t), "no room in sem_t");
static const char object[] = "semaphore";

/* Before every use. */
static void check_initialised(const sem_t *semaphore, const char *verb, const void *pc)
{
    const Semaphore *own = (const Semaphore *)semaphore;
    if (own->mark != word_life_mark(semaphore) && op_active() && !operations_is_dead(own->value))
        op_violation(VIOLATION_MISUSE, pc, "%s of a semaphore that was never initialised", verb);
}

static int fail(int error)
{
    guest_errno(error);
    return -1;
}

/* A compare-exchange that fails on a positive value says nothing: try again with what it found. The
 * first guess is 1, the value that semaphores have most often. */
static int take_now(sem_t *semaphore, const void *pc)
{
    check_initialised(semaphore, "try to wait", pc);
    for (uint64_t found = 1; found;) {
        if (word_cas(semaphore, 4, &found, found - 1, ORDER_ACQUIRE, ORDER_RELAXED, pc))
            return 0;
        word_check_alive(found, semaphore, object, "try to wait", pc);
    }
    return -1;
}

GUEST int sem_init(sem_t *semaphore, int shared, unsigned value)
{
    (void)shared;
    if (value > (unsigned)SEM_VALUE_MAX)
        return fail(EINVAL);
    union {
        sem_t whole;
        Semaphore own;
    } fresh;
    memset(&fresh, 0, sizeof fresh);
    fresh.own.value = value;
    fresh.own.mark = word_life_mark(semaphore);
    word_check_fresh(((Semaphore *)semaphore)->mark, semaphore, object, GUEST_PC);
    word_init(semaphore, &fresh, sizeof fresh, 1, GUEST_PC);
    return 0;
}

GUEST int sem_destroy(sem_t *semaphore)
{
    word_destroy(semaphore, 4, object, GUEST_PC);
    guest_set(((Semaphore *)semaphore)->mark, 0);
    return 0;
}

GUEST int sem_wait(sem_t *semaphore)
{
    check_initialised(semaphore, "wait", GUEST_PC);
    uint64_t found =
        word_await(semaphore, 4, AWAIT_GT, 0, RMW_SUB, 1, ORDER_ACQUIRE, GUEST_PC, object, "wait");
    word_check_alive(found, semaphore, object, "wait", GUEST_PC);
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
    check_initialised(semaphore, "post", GUEST_PC);
    uint64_t old = word_rmw(semaphore, 4, RMW_ADD, 1, ORDER_RELEASE, GUEST_PC);
    word_check_alive(old, semaphore, object, "post", GUEST_PC);
    if (UNLIKELY(old >= (uint64_t)SEM_VALUE_MAX) && op_active())
        op_violation(VIOLATION_MISUSE, GUEST_PC, "a semaphore is posted past its largest value");
    return 0;
}

GUEST int sem_getvalue(sem_t *restrict semaphore, int *restrict value)
{
    check_initialised(semaphore, "reading the value", GUEST_PC);
    int found = (int)word_load(semaphore, 4, ORDER_RELAXED, GUEST_PC);
    word_check_alive((uint64_t)found, semaphore, object, "reading the value", GUEST_PC);
    guest_store(value, &found, sizeof found, GUEST_PC);
    return 0;
}

GUEST sem_t *sem_open(const char *name, int flags, ...)
{
    (void)flags;
    if (op_active())
        op_unsupported_at(GUEST_PC, "the program opens the named semaphore %s", name);
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
