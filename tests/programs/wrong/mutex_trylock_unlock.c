// expect: violated misuse
// The result of trylock is ignored: the thread that did not get the mutex unlocks it all the same.
// There is no other shared memory, so nothing else can be wrong.
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *work(void *arg)
{
    pthread_mutex_trylock(&m);
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
