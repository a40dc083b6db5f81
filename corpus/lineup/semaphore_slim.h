/* semaphore_slim.h: a counting semaphore. The count may be read, and found to be zero, without the
 * lock; it changes only under the lock. */
#ifndef SEMAPHORE_SLIM_H
#define SEMAPHORE_SLIM_H
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <time.h>

struct semaphore {
    atomic_int count;
    int waiting; /* under the lock */
    atomic_bool cancelled;
    pthread_mutex_t lock;
    pthread_cond_t released;
};

static inline void semaphore_init(struct semaphore *s, int count)
{
    atomic_init(&s->count, count);
    s->waiting = 0;
    atomic_init(&s->cancelled, false);
    pthread_mutex_init(&s->lock, NULL);
    pthread_cond_init(&s->released, NULL);
}

static inline int semaphore_current_count(struct semaphore *s)
{
    return atomic_load(&s->count);
}

/* Gives the count before. */
static inline int semaphore_release(struct semaphore *s, int n)
{
    pthread_mutex_lock(&s->lock);
    int before = atomic_load(&s->count);
    atomic_store(&s->count, before + n);
    if (s->waiting == 1 || n == 1)
        pthread_cond_signal(&s->released);
    else if (s->waiting)
        pthread_cond_broadcast(&s->released);
    pthread_mutex_unlock(&s->lock);
    return before;
}

/* Takes one, if need be after waiting; false if it was cancelled meanwhile. */
static inline bool semaphore_wait(struct semaphore *s)
{
    pthread_mutex_lock(&s->lock);
    s->waiting++;
    while (atomic_load(&s->count) == 0 && !atomic_load(&s->cancelled))
        pthread_cond_wait(&s->released, &s->lock);
    s->waiting--;
    int count = atomic_load(&s->count);
    if (count)
        atomic_store(&s->count, count - 1);
    pthread_mutex_unlock(&s->lock);
    return count != 0;
}

/* Takes one if there is one now. */
static inline bool semaphore_wait_0(struct semaphore *s)
{
    if (atomic_load(&s->count) == 0)
        return false;
    pthread_mutex_lock(&s->lock);
    int count = atomic_load(&s->count);
    if (count)
        atomic_store(&s->count, count - 1);
    pthread_mutex_unlock(&s->lock);
    return count != 0;
}

/* Takes one, waiting for at most a millisecond. */
static inline bool semaphore_wait_1(struct semaphore *s)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += 1000000;
    if (until.tv_nsec >= 1000000000) {
        until.tv_nsec -= 1000000000;
        until.tv_sec++;
    }
    pthread_mutex_lock(&s->lock);
    s->waiting++;
    bool timed_out = false;
    while (atomic_load(&s->count) == 0 && !atomic_load(&s->cancelled) && !timed_out)
        timed_out = pthread_cond_timedwait(&s->released, &s->lock, &until) != 0;
    s->waiting--;
    int count = atomic_load(&s->count);
    if (count)
        atomic_store(&s->count, count - 1);
    pthread_mutex_unlock(&s->lock);
    return count != 0;
}

/* All that wait for it, now or later, find that it was cancelled once nothing is left to take. */
static inline void semaphore_cancel(struct semaphore *s)
{
    atomic_store(&s->cancelled, true);
    pthread_mutex_lock(&s->lock);
    pthread_cond_broadcast(&s->released);
    pthread_mutex_unlock(&s->lock);
}
#endif
