// expect: violated deadlock
// A condition variable whose broadcast wakes one waiter and moves the others to the mutex (FUTEX_CMP_REQUEUE). A waiter
// takes the mutex again as if nobody slept there (1 instead of 2), so that its unlock wakes none of those that were moved.
// (correct/futex_requeue.c takes it as contended.)
#define _GNU_SOURCE
#include <assert.h>
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>
static atomic_int mutex, sequence; /* 0 free, 1 taken, 2 taken and others sleep */
static int ready, done;
static long futex(atomic_int *at, int operation, int value, long second, atomic_int *other, int third)
{
    return syscall(SYS_futex, at, operation | FUTEX_PRIVATE_FLAG, value, second, other, third);
}
static void lock(int state)
{
    int seen = 0;
    if (state == 1 && atomic_compare_exchange_strong(&mutex, &seen, 1))
        return;
    while (atomic_exchange(&mutex, 2))
        futex(&mutex, FUTEX_WAIT, 2, 0, 0, 0);
}
static void unlock(void)
{
    if (atomic_exchange(&mutex, 0) == 2)
        futex(&mutex, FUTEX_WAKE, 1, 0, 0, 0);
}
#ifndef AGAIN
#define AGAIN 1
#endif
static void wait(void)
{
    int before = atomic_load(&sequence);
    unlock();
    futex(&sequence, FUTEX_WAIT, before, 0, 0, 0);
    lock(AGAIN);
}
static void broadcast(void)
{
    int now = atomic_fetch_add(&sequence, 1) + 1;
    futex(&sequence, FUTEX_CMP_REQUEUE, 1, INT_MAX, &mutex, now);
}
static void *waiter(void *unused)
{
    lock(1);
    while (!ready)
        wait();
    done++;
    unlock();
    return unused;
}
#ifndef WAITERS
#define WAITERS 2
#endif
int main(void)
{
    pthread_t threads[WAITERS];
    for (int i = 0; i < WAITERS; i++)
        pthread_create(&threads[i], 0, waiter, 0);
    lock(1);
    ready = 1;
    broadcast();
    unlock();
    for (int i = 0; i < WAITERS; i++)
        pthread_join(threads[i], 0);
    assert(done == WAITERS);
    return 0;
}
