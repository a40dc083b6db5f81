// expect: holds
// A thread that is not at its end is not joined by pthread_tryjoin_np or pthread_timedjoin_np: main gives the mutex back.
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <time.h>
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int x;
static void *work(void *arg)
{
    pthread_mutex_lock(&mutex);
    x = 1;
    pthread_mutex_unlock(&mutex);
    return arg;
}
int main(void)
{
    struct timespec past = {1, 0};
    pthread_t t;
    void *result = NULL;
    pthread_mutex_lock(&mutex);
    pthread_create(&t, NULL, work, &x);
    assert(pthread_tryjoin_np(t, &result) == EBUSY);
    assert(pthread_timedjoin_np(t, &result, &past) == ETIMEDOUT);
    pthread_mutex_unlock(&mutex);
    if (pthread_tryjoin_np(t, &result))
        pthread_join(t, &result);
    assert(x == 1 && result == &x); /* joined either way: no race */
    return 0;
}
