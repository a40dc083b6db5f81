// expect: violated deadlock
// The flag is tested outside the mutex: the signal can come between test and wait, and is lost.
#include <pthread.h>
#include <stdatomic.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static atomic_int ready;
static void *waiter(void *arg)
{
    if (!atomic_load(&ready)) {
        pthread_mutex_lock(&m);
        pthread_cond_wait(&c, &m);
        pthread_mutex_unlock(&m);
    }
    return arg;
}
static void *setter(void *arg)
{
    atomic_store(&ready, 1);
    pthread_cond_signal(&c);
    return arg;
}
int main(void)
{
    pthread_t t, u;
    pthread_create(&t, NULL, waiter, NULL);
    pthread_create(&u, NULL, setter, NULL);
    pthread_join(t, NULL);
    pthread_join(u, NULL);
    return 0;
}
