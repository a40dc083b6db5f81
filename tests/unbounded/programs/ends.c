/* Threads that spin with exchanges, and loops whose end can or can't be reached: what counts is
 * whether each thread can come to its end from every state, unless its code has none. FORGET: a
 * test-and-set lock is not given back. ABBA: two such locks in both orders, by threads that run for
 * ever. AWAY: a third thread goes on with work of its own for ever meanwhile. SWING: a thread waits
 * for a value while it only changes between two others. ALONE: the value comes from another thread,
 * but in some executions too early. LATE: it stays. TRY: two locks in both orders, the second only
 * tried; somebody always can go on. SERVE: a server that polls by compare-exchange for what never
 * comes again. QUIET: an exchange of the value that is there goes on for ever, in a loop without an
 * end; POLL: a read does. */
// run: => holds
// run: -O2 --model=tso => holds
// run: -DFORGET => violated livelock
// run: -O2 -DFORGET --model=tso => violated livelock
// run: -DABBA => violated livelock
// run: -DABBA -DAWAY => violated livelock
// run: -O2 -DABBA -DAWAY --model=tso => violated livelock
// run: -DFORGET -DAWAY => violated livelock
// run: -DSWING => violated livelock
// run: -O2 -DSWING => violated livelock
// run: -DALONE => violated livelock
// run: -DALONE -DLATE => holds
// run: -DTRY => holds
// run: -DSERVE -DAWAY => violated livelock
// run: -DQUIET -DAWAY => violated livelock
// run: -DPOLL -DAWAY => holds
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
atomic_int a, b, x, y; /* not static: a compiler might find that x is never 2 */

static void lock(atomic_int *word)
{
    while (atomic_exchange(word, 1))
        ;
}

static void unlock(atomic_int *word)
{
    atomic_store(word, 0);
}

#ifdef AWAY
static void *away(void *unused)
{
    (void)unused;
    for (;;)
        atomic_store(&y, !atomic_load(&y));
}
#endif

#if defined ABBA
static void *first(void *unused)
{
    (void)unused;
    for (;;) {
        lock(&a);
        lock(&b);
        unlock(&b);
        unlock(&a);
    }
}
static void *second(void *unused)
{
    (void)unused;
    for (;;) {
        lock(&b);
        lock(&a);
        unlock(&a);
        unlock(&b);
    }
}
#elif defined SWING
static void *first(void *unused)
{
    while (atomic_load(&x) != 2)
        atomic_store(&x, !atomic_load(&x));
    return unused;
}
static void *second(void *unused)
{
    return unused;
}
#elif defined ALONE
static void *first(void *unused)
{
#ifdef LATE
    while (atomic_load(&x) != 2)
        atomic_fetch_and(&x, 2);
#else
    while (atomic_load(&x) != 2)
        atomic_store(&x, 1);
#endif
    return unused;
}
static void *second(void *unused)
{
    atomic_store(&x, 2);
    return unused;
}
#elif defined TRY
static void *both(atomic_int *one, atomic_int *other)
{
    for (;;) {
        lock(one);
        if (!atomic_exchange(other, 1))
            break;
        unlock(one);
    }
    unlock(other);
    unlock(one);
    return NULL;
}
static void *first(void *unused)
{
    (void)unused;
    return both(&a, &b);
}
static void *second(void *unused)
{
    (void)unused;
    return both(&b, &a);
}
#elif defined SERVE
static void *first(void *unused)
{
    (void)unused;
    for (;;) {
        int wanted = 1;
        atomic_compare_exchange_strong(&x, &wanted, 0);
    }
}
static void *second(void *unused)
{
    atomic_store(&x, 1);
    return unused;
}
#elif defined QUIET || defined POLL
static void *first(void *unused)
{
    (void)unused;
    for (;;)
#ifdef QUIET
        atomic_exchange(&x, 0);
#else
        (void)atomic_load(&x);
#endif
}
static void *second(void *unused)
{
    return unused;
}
#else
static void *first(void *unused)
{
    lock(&a);
    atomic_fetch_xor(&x, 1);
    unlock(&a);
    return unused;
}
static void *second(void *unused)
{
    lock(&a);
#ifndef FORGET
    unlock(&a);
#endif
    return unused;
}
#endif

int main(void)
{
    pthread_t threads[3];
    int count = 2;
#ifdef AWAY
    pthread_create(&threads[2], NULL, away, NULL);
    count++;
#endif
    pthread_create(&threads[0], NULL, first, NULL);
    pthread_create(&threads[1], NULL, second, NULL);
    for (int i = 0; i < count; i++)
        pthread_join(threads[i], NULL);
}
