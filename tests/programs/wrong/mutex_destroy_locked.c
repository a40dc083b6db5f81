// expect: violated misuse
// Destroys a mutex while a thread may hold it.
#include <pthread.h>
#include <stdatomic.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *work(void *arg) { pthread_mutex_lock(&m); pthread_mutex_unlock(&m); return arg; }
int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, work, NULL);
    pthread_mutex_destroy(&m);
    pthread_join(t, NULL);
    return 0;
}
