// N threads meet ROUNDS times at a barrier for N. LOOKS: they note which calls told them that they came last. WRITES:
// each stores to an atomic before it arrives (N! coherence orders), where arrivals are not explored any more.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#ifndef N
#define N 3
#endif
#ifndef ROUNDS
#define ROUNDS 1
#endif
static pthread_barrier_t barrier;
static int before[N], last[N];
static atomic_int x;
static void *work(void *arg)
{
    long me = (long)arg;
#ifdef WRITES
    atomic_store_explicit(&x, (int)me, memory_order_relaxed);
#endif
    for (int round = 1; round <= ROUNDS; round++) {
        before[me] = round;
#ifdef LOOKS
        last[me] += pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD;
#else
        pthread_barrier_wait(&barrier);
#endif
        for (int other = 0; other < N; other++)
            assert(before[other] == round);
        pthread_barrier_wait(&barrier);
    }
    return arg;
}
int main(void)
{
    pthread_t threads[N];
    int sum = 0;
    pthread_barrier_init(&barrier, NULL, N);
    for (long i = 0; i < N; i++)
        pthread_create(&threads[i], NULL, work, (void *)i);
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], NULL);
    pthread_barrier_destroy(&barrier);
    for (int i = 0; i < N; i++)
        sum += last[i];
#ifdef LOOKS
    assert(sum == ROUNDS);
#endif
    return 0;
}
