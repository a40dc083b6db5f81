// expect: violated assertion
// Assumes that a timed lock never times out; but the holder may take as long as it likes.
#include <assert.h>
#include <pthread.h>
#include <time.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int x;
static void *patient(void *arg) { pthread_mutex_lock(&m); x++; pthread_mutex_unlock(&m); return arg; }
static void *hurried(void *arg)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += 1;
    assert(pthread_mutex_timedlock(&m, &until) == 0);
    x++;
    pthread_mutex_unlock(&m);
    return arg;
}
int main(void)
{
    pthread_t t, u;
    pthread_create(&t, NULL, patient, NULL);
    pthread_create(&u, NULL, hurried, NULL);
    pthread_join(t, NULL);
    pthread_join(u, NULL);
    return 0;
}
