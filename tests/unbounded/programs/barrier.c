/* Threads that meet at a barrier for ever. Two of them raise flags, meet, compare them, and meet
 * again before the next round. M1: they do not meet again, and one of them lowers its flag while
 * the other looks. CROWD: three threads at a barrier for two, of which any one may be overtaken by
 * the others for any number of rounds; it can always go on with another one. M2: two of the three
 * end after their third round, so that the last one waits for ever. M3: one of two destroys the
 * barrier while the other may wait at it. */
// run: => holds
// run: --model=tso => holds
// run: -O2 => holds
// run: -DM1 => violated assertion
// run: -DM3 => violated misuse
// run: -DCROWD => holds
// run: -DCROWD --model=tso => holds
// run: -DCROWD -DM2 => violated deadlock
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
static pthread_barrier_t barrier;
static atomic_int flag[2];
#ifdef CROWD
static void *meet(void *ends)
{
    (void)ends;
    for (int round = 0;; round = (round + 1) % 3) {
        pthread_barrier_wait(&barrier);
#ifdef M2
        if (ends && round == 2)
            return NULL;
#endif
    }
}
#else
static void *meet(void *number)
{
    int self = number != NULL;
    for (;;) {
        atomic_store(&flag[self], !flag[self]);
        pthread_barrier_wait(&barrier);
        assert(flag[0] == flag[1]);
#ifdef M3
        if (self)
            pthread_barrier_destroy(&barrier);
#endif
#ifndef M1
        pthread_barrier_wait(&barrier);
#endif
    }
}
#endif
int main(void)
{
    pthread_t threads[3];
    static int ends;
    int count = 2;
    pthread_barrier_init(&barrier, NULL, 2);
#ifdef CROWD
    count = 3;
#endif
    for (int i = 0; i < count; i++) {
#if defined CROWD && !defined M2
        pthread_create(&threads[i], NULL, meet, NULL);
#else
        pthread_create(&threads[i], NULL, meet, i ? &ends : NULL);
#endif
    }
    for (int i = 0; i < count; i++)
        pthread_join(threads[i], NULL);
}
