// expect: violated assertion
// Who comes last at a barrier is anybody: here it must not be the thread that was created first.
#include <assert.h>
#include <pthread.h>
static pthread_barrier_t barrier;
static void *work(void *arg)
{
    if (pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD)
        assert(arg);
    return arg;
}
int main(void)
{
    pthread_t threads[3];
    pthread_barrier_init(&barrier, NULL, 3);
    for (long i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, work, (void *)i);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
