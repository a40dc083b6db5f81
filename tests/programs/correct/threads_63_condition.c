// expect: holds
// args: --schedules=3
// 63 threads wait on one condition variable, whose set of waiters needs more than 32 bits.
#include <assert.h>
#include <pthread.h>

#define THREADS 63
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static int arrived, open, passed;

static void *pass(void *argument)
{
    pthread_mutex_lock(&mutex);
    if (++arrived == THREADS) {
        open = 1;
        pthread_cond_broadcast(&condition);
    }
    while (!open)
        pthread_cond_wait(&condition, &mutex);
    passed++;
    pthread_mutex_unlock(&mutex);
    return argument;
}

int main(void)
{
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, pass, NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    assert(passed == THREADS);
    pthread_cond_destroy(&condition);
}
