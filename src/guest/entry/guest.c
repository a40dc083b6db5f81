#include "guest/entry/guest.h"
#include "guest/runtime/fiber.h"
#include <unwind.h>
#include "guest/explore/graph/facts.h"
#include "guest/explore/memory/deferred.h"
#include "guest/explore/memory/divert.h"
#include "guest/runtime/native.h"
#include "guest/entry/sync/word.h"
#include "guest/explore/graph/thread_set.h"

GuestOptions guest_options;
static GuestThread *threads; /* set once: no state of the program depends on when */

/* The unwinder sets itself up on first use, by pthread_once: that must not happen inside the
 * program, where it would be an event. */
static _Unwind_Reason_Code stop_at_once(struct _Unwind_Context *context, void *unused)
{
    (void)context, (void)unused;
    return _URC_END_OF_STACK;
}

void guest_init(void)
{
    if (threads)
        return;
    threads = op_permanent(sizeof(GuestThread) * GUEST_THREADS);
    futex_slots();
    process_setup();
    native_init();
    guest_find_wait_table();
    guest_exempt_streams();
    _Unwind_Backtrace(stop_at_once, NULL);
}

GuestThread *guest_thread(unsigned thread)
{
    op_unannounced = true;
    if (UNLIKELY(!threads))
        guest_init();
    if (UNLIKELY(thread >= GUEST_THREADS))
        op_unsupported("more than %d threads", GUEST_THREADS);
    return &threads[thread];
}

unsigned guest_self(void)
{
    op_unannounced = true;
    return fiber_current >= 0 ? (unsigned)fiber_current : 0;
}

void guest_put(void *to, const void *from, size_t bytes)
{
    op_unannounced = true;
    if (op_active())
        op_write(to, from, bytes);
    else
        memcpy(to, from, bytes);
}

void guest_will_read(const void *address, size_t bytes, const void *pc)
{
    op_unannounced = true;
    if (!bytes || !op_active())
        return;
    op_plain_read(address, bytes, pc);
    /* the value that was chosen is in memory until the next access only, and what was read natively
     * before (the length of a string) is another one */
    if (UNLIKELY(deferred.address) && !deferred_finds_the_same())
        op_unsupported_at(pc, "a library function reads memory on which threads race");
}

void guest_will_copy(void *to, const void *from, size_t bytes, const void *pc)
{
    op_unannounced = true;
    if (!bytes || !op_active())
        return;
    op_plain_write(to, bytes, pc);
    Deferred store = deferred; /* as when gcc copies a structure */
    store.made = true;
    deferred.address = NULL;
    op_plain_read(from, bytes, pc);
    if (UNLIKELY(store.address))
        deferred_resume_copy(&store);
}

void guest_will_write(void *address, size_t bytes, const void *pc)
{
    op_unannounced = true;
    if (!bytes || !op_active())
        return;
    op_plain_write(address, bytes, pc);
    deferred.made = true;
}

void guest_store(void *to, const void *from, size_t bytes, const void *pc)
{
    guest_will_write(to, bytes, pc);
    memcpy(to, from, bytes);
}

void guest_errno(int value)
{
    guest_put(&errno, &value, sizeof value);
}

void guest_errno_since(int before)
{
    int after = errno;
    if (after == before)
        return;
    errno = before;
    guest_errno(after);
}

/* ---- locks held ---- */

static void hold(const void *object, bool robust, const char *what)
{
    GuestThread *self = guest_current();
    for (unsigned i = self->held_count; i-- > 0;)
        if (self->held[i].object == object) {
            guest_set(self->held[i].count, self->held[i].count + 1);
            return;
        }
    if (self->held_count == GUEST_HELD)
        op_unsupported("a thread holds more than %d %ss", GUEST_HELD, what);
    GuestHeld held = {.object = object, .count = 1, .robust = robust};
    guest_put(&self->held[self->held_count], &held, sizeof held);
    guest_set(self->held_count, self->held_count + 1);
}

void guest_hold(const void *object, const char *what)
{
    hold(object, false, what);
}

void guest_hold_robust(const void *mutex)
{
    hold(mutex, true, "robust mutex");
}

bool guest_holds(const void *object)
{
    const GuestThread *self = guest_current();
    for (unsigned i = 0; i < self->held_count; i++)
        if (self->held[i].object == object)
            return true;
    return false;
}

bool guest_release(const void *object)
{
    GuestThread *self = guest_current();
    for (unsigned i = self->held_count; i-- > 0;) {
        GuestHeld *held = &self->held[i];
        if (held->object != object)
            continue;
        if (held->count > 1) {
            guest_set(held->count, held->count - 1);
        } else {
            unsigned last = self->held_count - 1;
            if (i != last)
                guest_put(held, &self->held[last], sizeof *held);
            guest_set(self->held_count, last);
        }
        return true;
    }
    return false;
}

/* -- sleeping and waking --------------------------------------------------------------------------
 * A set of waiters is a word with a bit for each waiting thread. A waiter enters with one
 * atomic OR; whoever takes its bit out must wake it, and only that one may: so a wake-up goes to a
 * thread that was waiting when it was given, never to one that came later, and no wake-up is lost.
 * Each sleep has a number; it ends when the thread's `woken` reaches it. Numbers only grow, so the
 * sleeper needs no second write to take note. */

unsigned guest_set_bytes(void)
{
    return facts_met[FACT_many_threads] ? 8 : 4;
}

void guest_sleep_begin(void)
{
    GuestThread *self = guest_current();
    op_note_identity();
    guest_set(self->waits, self->waits + 1);
}

uint64_t guest_sleep_enter(uint64_t *waiters, int order, const void *pc)
{
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
    GuestThread *sleeper = guest_thread(thread);
    word_release(&sleeper->woken, 4, sleeper->waits, pc);
}

uint64_t guest_take_all(uint64_t *waiters, int order, const void *pc)
{
    return word_rmw(waiters, guest_set_bytes(), RMW_EXCHANGE, 0, order, pc);
}

unsigned guest_wake_set(uint64_t set, const void *pc)
{
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
