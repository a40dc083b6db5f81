// expect: violated deadlock
// The first thread may leave without having arrived, though in other executions it does: the others then wait for ever.
#include <pthread.h>
#include <stdatomic.h>
static pthread_barrier_t barrier;
static atomic_int leave;
static void *work(void *arg)
{
    if (!arg && atomic_load(&leave))
        return arg;
    pthread_barrier_wait(&barrier);
    return arg;
}
static void *tell(void *arg)
{
    atomic_store(&leave, 1);
    return arg;
}
int main(void)
{
    pthread_t threads[4];
    pthread_barrier_init(&barrier, NULL, 3);
    for (long i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, work, (void *)i);
    pthread_create(&threads[3], NULL, tell, NULL);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
