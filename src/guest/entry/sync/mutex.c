/* mutex.c: pthread mutexes of every kind, and C11 mtx_t, which has the same layout here.
 *
 * The first word is 0 when free, else the owner's number plus one: taking it is one atomic step
 * (read 0, write owner), giving it back one store. `__owner` and `__count` are written by the
 * holder alone, between the two, and so need no event: "am I the owner?" has a certain answer,
 * since only this thread writes its own number there and it takes it away before it unlocks.
 * An initialisation writes there, too. As soon as a program initialises a mutex while it has
 * several threads, these fields are therefore memory of the program like any other: a use that
 * nothing orders with the initialisation is a race, or is explored in both orders.
 *
 * A timed lock succeeds or, having found the mutex taken, times out: in an execution where time is
 * no value, that is a try. To wait and then get it is the same execution as to try later. */
#include "guest/entry/guest.h"
#include <pthread.h>
#include <threads.h>
#include <time.h>
#include "guest/entry/sync/mutex.h"
#include "guest/entry/sync/word.h"
#include "guest/explore/memory/deferred.h"
#include "guest/explore/memory/divert.h"
#include "guest/explore/memory/memory.h"

enum { KIND_MASK = 3, ROBUST = 16 };
/* A robust mutex has more states, so that one test finds all that are free: held is minus the
 * owner's number minus one, free is one of these. While somebody holds it after its owner died,
 * `__nusers` is 1 until pthread_mutex_consistent. */
enum { ROBUST_FREE, ROBUST_OWNER_DIED, ROBUST_LOST };
static const char name[] = "mutex";

static int kind_of(const pthread_mutex_t *mutex)
{
    return mutex->__data.__kind & KIND_MASK;
}

static bool shared_init; /* some mutex was initialised while there were several threads */

static bool owned(const pthread_mutex_t *mutex, const void *pc)
{
    const int *owner = &mutex->__data.__owner, mine = (int)guest_self() + 1;
    if (LIKELY(!facts_met[FACT_races]) || !op_active() ||
        !memory_races_in((const char *)owner, sizeof *owner))
        return *owner == mine;
    op_plain_read(owner, sizeof *owner, pc); /* an event, which races with nothing */
    int found = *owner;
    deferred_settle();
    return found == mine;
}

/* Not inlined, for a thread that waits is in the frame of whoever calls this (guest_put_word). */
static __attribute__((noinline)) void store_owner(pthread_mutex_t *mutex, int owner, const void *pc)
{
    guest_store(&mutex->__data.__owner, &owner, sizeof owner, pc);
    deferred_settle();
}

static void set_owner(pthread_mutex_t *mutex, int owner, const void *pc)
{
    DEBUG_ASSERT(owner >= 0);
    if (UNLIKELY(shared_init ||
                 (facts_met[FACT_races] && !memory_divert))) /* (states know no events) */
        store_owner(mutex, owner, pc);
    else
        guest_set(mutex->__data.__owner, owner);
}

static bool is_robust(const pthread_mutex_t *mutex)
{
    return (mutex->__data.__kind & ROBUST) != 0;
}

static uint64_t held_mark(const pthread_mutex_t *mutex)
{
    int mark = (int)guest_self() + 1;
    return (uint32_t)(is_robust(mutex) ? -mark : mark);
}

/* FOUND is the word's value before the caller took it. */
static int got(pthread_mutex_t *mutex, uint64_t found, const void *pc)
{
    word_check_alive(found, &mutex->__data.__lock, name, "lock", pc);
    if (is_robust(mutex)) {
        if (found == ROBUST_LOST) {
            word_release(&mutex->__data.__lock, 4, ROBUST_LOST, pc);
            return ENOTRECOVERABLE;
        }
        guest_set(mutex->__data.__nusers, found == ROBUST_OWNER_DIED);
        guest_hold_robust(mutex);
    }
    set_owner(mutex, (int)guest_self() + 1, pc);
    return found ? EOWNERDEAD : 0;
}

/* The owner comes again. -1: nothing special, go and wait (for ever, if the kind is normal). */
static int enter_again(pthread_mutex_t *mutex, int busy)
{
    switch (kind_of(mutex)) {
    case PTHREAD_MUTEX_RECURSIVE:
        if (mutex->__data.__count == UINT32_MAX)
            return EAGAIN;
        guest_set(mutex->__data.__count, mutex->__data.__count + 1);
        return 0;
    case PTHREAD_MUTEX_ERRORCHECK:
        return busy;
    default:
        return -1;
    }
}

static int mutex_lock(pthread_mutex_t *mutex, const void *pc)
{
    if (owned(mutex, pc)) {
        int result = enter_again(mutex, EDEADLK);
        if (result >= 0)
            return result;
    }
    uint64_t found = word_await(&mutex->__data.__lock, 4, is_robust(mutex) ? AWAIT_GE : AWAIT_FREE,
                                0, RMW_EXCHANGE, held_mark(mutex), ORDER_ACQUIRE, pc, name, "lock");
    return got(mutex, found, pc);
}

