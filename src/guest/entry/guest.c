#include "guest/entry/guest.h"
#include "guest/runtime/fiber.h"
#include "guest/explore/memory/deferred.h"

GuestOptions guest_options;
static GuestThread *threads; /* set once: no state of the program depends on when */

GuestThread *guest_thread(unsigned thread)
{
    op_unannounced = true;
    if (UNLIKELY(!threads)) /* static constructors come before entry_setup */
        threads = op_permanent(sizeof(GuestThread) * GUEST_THREADS);
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

void guest_put_word(void *to, uint64_t word, size_t bytes)
{
    guest_put(to, &word, bytes);
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
    DEBUG_ASSERT(!bytes || to != from);
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
    DEBUG_ASSERT(object && guest_current()->held_count <= GUEST_HELD);
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
    DEBUG_ASSERT(guest_current()->held_count <= GUEST_HELD);
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
