// expect: violated assertion
// Two consumers, one item, a broadcast, and `if` where `while` is needed.
#include <assert.h>
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int items, closed;
static void *consumer(void *arg)
{
    pthread_mutex_lock(&m);
    if (!items && !closed)
        pthread_cond_wait(&c, &m);
    if (!closed) {
        assert(items > 0);
        items--;
    }
    pthread_mutex_unlock(&m);
    return arg;
}
int main(void)
{
    pthread_t t, u;
    pthread_create(&t, NULL, consumer, NULL);
    pthread_create(&u, NULL, consumer, NULL);
    pthread_mutex_lock(&m);
    items = 1;
    pthread_cond_broadcast(&c);
    pthread_mutex_unlock(&m);
    pthread_mutex_lock(&m);
    closed = 1;
    pthread_cond_broadcast(&c);
    pthread_mutex_unlock(&m);
    pthread_join(t, NULL);
    pthread_join(u, NULL);
    return 0;
}