static int mutex_try(pthread_mutex_t *mutex, int busy, int again, const void *pc)
{
    if (owned(mutex, pc)) {
        int result = enter_again(mutex, again);
        return result >= 0 ? result : busy;
    }
    word_check_begun(&mutex->__data.__lock, name, "try to lock", pc);
    op_note_try(&mutex->__data.__lock);
    for (uint64_t found = 0;;) {
        if (word_cas(&mutex->__data.__lock, 4, &found, held_mark(mutex), ORDER_ACQUIRE,
                     ORDER_RELAXED, pc))
            return got(mutex, found, pc);
        word_check_alive(found, &mutex->__data.__lock, name, "try to lock", pc);
        if (!is_robust(mutex) || (int32_t)found < 0)
            return busy;
    }
}

static int mutex_timed(pthread_mutex_t *mutex, const struct timespec *until, const void *pc)
{
    int result = mutex_try(mutex, ETIMEDOUT, EDEADLK, pc);
    if (result == ETIMEDOUT)
        time_pass_until(until);
    return result;
}

static int mutex_unlock(pthread_mutex_t *mutex, const void *pc)
{
    if (!owned(mutex, pc)) {
        if (kind_of(mutex) == PTHREAD_MUTEX_ERRORCHECK)
            return EPERM;
        if (!op_active())
            die("a mutex is unlocked before main that is not locked");
        op_violation(VIOLATION_MISUSE, pc, "unlock of a mutex that thread %u does not hold",
                     op_self());
    }
    if (mutex->__data.__count) {
        guest_set(mutex->__data.__count, mutex->__data.__count - 1);
        return 0;
    }
    set_owner(mutex, 0, pc);
    uint64_t free = 0;
    if (is_robust(mutex)) {
        guest_release(mutex);
        free = mutex->__data.__nusers ? ROBUST_LOST : ROBUST_FREE;
    }
    word_release(&mutex->__data.__lock, 4, free, pc);
    return 0;
}

void mutex_owner_ends(void)
{
    GuestThread *self = guest_current();
    for (unsigned i = self->held_count; i-- > 0;) {
        if (!self->held[i].robust)
            continue;
        pthread_mutex_t *mutex = (pthread_mutex_t *)(uintptr_t)self->held[i].object;
        guest_set(mutex->__data.__owner, 0);
        guest_set(mutex->__data.__count, 0);
        word_release(&mutex->__data.__lock, 4, ROBUST_OWNER_DIED, NULL);
    }
}

bool mutex_owned(const pthread_mutex_t *mutex)
{
    return owned(mutex, NULL);
}

unsigned mutex_drop(pthread_mutex_t *mutex, const void *pc)
{
    unsigned count = mutex->__data.__count;
    if (count)
        guest_set(mutex->__data.__count, 0);
    mutex_unlock(mutex, pc);
    return count;
}

int mutex_retake(pthread_mutex_t *mutex, unsigned count, const void *pc)
{
    int result = mutex_lock(mutex, pc);
    if (count && result != ENOTRECOVERABLE)
        guest_set(mutex->__data.__count, count);
    return result;
}

/* The list of robust mutexes that glibc keeps there is not needed. */
static void *mark_of(const pthread_mutex_t *mutex)
{
    return (void *)(uintptr_t)word_life_mark(mutex);
}

static int mutex_init(pthread_mutex_t *mutex, int kind, const void *pc)
{
    if (UNLIKELY(!shared_init) && op_active() && op_others_exist()) {
        shared_init = true;
        op_begin_again();
    }
    word_check_fresh((uintptr_t)mutex->__data.__list.__prev, mutex, name, pc);
    pthread_mutex_t fresh = {.__data.__kind = kind & (KIND_MASK | ROBUST),
                             .__data.__list.__prev = mark_of(mutex)};
    word_init(mutex, &fresh, sizeof fresh, 1, pc);
    deferred_settle();
    return 0;
}

static int mutex_destroy(pthread_mutex_t *mutex, const void *pc)
{
    int32_t owner = (int32_t)word_destroy(&mutex->__data.__lock, 4, name, pc);
    if (is_robust(mutex))
        owner = owner < 0 ? -owner : 0;
    if (owner && op_active())
        op_violation(VIOLATION_MISUSE, pc, "a mutex is destroyed while thread %d holds it",
                     owner - 1);
    guest_set(mutex->__data.__list.__prev, NULL);
    return 0;
}

GUEST int pthread_mutex_init(pthread_mutex_t *mutex, const pthread_mutexattr_t *attributes)
{
    int kind = 0;
    if (attributes)
        memcpy(&kind, attributes, sizeof kind);
    return mutex_init(mutex, kind, GUEST_PC);
}

GUEST int pthread_mutex_destroy(pthread_mutex_t *mutex)
{
    return mutex_destroy(mutex, GUEST_PC);
}

GUEST int pthread_mutex_lock(pthread_mutex_t *mutex)
{
    return mutex_lock(mutex, GUEST_PC);
}

GUEST int pthread_mutex_trylock(pthread_mutex_t *mutex)
{
    return mutex_try(mutex, EBUSY, EBUSY, GUEST_PC);
}

