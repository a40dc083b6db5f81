// expect: violated assertion
// Two locks are taken together, while another thread looks whether the second one can be taken alone.
#include <assert.h>
#include <pthread.h>
static pthread_mutex_t lock[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};

static void *other(void *arg)
{
    pthread_mutex_lock(&lock[1]);
    pthread_mutex_unlock(&lock[1]);
    pthread_mutex_lock(&lock[0]);
    assert(!pthread_mutex_trylock(&lock[1]));
    pthread_mutex_unlock(&lock[1]);
    pthread_mutex_unlock(&lock[0]);
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
        pthread_mutex_unlock(&lock[first]);
    }
    pthread_mutex_unlock(&lock[1]);
    pthread_mutex_unlock(&lock[0]);
    pthread_join(thread, NULL);
}
