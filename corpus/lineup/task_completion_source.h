/* task_completion_source.h: a result that is set once, as a value, an exception or a cancellation, and
 * that threads wait for. Who reserves the completion writes the result and publishes it; a thread that
 * comes second returns only when the first is through.
 *
 * -DROOT_F: the preview publishes an exception before it is written.
 * -DROOT_G: a thread that comes second does not wait, so it fails to complete a task that it then finds
 * not completed. */
#ifndef TASK_COMPLETION_SOURCE_H
#define TASK_COMPLETION_SOURCE_H
#include "manual_reset_event.h"
#include <sched.h>

enum task_state { TASK_PENDING, TASK_RESERVED, TASK_RESULT, TASK_EXCEPTION, TASK_CANCELLED };

struct task {
    atomic_int state;
    atomic_int result, exception; /* 0: none */
    struct event completed;
};

static inline void task_init(struct task *t)
{
    atomic_init(&t->state, TASK_PENDING);
    atomic_init(&t->result, 0);
    atomic_init(&t->exception, 0);
    event_init(&t->completed);
}

/* The state; TASK_PENDING until it is completed. */
static inline enum task_state task_status(struct task *t)
{
    enum task_state state = (enum task_state)atomic_load(&t->state);
    return state == TASK_RESERVED ? TASK_PENDING : state;
}

static inline bool task_try_set(struct task *t, enum task_state how, int value)
{
    int pending = TASK_PENDING;
    if (!atomic_compare_exchange_strong(&t->state, &pending, TASK_RESERVED)) {
#ifndef ROOT_G
        while (atomic_load(&t->state) == TASK_RESERVED)
            sched_yield();
#endif
        return false;
    }
    if (how == TASK_RESULT)
        atomic_store(&t->result, value);
#ifdef ROOT_F
    atomic_store(&t->state, (int)how);
    event_set(&t->completed);
    if (how == TASK_EXCEPTION)
        atomic_store(&t->exception, value);
#else
    if (how == TASK_EXCEPTION)
        atomic_store(&t->exception, value);
    atomic_store(&t->state, (int)how);
    event_set(&t->completed);
#endif
    return true;
}

/* What it was completed with, once it is. */
static inline enum task_state task_wait(struct task *t)
{
    if (task_status(t) == TASK_PENDING)
        event_wait(&t->completed);
    return task_status(t);
}

/* 0 unless it was completed with one. */
static inline int task_exception(struct task *t)
{
    return task_status(t) == TASK_EXCEPTION ? atomic_load(&t->exception) : 0;
}
#endif
