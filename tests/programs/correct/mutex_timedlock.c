// expect: holds
// A timed lock either gets the mutex or times out, and both are handled.
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <time.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int x;
static void *patient(void *arg) { pthread_mutex_lock(&m); x++; pthread_mutex_unlock(&m); return arg; }
static void *hurried(void *arg)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += until.tv_nsec < 900000000 ? 1000000 : 0;
    int status = pthread_mutex_timedlock(&m, &until);
    assert(status == 0 || status == ETIMEDOUT);
    if (status == 0) {
        x++;
        pthread_mutex_unlock(&m);
    }
    return arg;
}
int main(void)
{
    pthread_t t, u;
    pthread_create(&t, NULL, patient, NULL);
    pthread_create(&u, NULL, hurried, NULL);
    pthread_join(t, NULL);
    pthread_join(u, NULL);
    assert(x == 1 || x == 2);
    return 0;
}
