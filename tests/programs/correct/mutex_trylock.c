// expect: holds
// trylock may fail; whoever has the mutex is alone.
#include <assert.h>
#include <errno.h>
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int x, failures[2];
static void *work(void *arg)
{
    int status = pthread_mutex_trylock(&m);
    if (status == 0) {
        x++;
        pthread_mutex_unlock(&m);
    } else {
        assert(status == EBUSY);
        failures[(long)arg] = 1;
    }
    return NULL;
}
int main(void)
{
    pthread_t t, u;
    pthread_create(&t, NULL, work, (void *)0);
    pthread_create(&u, NULL, work, (void *)1);
    pthread_join(t, NULL);
    pthread_join(u, NULL);
    assert(x + failures[0] + failures[1] == 2 && x >= 1);
    return 0;
}
