/* barrier.c: pthread barriers. Arrivals are counted up for ever, so a round is a quotient and
 * nothing is reset: a thread of the next round may arrive before all of this one have left. The
 * last arrival of a round has acquired all others and adds one to the rounds that are open. (Where
 * more threads use a barrier than it is for, the next round may be complete before that. Who leaves
 * a round by another one's opening happens after all arrivals of its own: those that came later
 * have acquired them.) In which order threads arrive is explored only where it shows
 * (explore/reduce/waiting/arrivals.h). Also spin locks, which are mutexes in one word that does not
 * name its owner. */
#include "guest/entry/guest.h"
#include <pthread.h>
#include "guest/entry/sync/word.h"

typedef struct Barrier {
    uint32_t arrived; /* atomic location */
    uint32_t opened;  /* atomic location: rounds that are complete */
    uint32_t count;
    uint32_t spare;
    uint64_t mark; /* word_life_mark */
} Barrier;
static const char name[] = "barrier", spin_name[] = "spin lock";
_Static_assert(sizeof(Barrier) <= sizeof(pthread_barrier_t), "no room in pthread_barrier_t");

GUEST int pthread_barrier_init(pthread_barrier_t *restrict barrier,
                               const pthread_barrierattr_t *restrict attributes, unsigned count)
{
    const void *pc = GUEST_PC;
    Barrier *own = (Barrier *)barrier;
    (void)attributes;
    if (count == 0)
        return EINVAL;
    word_check_fresh(own->mark, own, name, pc);
    Barrier fresh = {.count = count, .mark = word_life_mark(own)};
    word_init(own, &fresh, sizeof fresh, 2, pc);
    return 0;
}

GUEST int pthread_barrier_wait(pthread_barrier_t *barrier)
{
    const void *pc = GUEST_PC;
    Barrier *own = (Barrier *)barrier;
    if (own->count == 0) {
        if (!op_active())
            die("before main, the program waits at a barrier that was never initialised");
        op_violation(VIOLATION_MISUSE, pc, "wait at a barrier that was never initialised");
    }
    uint32_t before =
        (uint32_t)word_await(&own->arrived, 4, AWAIT_TURN, op_arrival_turn(own, own->count, pc),
                             RMW_ADD, 1, ORDER_ACQ_REL, pc, name, "wait");
    word_check_alive(before, own, name, "wait", pc);
    uint32_t round = before / own->count;
    if (before % own->count == own->count - 1) {
        word_rmw(&own->opened, 4, RMW_ADD, 1, ORDER_RELEASE, pc);
        op_forget_rounds(&own->arrived, &own->opened, own->count);
        return PTHREAD_BARRIER_SERIAL_THREAD;
    }
    word_await(&own->opened, 4, AWAIT_GT, (int64_t)round, RMW_NONE, 0, ORDER_ACQUIRE, pc, name,
               "wait");
    op_forget_rounds(&own->arrived, &own->opened, own->count);
    return 0;
}

GUEST int pthread_barrier_destroy(pthread_barrier_t *barrier)
{
    const void *pc = GUEST_PC;
    Barrier *own = (Barrier *)barrier;
    uint64_t arrived = word_destroy(&own->arrived, 4, name, pc);
    if (own->count && arrived % own->count && op_active())
        op_violation(VIOLATION_MISUSE, pc, "a barrier is destroyed while threads wait at it");
    guest_set(own->mark, 0);
    return 0;
}

GUEST int pthread_barrierattr_init(pthread_barrierattr_t *attributes)
{
    int zero = 0;
    guest_store(attributes, &zero, sizeof zero, GUEST_PC);
    return 0;
}

GUEST int pthread_barrierattr_destroy(pthread_barrierattr_t *attributes)
{
    (void)attributes;
    return 0;
}

GUEST int pthread_barrierattr_setpshared(pthread_barrierattr_t *attributes, int shared)
{
    guest_store(attributes, &shared, sizeof shared, GUEST_PC);
    return 0;
}

GUEST int pthread_barrierattr_getpshared(const pthread_barrierattr_t *restrict attributes,
                                         int *restrict shared)
{
    guest_store(shared, attributes, sizeof *shared, GUEST_PC);
    return 0;
}

/* ---- spin locks ---- */

static void *spin_word(pthread_spinlock_t *lock)
{
    return (void *)(uintptr_t)lock;
}

GUEST int pthread_spin_init(pthread_spinlock_t *lock, int shared)
{
    int zero = 0;
    (void)shared;
    word_init(spin_word(lock), &zero, sizeof zero, 1, GUEST_PC);
    return 0;
}

GUEST int pthread_spin_destroy(pthread_spinlock_t *lock)
{
    const void *pc = GUEST_PC;
    if (word_destroy(spin_word(lock), 4, spin_name, pc) && op_active())
        op_violation(VIOLATION_MISUSE, pc, "a spin lock is destroyed while it is held");
    return 0;
}

GUEST int pthread_spin_lock(pthread_spinlock_t *lock)
{
    void *word = spin_word(lock);
    uint64_t found = word_await(word, 4, AWAIT_FREE, 0, RMW_EXCHANGE, guest_self() + 1,
                                ORDER_ACQUIRE, GUEST_PC, spin_name, "lock");
    word_check_alive(found, word, spin_name, "lock", GUEST_PC);
    guest_hold(word, "spin lock");
    return 0;
}

GUEST int pthread_spin_trylock(pthread_spinlock_t *lock)
{
    void *word = spin_word(lock);
    uint64_t expected = 0;
    word_check_begun(word, spin_name, "try to lock", GUEST_PC);
    op_note_try(word);
    if (!word_cas(word, 4, &expected, guest_self() + 1, ORDER_ACQUIRE, ORDER_RELAXED, GUEST_PC)) {
        word_check_alive(expected, word, spin_name, "try to lock", GUEST_PC);
        return EBUSY;
    }
    guest_hold(word, "spin lock");
    return 0;
}

GUEST int pthread_spin_unlock(pthread_spinlock_t *lock)
{
    const void *pc = GUEST_PC;
    void *word = spin_word(lock);
    if (!guest_release(word) && op_active())
        op_violation(VIOLATION_MISUSE, pc, "unlock of a spin lock that thread %u does not hold",
                     op_self());
    word_store(word, 4, 0, ORDER_RELEASE, pc); /* a plain store on x86 */
    return 0;
}
