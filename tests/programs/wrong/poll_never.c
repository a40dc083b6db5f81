// expect: violated livelock
// A flag is looked at under a mutex for ever; nobody sets it.
#include <pthread.h>
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int done, other;
static void *work(void *arg)
{
    pthread_mutex_lock(&mutex);
    other = 1;
    pthread_mutex_unlock(&mutex);
    return arg;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, work, NULL);
    for (int found = 0; !found;) {
        pthread_mutex_lock(&mutex);
        found = done;
        pthread_mutex_unlock(&mutex);
    }
    pthread_join(t, NULL);
    return 0;
}
