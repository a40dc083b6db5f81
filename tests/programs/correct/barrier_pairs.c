// expect: holds
// Four threads meet in pairs at a barrier for two. The second pair may be complete before the last of the first one has
// opened its round: nobody waits for ever.
#include <pthread.h>
static pthread_barrier_t barrier;
static void *work(void *arg)
{
    pthread_barrier_wait(&barrier);
    return arg;
}
int main(void)
{
    pthread_t t[3];
    pthread_barrier_init(&barrier, NULL, 2);
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, work, NULL);
    pthread_barrier_wait(&barrier);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    return 0;
}
