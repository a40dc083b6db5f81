// expect: violated assertion
// Two locks are taken together, and an attempt that began with the second one and failed leaves a trace.
#include <assert.h>
#include <pthread.h>
static pthread_mutex_t lock[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static int failed;

static void *other(void *arg)
{
    for (int i = 1; i >= 0; i--) {
        pthread_mutex_lock(&lock[i]);
        pthread_mutex_unlock(&lock[i]);
    }
    return arg;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, other, NULL);
    for (int first = 0;; first = !first) {
        pthread_mutex_lock(&lock[first]);
        if (!pthread_mutex_trylock(&lock[!first]))
            break;
        if (first)
            failed = 1;
        pthread_mutex_unlock(&lock[first]);
    }
    pthread_mutex_unlock(&lock[0]);
    pthread_mutex_unlock(&lock[1]);
    pthread_join(thread, NULL);
    assert(!failed);
}
