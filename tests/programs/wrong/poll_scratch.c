// expect: violated assertion
// args: --event-bound=60
// A round that finds nothing shows all the same: between its two sections another thread can see `scratch` set.
#include <assert.h>
#include <pthread.h>
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int done, scratch, seen_both;
static int read_scratch(void)
{
    pthread_mutex_lock(&mutex);
    int found = scratch;
    pthread_mutex_unlock(&mutex);
    return found;
}
static void *work(void *arg)
{
    int first = read_scratch(), second = read_scratch();
    pthread_mutex_lock(&mutex);
    seen_both = first && !second;
    done = 1;
    pthread_mutex_unlock(&mutex);
    return arg;
}
static void *wait_for_it(void *arg)
{
    for (int found = 0; !found;) {
        pthread_mutex_lock(&mutex);
        scratch = 1;
        pthread_mutex_unlock(&mutex);
        pthread_mutex_lock(&mutex);
        found = done;
        scratch = 0;
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
    assert(!seen_both);
    return 0;
}
