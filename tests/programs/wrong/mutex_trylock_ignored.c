// expect: violated race or violated misuse
// The result of trylock is ignored.
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int x;
static void *work(void *arg) { pthread_mutex_trylock(&m); x++; pthread_mutex_unlock(&m); return arg; }
int main(void)
{
    pthread_t t, u;
    pthread_create(&t, NULL, work, NULL);
    pthread_create(&u, NULL, work, NULL);
    pthread_join(t, NULL);
    pthread_join(u, NULL);
    return 0;
}
