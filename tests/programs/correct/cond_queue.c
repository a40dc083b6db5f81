// expect: holds
// One-slot buffer: producer and consumer wait in loops, each signals the other.
#include <assert.h>
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t filled = PTHREAD_COND_INITIALIZER, emptied = PTHREAD_COND_INITIALIZER;
static int slot;
static void *producer(void *arg)
{
    for (int i = 1; i <= 2; i++) {
        pthread_mutex_lock(&m);
        while (slot)
            pthread_cond_wait(&emptied, &m);
        slot = i;
        pthread_cond_signal(&filled);
        pthread_mutex_unlock(&m);
    }
    return arg;
}
static void *consumer(void *arg)
{
    for (int i = 1; i <= 2; i++) {
        pthread_mutex_lock(&m);
        while (!slot)
            pthread_cond_wait(&filled, &m);
        assert(slot == i);
        slot = 0;
        pthread_cond_signal(&emptied);
        pthread_mutex_unlock(&m);
    }
    return arg;
}
int main(void)
{
    pthread_t t, u;
    pthread_create(&t, NULL, producer, NULL);
    pthread_create(&u, NULL, consumer, NULL);
    pthread_join(t, NULL);
    pthread_join(u, NULL);
    return 0;
}
