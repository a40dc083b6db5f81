// expect: holds
// A timed wait may time out although nobody is late; the program gives up then.
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <time.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int ready, seen;
static void *waiter(void *arg)
{
    struct timespec until;
    int status = 0;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec++;
    pthread_mutex_lock(&m);
    while (!ready && status == 0)
        status = pthread_cond_timedwait(&c, &m, &until);
    assert(status == 0 || status == ETIMEDOUT);
    assert(ready || status == ETIMEDOUT);
    seen = ready;
    pthread_mutex_unlock(&m);
    return arg;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, waiter, NULL);
    pthread_mutex_lock(&m);
    ready = 1;
    pthread_cond_signal(&c);
    pthread_mutex_unlock(&m);
    pthread_join(t, NULL);
    return seen > 1;
}
