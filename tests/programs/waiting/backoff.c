/* N threads take a lock and back off while it is taken, HOW by HOW in another way: no order of the
 * attempts shows, so what is explored are the orders in which the threads get the lock
 * (tool/instrument/liveness/idle.h). -DWRONG: one of them does not take it. */
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <unistd.h>
#ifndef N
#define N 2
#endif
static atomic_int lock;
static int n;

static int try_lock(void)
{
    int zero = 0;
    return atomic_compare_exchange_strong_explicit(&lock, &zero, 1, memory_order_acquire,
                                                   memory_order_relaxed);
}
static void relax(void)
{
    __builtin_ia32_pause();
}
static void delay(int rounds)
{
    for (int i = 0; i < rounds; i++)
        relax();
}
static int longer(int rounds)
{
    return rounds < 1000 ? rounds * 2 : 1000;
}
static void stretch(unsigned *rounds)
{
    for (unsigned i = 0; i < *rounds; i++)
        relax();
    *rounds = *rounds * 5 / 3 + 1;
}

static void acquire(void)
{
#if HOW == 1 /* twice as long each time */
    int rounds = 1;
    while (!try_lock()) {
        for (volatile int i = 0; i < rounds; i++)
            ;
        rounds *= 2;
    }
#elif HOW == 2 /* up to a limit, then it yields */
    unsigned tries = 0;
    while (!try_lock())
        if (++tries > 10)
            sched_yield();
        else
            for (unsigned i = 0; i < 1u << tries; i++)
                __builtin_ia32_pause();
#elif HOW == 3 /* by functions, and then it sleeps */
    int rounds = 1, sleeps = 0;
    while (!try_lock()) {
        delay(rounds);
        rounds = longer(rounds);
        if (rounds == 1000)
            usleep(1u << (sleeps++ & 7));
    }
#elif HOW == 4 /* a random time: the state of a generator */
    unsigned state = 12345;
    while (!try_lock()) {
        state = state * 1103515245u + 12345u;
        delay((int)(state >> 16 & 31));
    }
#elif HOW == 5 /* by address */
    unsigned rounds = 1;
    while (!try_lock())
        stretch(&rounds);
#elif HOW == 6 /* by exchanging, with two counters that depend on each other */
    unsigned a = 1, b = 1;
    while (atomic_exchange_explicit(&lock, 1, memory_order_acquire)) {
        unsigned sum = a + b;
        a = b, b = sum;
        while (sum--)
            relax();
    }
#elif HOW == 7 /* finitely many delays, and a load before each attempt */
    int rounds = 1, expected;
    do {
        delay(rounds);
        rounds = longer(rounds);
        expected = atomic_load_explicit(&lock, memory_order_relaxed);
    } while (expected || !atomic_compare_exchange_strong_explicit(
                             &lock, &expected, 1, memory_order_acquire, memory_order_relaxed));
#endif
}

static void *count(void *argument)
{
#ifdef WRONG
    if (argument)
#endif
        acquire();
    n++;
    atomic_store_explicit(&lock, 0, memory_order_release);
    return argument;
}

int main(void)
{
    static int place[N];
    pthread_t t[N];
    for (int i = 0; i < N; i++)
        pthread_create(&t[i], 0, count, i ? &place[i] : 0);
    for (int i = 0; i < N; i++)
        pthread_join(t[i], 0);
    assert(n == N);
}
