// expect: violated assertion
// A round that finds nothing shows all the same: the lock is held meanwhile, and another thread tries it.
#include <assert.h>
#include <pthread.h>
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int done, failed;
static void *work(void *arg)
{
    if (pthread_mutex_trylock(&mutex))
        failed = 1;
    else
        pthread_mutex_unlock(&mutex);
    pthread_mutex_lock(&mutex);
    done = 1;
    pthread_mutex_unlock(&mutex);
    return arg;
}
static void *wait_for_it(void *arg)
{
    for (int found = 0; !found;) {
        pthread_mutex_lock(&mutex);
        found = done;
        pthread_mutex_unlock(&mutex);
    }
    return arg;
}
int main(void)
{
    pthread_t t, u;
    pthread_create(&t, NULL, work, NULL);
    pthread_create(&u, NULL, wait_for_it, NULL);
    pthread_join(t, NULL);
    pthread_join(u, NULL);
    assert(!failed);
    return 0;
}
