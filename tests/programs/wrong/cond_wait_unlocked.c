// expect: violated misuse
// Waits on a condition variable with a mutex that it does not hold.
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static void *waiter(void *arg) { pthread_cond_wait(&c, &m); return arg; }
int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, waiter, NULL);
    pthread_cond_signal(&c);
    pthread_join(t, NULL);
    return 0;
}
