/* cond.c: condition variables, pthread and C11.
 *
 * The first word is the set of waiting threads. A waiter enters the set while it holds the
 * mutex, gives the mutex back, sleeps, and takes the mutex again. A signal takes one thread out of
 * the set, any one (each is explored), and wakes it; a broadcast takes all. So a signal goes to a
 * thread that was waiting then: one that comes later can't steal it, and a signal that nobody waits
 * for is lost, as it should be. Nobody wakes up without reason unless guest_options says so: that
 * keeps the number of executions small, and a program that relies on it shows no bug here that it
 * does not have on most systems; --spurious-wakeups tests for it.
 *
 * A timed wait that times out never enters the set: signals meanwhile go to others, a broadcast is
 * not for it, and that is so, too, if it entered and had left just before (doc/proofs/timed.md).
 * One that does not time out waits for its signal. Which of the two it is, is explored. */
#include "guest/entry/sync/cond.h"
#include <pthread.h>
#include <threads.h>
#include <time.h>
#include "guest/entry/guest.h"
#include "guest/entry/sync/mutex.h"
#include "guest/entry/sync/word.h"
#include "guest/entry/sync/sleep.h"

typedef struct Condition {
    uint64_t waiters; /* atomic location of guest_set_bytes bytes */
    uint64_t mark;    /* word_life_mark */
    uint64_t clock;
} Condition;
_Static_assert(sizeof(Condition) <= sizeof(pthread_cond_t), "no room in pthread_cond_t");

static const char name[] = "condition variable";

static bool wake_without_reason(const void *pc)
{
    GuestThread *self = guest_current();
    if (self->spurious >= guest_options.spurious_wakeups || !op_active())
        return false;
    if (!op_choose(2, pc))
        return false;
    guest_set(self->spurious, self->spurious + 1);
    return true;
}

/* The time is over before anybody signals. */
static int time_out(pthread_mutex_t *mutex, const struct timespec *until, const void *pc)
{
    unsigned count = mutex_drop(mutex, pc);
    time_pass_until(until);
    int taken = mutex_retake(mutex, count, pc);
    return taken ? taken : ETIMEDOUT;
}

/* The thread, which is in the set, sleeps. True if it leaves the set by itself, false once it was
 * taken out and woken. */
static bool leaves(Condition *own, bool timed, bool spuriously, const void *pc)
{
    if (timed && guest_sleep_timed(pc, name, "wait"))
        return false;
    if ((timed || spuriously) && guest_sleep_leave(&own->waiters, ORDER_ACQ_REL, pc))
        return true;
    guest_sleep(pc, name, "wait");
    return false;
}

static int wait_until(pthread_cond_t *cond, pthread_mutex_t *mutex, const struct timespec *until,
                      bool timed, const void *pc)
{
    Condition *own = (Condition *)cond;
    if (!mutex_owned(mutex) && op_active())
        op_violation(VIOLATION_MISUSE, pc,
                     "wait on a condition variable with a mutex that thread %u does not hold",
                     op_self());
    if (timed && op_active() && op_times_out(pc))
        return time_out(mutex, until, pc);
    bool spuriously = !timed && wake_without_reason(pc);
    word_check_alive(guest_sleep_enter(&own->waiters, ORDER_ACQ_REL, pc), own, name, "wait", pc);
    unsigned count = mutex_drop(mutex, pc);
    bool timed_out = leaves(own, timed, spuriously, pc) && timed;
    if (timed_out)
        time_pass_until(until);
    int taken = mutex_retake(mutex, count, pc); /* of a robust mutex: what its last owner left */
    return taken ? taken : timed_out ? ETIMEDOUT : 0;
}

void cond_wait(pthread_cond_t *cond, pthread_mutex_t *mutex, const void *pc)
{
    wait_until(cond, mutex, NULL, false, pc);
}

void cond_signal(pthread_cond_t *cond, const void *pc)
{
    Condition *own = (Condition *)cond;
    word_check_begun(own, name, "signal", pc);
    uint64_t seen = word_load(&own->waiters, guest_set_bytes(), ORDER_ACQUIRE, pc);
    word_check_alive(seen, own, name, "signal", pc);
    guest_wake_one(&own->waiters, &seen, ORDER_ACQ_REL, pc);
}

void cond_broadcast(pthread_cond_t *cond, const void *pc)
{
    Condition *own = (Condition *)cond;
    word_check_begun(own, name, "broadcast", pc);
    uint64_t seen = guest_take_all(&own->waiters, ORDER_ACQ_REL, pc);
    word_check_alive(seen, own, name, "broadcast", pc);
    guest_wake_set(seen, pc);
}

void cond_init(pthread_cond_t *cond, uint32_t clock, const void *pc)
{
    Condition fresh = {.clock = clock, .mark = word_life_mark(cond)};
    word_check_fresh(((Condition *)cond)->mark, cond, name, pc);
    word_store(cond, guest_set_bytes(), 0, ORDER_RELAXED, pc); /* see word_init */
    guest_store(&((Condition *)cond)->mark, &fresh.mark, sizeof fresh - offsetof(Condition, mark),
                pc);
}

