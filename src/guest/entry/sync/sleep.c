#include "guest/entry/sync/sleep.h"
#include "guest/entry/sync/word.h"
#include "guest/explore/graph/facts.h"
#include "guest/explore/graph/thread_set.h"
#include "guest/explore/memory/divert.h"

unsigned guest_set_bytes(void)
{
    return facts_met[FACT_many_threads] ? 8 : 4;
}

void guest_sleep_begin(void)
{
    DEBUG_ASSERT(guest_self() < GUEST_THREADS);
    GuestThread *self = guest_current();
    op_note_identity();
    guest_set(self->waits, self->waits + 1);
}

uint64_t guest_sleep_enter(uint64_t *waiters, int order, const void *pc)
{
    DEBUG_ASSERT(waiters && guest_self() < 8 * guest_set_bytes());
    guest_sleep_begin();
    return word_rmw(waiters, guest_set_bytes(), RMW_OR, thread_bit(guest_self()), order, pc);
}

/* The sleep is over, and nobody is about to end it. Where states are explored, numbers that only
 * grow would make every state a new one; so they begin again. */
static void forget_sleeps(void)
{
    GuestThread *self = guest_current();
    if (!memory_divert)
        return;
    guest_set(self->waits, 0);
    guest_set(self->woken, 0);
}

bool guest_sleep_left(bool first)
{
    if (first)
        forget_sleeps();
    return first;
}

bool guest_sleep_leave(uint64_t *waiters, int order, const void *pc)
{
    uint64_t bit = thread_bit(guest_self());
    return guest_sleep_left(
        (word_rmw(waiters, guest_set_bytes(), RMW_AND, ~bit, order, pc) & bit) != 0);
}

void guest_sleep(const void *pc, const char *object, const char *verb)
{
    DEBUG_ASSERT(guest_current()->waits > 0);
    GuestThread *self = guest_current();
    word_await(&self->woken, 4, AWAIT_GE, (int64_t)self->waits, RMW_NONE, 0, ORDER_ACQUIRE, pc,
               object, verb);
    forget_sleeps();
}

bool guest_sleep_timed(const void *pc, const char *object, const char *verb)
{
    GuestThread *self = guest_current();
    if (memory_divert || !op_active()) /* any time may be the one when it is over */
        return false;
    return word_await(&self->woken, 4, AWAIT_TOLD, (int64_t)self->waits, RMW_NONE, 0, ORDER_ACQUIRE,
                      pc, object, verb) >= self->waits;
}

/* The number of the sleep was written before the bit was set: the caller has acquired it. */
static void wake(unsigned thread, const void *pc)
{
    DEBUG_ASSERT(thread < GUEST_THREADS);
    GuestThread *sleeper = guest_thread(thread);
    word_release(&sleeper->woken, 4, sleeper->waits, pc);
}

uint64_t guest_take_all(uint64_t *waiters, int order, const void *pc)
{
    return word_rmw(waiters, guest_set_bytes(), RMW_EXCHANGE, 0, order, pc);
}

unsigned guest_wake_set(uint64_t set, const void *pc)
{
    DEBUG_ASSERT(!set || guest_set_bytes() == 8 || set <= UINT32_MAX);
    unsigned count = 0;
    for (; set; set &= set - 1) {
        wake((unsigned)__builtin_ctzll(set), pc);
        count++;
    }
    return count;
}

unsigned guest_wake_all(uint64_t *waiters, int order, const void *pc)
{
    return guest_wake_set(guest_take_all(waiters, order, pc), pc);
}

bool guest_wake_one(uint64_t *waiters, uint64_t *seen, int order, const void *pc)
{
    while (*seen) {
        unsigned count = (unsigned)__builtin_popcountll(*seen);
        unsigned skip = count > 1 ? op_choose(count, pc) : 0;
        uint64_t rest = *seen;
        while (skip--)
            rest &= rest - 1;
        uint64_t bit = rest & -rest;
        /* Taken out by somebody else, or gone by itself, meanwhile? Then another one. */
        uint64_t found = word_rmw(waiters, guest_set_bytes(), RMW_AND, ~bit, order, pc);
        *seen = found & ~bit;
        if (found & bit) {
            wake((unsigned)__builtin_ctzll(bit), pc);
            return true;
        }
    }
    return false;
}
