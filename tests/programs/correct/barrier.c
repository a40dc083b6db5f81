// expect: holds
// A barrier used twice: everybody sees what the others did before it; one thread a round is told so.
#include <assert.h>
#include <pthread.h>
static pthread_barrier_t barrier;
static int value[2], serial[2];
static void *work(void *arg)
{
    long me = (long)arg;
    value[me] = 1;
    int first = pthread_barrier_wait(&barrier);
    assert(value[!me] == 1);
    int second = pthread_barrier_wait(&barrier);
    serial[me] = (first == PTHREAD_BARRIER_SERIAL_THREAD) + (second == PTHREAD_BARRIER_SERIAL_THREAD);
    value[me] = 2;
    return NULL;
}
int main(void)
{
    pthread_t t, u;
    pthread_barrier_init(&barrier, NULL, 2);
    pthread_create(&t, NULL, work, (void *)0);
    pthread_create(&u, NULL, work, (void *)1);
    pthread_join(t, NULL);
    pthread_join(u, NULL);
    assert(serial[0] + serial[1] == 2);
    pthread_barrier_destroy(&barrier);
    return 0;
}