GUEST int pthread_mutex_timedlock(pthread_mutex_t *restrict mutex,
                                  const struct timespec *restrict until)
{
    return mutex_timed(mutex, until, GUEST_PC);
}

GUEST int pthread_mutex_clocklock(pthread_mutex_t *restrict mutex, clockid_t clock,
                                  const struct timespec *restrict until)
{
    (void)clock;
    return mutex_timed(mutex, until, GUEST_PC);
}

GUEST int pthread_mutex_unlock(pthread_mutex_t *mutex)
{
    return mutex_unlock(mutex, GUEST_PC);
}

GUEST int pthread_mutex_consistent(pthread_mutex_t *mutex)
{
    if (!is_robust(mutex) || !owned(mutex, GUEST_PC) || !mutex->__data.__nusers)
        return EINVAL;
    guest_set(mutex->__data.__nusers, 0);
    return 0;
}

GUEST int pthread_mutex_getprioceiling(const pthread_mutex_t *restrict mutex, int *restrict value)
{
    (void)mutex, (void)value;
    return EINVAL;
}

GUEST int pthread_mutex_setprioceiling(pthread_mutex_t *restrict mutex, int value,
                                       int *restrict old)
{
    (void)mutex, (void)value, (void)old;
    return EINVAL;
}

/* ---- attributes: kind in the low bits, then robustness, sharing, protocol ---- */

enum { SHARED = 32, PROTOCOL_SHIFT = 8 };

static int attribute_get(const pthread_mutexattr_t *attributes)
{
    int bits;
    memcpy(&bits, attributes, sizeof bits);
    return bits;
}

GUEST int pthread_mutexattr_init(pthread_mutexattr_t *attributes)
{
    int bits = 0;
    guest_store(attributes, &bits, sizeof bits, GUEST_PC);
    return 0;
}

GUEST int pthread_mutexattr_destroy(pthread_mutexattr_t *attributes)
{
    (void)attributes;
    return 0;
}

/* ATTRIBUTE(name, highest value, mask, shift) */
#define ATTRIBUTE(name, highest, mask, shift)                                                      \
    GUEST int pthread_mutexattr_set##name(pthread_mutexattr_t *attributes, int value)              \
    {                                                                                              \
        if (value < 0 || value > (highest))                                                        \
            return EINVAL;                                                                         \
        int bits = (attribute_get(attributes) & ~((mask) << (shift))) | value << (shift);          \
        guest_store(attributes, &bits, sizeof bits, GUEST_PC);                                     \
        return 0;                                                                                  \
    }                                                                                              \
    GUEST int pthread_mutexattr_get##name(const pthread_mutexattr_t *restrict attributes,          \
                                          int *restrict value)                                     \
    {                                                                                              \
        int found = attribute_get(attributes) >> (shift) & (mask);                                 \
        guest_store(value, &found, sizeof found, GUEST_PC);                                        \
        return 0;                                                                                  \
    }
ATTRIBUTE(type, PTHREAD_MUTEX_ADAPTIVE_NP, KIND_MASK, 0)
ATTRIBUTE(robust, PTHREAD_MUTEX_ROBUST, 1, 4)
ATTRIBUTE(pshared, PTHREAD_PROCESS_SHARED, 1, 5)
ATTRIBUTE(protocol, PTHREAD_PRIO_PROTECT, 3, PROTOCOL_SHIFT)
_Static_assert(ROBUST == 1 << 4 && SHARED == 1 << 5, "bits of the attributes");

/* ---- C11 ---- */

_Static_assert(sizeof(mtx_t) == sizeof(pthread_mutex_t), "mtx_t is a pthread_mutex_t");

GUEST int mtx_init(mtx_t *mutex, int type)
{
    mutex_init((pthread_mutex_t *)mutex,
               type & mtx_recursive ? PTHREAD_MUTEX_RECURSIVE : PTHREAD_MUTEX_NORMAL, GUEST_PC);
    return thrd_success;
}

GUEST void mtx_destroy(mtx_t *mutex)
{
    mutex_destroy((pthread_mutex_t *)mutex, GUEST_PC);
}

GUEST int mtx_lock(mtx_t *mutex)
{
    return mutex_lock((pthread_mutex_t *)mutex, GUEST_PC) ? thrd_error : thrd_success;
}

GUEST int mtx_trylock(mtx_t *mutex)
{
    return mutex_try((pthread_mutex_t *)mutex, EBUSY, EBUSY, GUEST_PC) ? thrd_busy : thrd_success;
}

GUEST int mtx_timedlock(mtx_t *restrict mutex, const struct timespec *restrict until)
{
    int result = mutex_timed((pthread_mutex_t *)mutex, until, GUEST_PC);
    return result == 0 ? thrd_success : result == ETIMEDOUT ? thrd_timedout : thrd_error;
}

GUEST int mtx_unlock(mtx_t *mutex)
{
    return mutex_unlock((pthread_mutex_t *)mutex, GUEST_PC) ? thrd_error : thrd_success;
}
