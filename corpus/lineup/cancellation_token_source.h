/* cancellation_token_source.h: callbacks are registered to run when the source is cancelled; when it is
 * cancelled already they run at once. They stand in a list without locks, and a callback that is
 * registered while the source is being cancelled is run by whoever claims it first. */
#ifndef CANCELLATION_TOKEN_SOURCE_H
#define CANCELLATION_TOKEN_SOURCE_H
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

enum { SOURCE_NOT_CANCELLED, SOURCE_NOTIFYING, SOURCE_COMPLETE };

struct callback {
    void (*run)(void);
    atomic_bool claimed;
    struct callback *next;
};

struct source {
    atomic_int state;
    _Atomic(struct callback *) callbacks;
};

static inline void source_init(struct source *s)
{
    atomic_init(&s->state, SOURCE_NOT_CANCELLED);
    atomic_init(&s->callbacks, NULL);
}

static inline bool source_is_cancelled(struct source *s)
{
    return atomic_load(&s->state) >= SOURCE_NOTIFYING;
}

/* Whether the callback was run at once. */
static inline bool source_register(struct source *s, void (*run)(void))
{
    if (!source_is_cancelled(s)) {
        struct callback *c = malloc(sizeof *c);
        c->run = run;
        atomic_init(&c->claimed, false);
        struct callback *first = atomic_load(&s->callbacks);
        do
            c->next = first;
        while (!atomic_compare_exchange_weak(&s->callbacks, &first, c));
        if (!source_is_cancelled(s) || atomic_exchange(&c->claimed, true))
            return false;
    }
    run();
    return true;
}

/* How many callbacks it ran; none if the source was cancelled before. */
static inline int source_cancel(struct source *s)
{
    int count = 0, expected = SOURCE_NOT_CANCELLED;
    if (!atomic_compare_exchange_strong(&s->state, &expected, SOURCE_NOTIFYING))
        return 0;
    for (struct callback *c = atomic_exchange(&s->callbacks, NULL); c; c = c->next)
        if (!atomic_exchange(&c->claimed, true)) {
            c->run();
            count++;
        }
    atomic_store(&s->state, SOURCE_COMPLETE);
    return count;
}
#endif
