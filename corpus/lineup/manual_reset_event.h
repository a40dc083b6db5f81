/* manual_reset_event.h: an event that threads wait for; it stays set until it is reset. One word holds
 * the signal and how many wait, so that setting an event that nobody waits for takes no lock.
 *
 * -DROOT_A is the fault of the preview: the new word is computed from a second read of the state. When
 * the event is set, reset and set again around that read, the compare-and-swap succeeds and writes a word
 * that was computed while the event was reset: the last signal is lost.
 *
 * -DSPUN leaves out the look at the event before the lock is taken. With that look the fault needs three preemptions:
 * not set, set, reset and set again are seen by four steps of the waiting thread in turn, and each switch away from it
 * is one. The class of the paper spins there and yields at the end, where CHESS counts no switch, so it found the fault
 * with two; without the look two are enough here, too. */
#ifndef MANUAL_RESET_EVENT_H
#define MANUAL_RESET_EVENT_H
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

#define EVENT_SET 0x40000000

struct event_handle { /* what WaitOne waits on; made when first used */
    pthread_mutex_t lock;
    pthread_cond_t changed;
};

struct event {
    atomic_int state; /* EVENT_SET, and the number of threads that wait */
    struct event_handle own;
    _Atomic(struct event_handle *) handle;
};

static inline void event_handle_init(struct event_handle *h)
{
    pthread_mutex_init(&h->lock, NULL);
    pthread_cond_init(&h->changed, NULL);
}

static inline void event_init(struct event *e)
{
    atomic_init(&e->state, 0);
    atomic_init(&e->handle, NULL);
    event_handle_init(&e->own);
}

static inline bool event_is_set(struct event *e)
{
    return atomic_load(&e->state) & EVENT_SET;
}

static inline void event_wake(struct event_handle *h)
{
    pthread_mutex_lock(&h->lock);
    pthread_cond_broadcast(&h->changed);
    pthread_mutex_unlock(&h->lock);
}

static inline void event_set(struct event *e)
{
    int before = atomic_fetch_or(&e->state, EVENT_SET);
    if (before == 0 || before & EVENT_SET)
        return;
    event_wake(&e->own);
    struct event_handle *h = atomic_load(&e->handle);
    if (h)
        event_wake(h);
}

static inline void event_reset(struct event *e)
{
    atomic_fetch_and(&e->state, ~EVENT_SET);
}

/* Counts the caller as waiting; false if the event is set. */
static inline bool event_enter(struct event *e)
{
    for (;;) {
        int local = atomic_load(&e->state);
#ifdef ROOT_A
        int next = atomic_load(&e->state) + 1;
#else
        int next = local + 1;
#endif
        if (next & EVENT_SET)
            return false;
        if (atomic_compare_exchange_strong(&e->state, &local, next))
            return true;
    }
}

static inline void event_wait_on(struct event *e, struct event_handle *h)
{
#ifndef SPUN
    if (event_is_set(e))
        return;
#endif
    pthread_mutex_lock(&h->lock);
    if (event_enter(e)) {
        while (!event_is_set(e))
            pthread_cond_wait(&h->changed, &h->lock);
        atomic_fetch_sub(&e->state, 1);
    }
    pthread_mutex_unlock(&h->lock);
}

static inline void event_wait(struct event *e)
{
    event_wait_on(e, &e->own);
}

static inline void event_wait_one(struct event *e)
{
    struct event_handle *h = atomic_load(&e->handle);
    if (!h) {
        struct event_handle *fresh = malloc(sizeof *fresh);
        event_handle_init(fresh);
        if (atomic_compare_exchange_strong(&e->handle, &h, fresh))
            h = fresh;
        else
            free(fresh);
    }
    event_wait_on(e, h);
}
#endif