void cond_destroy(pthread_cond_t *cond, const void *pc)
{
    Condition *own = (Condition *)cond;
    if (word_destroy(&own->waiters, guest_set_bytes(), name, pc) && op_active())
        op_violation(VIOLATION_MISUSE, pc,
                     "a condition variable is destroyed while threads wait on it");
    guest_set(own->mark, 0);
}

GUEST int pthread_cond_init(pthread_cond_t *restrict cond,
                            const pthread_condattr_t *restrict attributes)
{
    uint32_t clock = 0;
    if (attributes)
        memcpy(&clock, attributes, sizeof clock);
    cond_init(cond, clock, GUEST_PC);
    return 0;
}

GUEST int pthread_cond_destroy(pthread_cond_t *cond)
{
    cond_destroy(cond, GUEST_PC);
    return 0;
}

GUEST int pthread_cond_wait(pthread_cond_t *restrict cond, pthread_mutex_t *restrict mutex)
{
    return wait_until(cond, mutex, NULL, false, GUEST_PC);
}

GUEST int pthread_cond_timedwait(pthread_cond_t *restrict cond, pthread_mutex_t *restrict mutex,
                                 const struct timespec *restrict until)
{
    return wait_until(cond, mutex, until, true, GUEST_PC);
}

GUEST int pthread_cond_clockwait(pthread_cond_t *restrict cond, pthread_mutex_t *restrict mutex,
                                 clockid_t clock, const struct timespec *restrict until)
{
    (void)clock;
    return wait_until(cond, mutex, until, true, GUEST_PC);
}

GUEST int pthread_cond_signal(pthread_cond_t *cond)
{
    cond_signal(cond, GUEST_PC);
    return 0;
}

GUEST int pthread_cond_broadcast(pthread_cond_t *cond)
{
    cond_broadcast(cond, GUEST_PC);
    return 0;
}

/* ---- attributes: the clock ---- */

GUEST int pthread_condattr_init(pthread_condattr_t *attributes)
{
    uint32_t clock = CLOCK_REALTIME;
    guest_store(attributes, &clock, sizeof clock, GUEST_PC);
    return 0;
}

GUEST int pthread_condattr_destroy(pthread_condattr_t *attributes)
{
    (void)attributes;
    return 0;
}

GUEST int pthread_condattr_setclock(pthread_condattr_t *attributes, clockid_t clock)
{
    if (clock != CLOCK_REALTIME && clock != CLOCK_MONOTONIC)
        return EINVAL;
    guest_store(attributes, &clock, sizeof(uint32_t), GUEST_PC);
    return 0;
}

GUEST int pthread_condattr_getclock(const pthread_condattr_t *restrict attributes,
                                    clockid_t *restrict clock)
{
    guest_store(clock, attributes, sizeof(uint32_t), GUEST_PC);
    return 0;
}

GUEST int pthread_condattr_setpshared(pthread_condattr_t *attributes, int shared)
{
    (void)attributes;
    return shared == PTHREAD_PROCESS_PRIVATE || shared == PTHREAD_PROCESS_SHARED ? 0 : EINVAL;
}

GUEST int pthread_condattr_getpshared(const pthread_condattr_t *restrict attributes,
                                      int *restrict shared)
{
    int private = PTHREAD_PROCESS_PRIVATE;
    (void)attributes;
    guest_store(shared, &private, sizeof private, GUEST_PC);
    return 0;
}

/* ---- C11 ---- */

_Static_assert(sizeof(cnd_t) == sizeof(pthread_cond_t), "cnd_t is a pthread_cond_t");

GUEST int cnd_init(cnd_t *cond)
{
    cond_init((pthread_cond_t *)cond, CLOCK_REALTIME, GUEST_PC);
    return thrd_success;
}

GUEST void cnd_destroy(cnd_t *cond)
{
    cond_destroy((pthread_cond_t *)cond, GUEST_PC);
}

GUEST int cnd_wait(cnd_t *cond, mtx_t *mutex)
{
    cond_wait((pthread_cond_t *)cond, (pthread_mutex_t *)mutex, GUEST_PC);
    return thrd_success;
}

GUEST int cnd_timedwait(cnd_t *restrict cond, mtx_t *restrict mutex,
                        const struct timespec *restrict until)
{
    return wait_until((pthread_cond_t *)cond, (pthread_mutex_t *)mutex, until, true, GUEST_PC)
               ? thrd_timedout
               : thrd_success;
}

GUEST int cnd_signal(cnd_t *cond)
{
    cond_signal((pthread_cond_t *)cond, GUEST_PC);
    return thrd_success;
}

GUEST int cnd_broadcast(cnd_t *cond)
{
    cond_broadcast((pthread_cond_t *)cond, GUEST_PC);
    return thrd_success;
}
