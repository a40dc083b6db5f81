// expect: violated deadlock
// One path returns without unlocking.
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int done;
static void *work(void *arg)
{
    pthread_mutex_lock(&m);
    if (done)
        return NULL; /* the second thread keeps the mutex */
    done = 1;
    pthread_mutex_unlock(&m);
    return arg;
}
int main(void)
{
    pthread_t t, u;
    pthread_create(&t, NULL, work, NULL);
    pthread_create(&u, NULL, work, NULL);
    pthread_join(t, NULL);
    pthread_join(u, NULL);
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
    return 0;
}
