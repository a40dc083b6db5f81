// expect: holds
// The first reading of a clock comes after two threads have slept: it shows how long.
#include <assert.h>
#include <pthread.h>
#include <time.h>
#include <unistd.h>
static time_t seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec;
}
static void *work(void *arg)
{
    sleep(3);
    time_t first = seconds();
    assert(first >= 3603);
    sleep(4);
    assert(seconds() >= first + 4);
    return arg;
}
int main(void)
{
    pthread_t t, u;
    pthread_create(&t, NULL, work, NULL);
    pthread_create(&u, NULL, work, NULL);
    pthread_join(t, NULL);
    pthread_join(u, NULL);
    return 0;
}
