// expect: violated assertion
// Two locks are taken together, and who takes them tells which one it began with.
#include <assert.h>
#include <pthread.h>
static pthread_mutex_t lock[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};

static void *other(void *arg)
{
    pthread_mutex_lock(&lock[1]);
    pthread_mutex_unlock(&lock[1]);
    return arg;
}

int main(void)
{
    pthread_t thread;
    int first = 0;
    pthread_create(&thread, NULL, other, NULL);
    for (;; first = !first) {
        pthread_mutex_lock(&lock[first]);
        if (!pthread_mutex_trylock(&lock[!first]))
            break;
        pthread_mutex_unlock(&lock[first]);
    }
    pthread_mutex_unlock(&lock[0]);
    pthread_mutex_unlock(&lock[1]);
    pthread_join(thread, NULL);
    assert(!first);
}
