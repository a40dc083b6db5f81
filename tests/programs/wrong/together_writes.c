// expect: violated assertion
// Two locks are taken together, and who takes them writes down which one it began with.
#include <assert.h>
#include <pthread.h>
static pthread_mutex_t lock[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static int began_with;

static void *other(void *arg)
{
    pthread_mutex_lock(&lock[1]);
    pthread_mutex_unlock(&lock[1]);
    return arg;
}

static void take(void)
{
    for (int first = 0;; first = !first) {
        pthread_mutex_lock(&lock[first]);
        if (!pthread_mutex_trylock(&lock[!first])) {
            began_with = first;
            return;
        }
        pthread_mutex_unlock(&lock[first]);
    }
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, other, NULL);
    take();
    pthread_mutex_unlock(&lock[0]);
    pthread_mutex_unlock(&lock[1]);
    pthread_join(thread, NULL);
    assert(!began_with);
}
