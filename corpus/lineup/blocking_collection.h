/* blocking_collection.h: a queue on which Take waits until there is something, and to which adding can
 * be completed: then what is left can be taken, and nobody waits any more. The queue has no locks; a
 * semaphore counts what is in it; a word counts the threads that are adding, with a bit for completion.
 *
 * What the original does on purpose, and what is therefore not linearizable: the semaphore is released
 * after the value is in the queue, so for a moment Count is 0 and TryTake fails though the collection is
 * not empty (H, I); a Take that has begun may still take after a Cancel has returned (K).
 *
 * -DROOT_D is the fault of the preview's collection: in TryTake the acquisition of a lock may time out,
 * and TryTake fails then. */
#ifndef BLOCKING_COLLECTION_H
#define BLOCKING_COLLECTION_H
#include "concurrent_queue.h"
#include "semaphore_slim.h"

#define COLLECTION_COMPLETE 0x40000000

struct collection {
    struct queue queue;
    struct semaphore occupied;
    atomic_int adders; /* and COLLECTION_COMPLETE */
    pthread_mutex_t take_lock; /* of the preview */
};

enum collection_answer { COLLECTION_NO, COLLECTION_YES, COLLECTION_COMPLETED, COLLECTION_CANCELLED };

static inline void collection_init(struct collection *c)
{
    queue_init(&c->queue);
    semaphore_init(&c->occupied, 0);
    atomic_init(&c->adders, 0);
    pthread_mutex_init(&c->take_lock, NULL);
}

static inline int collection_count(struct collection *c)
{
    return semaphore_current_count(&c->occupied);
}

static inline bool collection_is_adding_completed(struct collection *c)
{
    return atomic_load(&c->adders) == COLLECTION_COMPLETE;
}

static inline bool collection_is_completed(struct collection *c)
{
    return collection_is_adding_completed(c) && collection_count(c) == 0;
}

static inline enum collection_answer collection_add(struct collection *c, int value)
{
    int adders = atomic_load(&c->adders);
    do {
        if (adders & COLLECTION_COMPLETE) {
            while (!collection_is_adding_completed(c)) /* once the last adder is through */
                sched_yield();
            return COLLECTION_COMPLETED;
        }
    } while (!atomic_compare_exchange_strong(&c->adders, &adders, adders + 1));
    queue_enqueue(&c->queue, value);
    semaphore_release(&c->occupied, 1);
    atomic_fetch_sub(&c->adders, 1);
    return COLLECTION_YES;
}

static inline void collection_complete_adding(struct collection *c)
{
    atomic_fetch_or(&c->adders, COLLECTION_COMPLETE);
    while (!collection_is_adding_completed(c))
        sched_yield();
    semaphore_cancel(&c->occupied); /* those that wait for more go */
}

/* What is taken after the semaphore was. */
static inline enum collection_answer collection_taken(struct collection *c, int *value)
{
    while (!queue_try_dequeue(&c->queue, value))
        sched_yield();
    return COLLECTION_YES;
}

/* Waits for a value, or for completion. */
static inline enum collection_answer collection_take(struct collection *c, atomic_bool *cancelled,
                                                     int *value)
{
    if (atomic_load(cancelled))
        return COLLECTION_CANCELLED;
    if (semaphore_wait(&c->occupied))
        return collection_taken(c, value);
    return collection_is_adding_completed(c) ? COLLECTION_COMPLETED : COLLECTION_CANCELLED;
}

/* The values of Take that have begun are not taken back. */
static inline void collection_cancel(struct collection *c, atomic_bool *cancelled)
{
    atomic_store(cancelled, true);
    semaphore_cancel(&c->occupied);
}

static inline enum collection_answer collection_try_take(struct collection *c, int *value)
{
#ifdef ROOT_D
    struct timespec until = {0};
    if (pthread_mutex_timedlock(&c->take_lock, &until))
        return COLLECTION_NO;
    bool got = queue_try_dequeue(&c->queue, value);
    if (got)
        semaphore_wait_0(&c->occupied);
    pthread_mutex_unlock(&c->take_lock);
    return got ? COLLECTION_YES : COLLECTION_NO;
#else
    return semaphore_wait_0(&c->occupied) ? collection_taken(c, value) : COLLECTION_NO;
#endif
}

static inline enum collection_answer collection_try_take_1(struct collection *c, int *value)
{
    return semaphore_wait_1(&c->occupied) ? collection_taken(c, value) : COLLECTION_NO;
}
#endif
