/* countdown_event.h: an event that is set when it has been signalled often enough. The count changes by
 * compare-and-swap; the thread that brings it to zero sets the event. */
#ifndef COUNTDOWN_EVENT_H
#define COUNTDOWN_EVENT_H
#include "manual_reset_event.h"

struct countdown {
    atomic_int count;
    struct event zero;
};

enum countdown_answer { COUNTDOWN_NO, COUNTDOWN_YES, COUNTDOWN_ERROR };

static inline void countdown_init(struct countdown *c, int count)
{
    atomic_init(&c->count, count);
    event_init(&c->zero);
}

static inline int countdown_current_count(struct countdown *c)
{
    return atomic_load(&c->count);
}

static inline bool countdown_is_set(struct countdown *c)
{
    return atomic_load(&c->count) == 0;
}

/* Whether this signal was the last; an error if there are not so many left. */
static inline enum countdown_answer countdown_signal(struct countdown *c, int n)
{
    int seen = atomic_load(&c->count);
    do {
        if (seen < n)
            return COUNTDOWN_ERROR;
    } while (!atomic_compare_exchange_strong(&c->count, &seen, seen - n));
    if (seen != n)
        return COUNTDOWN_NO;
    event_set(&c->zero);
    return COUNTDOWN_YES;
}

/* False if it is set already. */
static inline bool countdown_try_add_count(struct countdown *c, int n)
{
    int seen = atomic_load(&c->count);
    do {
        if (seen == 0)
            return false;
    } while (!atomic_compare_exchange_strong(&c->count, &seen, seen + n));
    return true;
}

static inline void countdown_wait(struct countdown *c)
{
    if (!countdown_is_set(c))
        event_wait(&c->zero);
}

static inline bool countdown_wait_0(struct countdown *c)
{
    return countdown_is_set(c) || event_is_set(&c->zero);
}

static inline void countdown_wait_one(struct countdown *c)
{
    event_wait_one(&c->zero);
}
#endif
