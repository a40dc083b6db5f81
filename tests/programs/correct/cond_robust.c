// expect: holds
// A wait that gets its robust mutex back from a thread that died with it says so, as a lock does.
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <time.h>
static pthread_mutex_t mutex;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static int lost;
static void *dies(void *arg)
{
    int taken = pthread_mutex_lock(&mutex);
    if (taken == 0 && !lost)
        pthread_cond_signal(&cond);
    return arg;
}
int main(void)
{
    struct timespec past = {1, 0};
    pthread_mutexattr_t robust;
    pthread_t t, u;
    pthread_mutexattr_init(&robust);
    pthread_mutexattr_setrobust(&robust, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(&mutex, &robust);
    pthread_mutex_lock(&mutex);
    pthread_create(&t, NULL, dies, NULL);
    assert(pthread_cond_wait(&cond, &mutex) == EOWNERDEAD);
    pthread_mutex_consistent(&mutex);
    pthread_create(&u, NULL, dies, NULL);
    int result = pthread_cond_timedwait(&cond, &mutex, &past);
    assert(result == EOWNERDEAD || result == ETIMEDOUT); /* the thread comes before or after */
    lost = 1;
    pthread_mutex_unlock(&mutex);
    if (result == EOWNERDEAD)
        assert(pthread_mutex_lock(&mutex) == ENOTRECOVERABLE);
    pthread_join(t, NULL);
    pthread_join(u, NULL);
    return 0;
}
