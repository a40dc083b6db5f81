// expect: violated race
// The result of trylock is ignored, but for the unlock.
// Where T2 fails, it has read the word that T1 wrote when it took the lock, before its x++, and T1 took it before T2
// did anything: neither increment happens before the other. (mutex_trylock_unlock.c is the other half of the mistake.)
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int x;
static void *work(void *arg)
{
    int failed = pthread_mutex_trylock(&m);
    x++;
    if (!failed)
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
    return 0;
}
