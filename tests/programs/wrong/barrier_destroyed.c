// expect: violated misuse
// A barrier is destroyed though a thread may wait at it, for its turn or for the others.
#include <pthread.h>
static pthread_barrier_t barrier;
static void *work(void *arg) { pthread_barrier_wait(&barrier); return arg; }
static void *end(void *arg) { pthread_barrier_destroy(&barrier); return arg; }
int main(void)
{
    pthread_t t, u, v;
    pthread_barrier_init(&barrier, NULL, 2);
    pthread_create(&t, NULL, end, NULL);
    pthread_create(&u, NULL, work, NULL);
    pthread_create(&v, NULL, work, NULL);
    pthread_join(t, NULL);
    pthread_join(u, NULL);
    pthread_join(v, NULL);
    return 0;
}
