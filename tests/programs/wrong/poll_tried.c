// expect: violated assertion
/* A thread polls a flag, and tries a mutex to look at another one; a second thread tries the mutex
 * once, keeps whether it was free, and sets what is looked at there. The round of the first thread
 * that made the attempt fail finds nothing, but is not idle (guest/explore/reduce/waiting/looks.h). */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static atomic_int stop;
static int done, failed;
static void *look(void *arg)
{
    for (int found = 0; !found && !atomic_load_explicit(&stop, memory_order_acquire);)
        if (!pthread_mutex_trylock(&mutex)) {
            found = done;
            pthread_mutex_unlock(&mutex);
        }
    return arg;
}
static void *set(void *arg)
{
    failed = pthread_mutex_trylock(&mutex) != 0;
    if (!failed)
        pthread_mutex_unlock(&mutex);
    pthread_mutex_lock(&mutex);
    done = 1;
    pthread_mutex_unlock(&mutex);
    return arg;
}
int main(void)
{
    pthread_t looker, setter;
    pthread_create(&looker, 0, look, 0);
    pthread_create(&setter, 0, set, 0);
    pthread_join(looker, 0);
    pthread_join(setter, 0);
    assert(!failed);
    return 0;
}
