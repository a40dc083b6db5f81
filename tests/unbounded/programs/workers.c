/* Two workers that share a bounded buffer of two places for ever, under a mutex and two condition
 * variables: what is taken is what was put, in that order. M1: the consumer does not look again when
 * it is woken, which does harm only where threads wake up for no reason. M2: the consumer is woken by nobody. M3: locks are taken in both orders. M4: the count is
 * also looked at without the lock (--races=error tells). */
// run: => holds
// run: --model=tso => holds
// run: -DM1 => holds
// run: -DM1 --spurious-wakeups => violated assertion
// run: -DM2 => violated deadlock
// run: -DM3 => violated deadlock
// run: -DM4 --races=error => violated race
#include <assert.h>
#include <pthread.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER, other = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t filled = PTHREAD_COND_INITIALIZER, emptied = PTHREAD_COND_INITIALIZER;
static int place[2], count;
static void *produce(void *unused)
{
    (void)unused;
    for (int next = 0;; next = (next + 1) % 3) {
#ifdef M3
        pthread_mutex_lock(&other);
#endif
        pthread_mutex_lock(&lock);
        while (count == 2)
            pthread_cond_wait(&emptied, &lock);
        place[count++] = next;
#ifndef M2
        pthread_cond_signal(&filled);
#endif
        pthread_mutex_unlock(&lock);
#ifdef M3
        pthread_mutex_unlock(&other);
#endif
    }
    return NULL;
}
static void *consume(void *unused)
{
    (void)unused;
    for (int next = 0;; next = (next + 1) % 3) {
#ifdef M4
        if (count > 2)
            return NULL;
#endif
        pthread_mutex_lock(&lock);
#ifdef M3
        pthread_mutex_lock(&other);
        pthread_mutex_unlock(&other);
#endif
#ifdef M1
        if (count == 0)
#else
        while (count == 0)
#endif
            pthread_cond_wait(&filled, &lock);
        assert(count > 0 && place[0] == next);
        place[0] = place[1];
        count--;
        pthread_cond_signal(&emptied);
        pthread_mutex_unlock(&lock);
    }
    return NULL;
}
int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, produce, NULL);
    pthread_create(&b, NULL, consume, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
}
