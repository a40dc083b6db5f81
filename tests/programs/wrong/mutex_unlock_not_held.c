// expect: violated misuse
// Unlocks a mutex that another thread may hold, or nobody.
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *locks(void *arg) { pthread_mutex_lock(&m); pthread_mutex_unlock(&m); return arg; }
static void *unlocks(void *arg) { pthread_mutex_unlock(&m); return arg; }
int main(void)
{
    pthread_t t, u;
    pthread_create(&t, NULL, locks, NULL);
    pthread_create(&u, NULL, unlocks, NULL);
    pthread_join(t, NULL);
    pthread_join(u, NULL);
    return 0;
}
