// expect: violated assertion
// Three threads at a barrier for two, two of them once and one twice: who meets whom is a choice.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
static pthread_barrier_t barrier;
static atomic_int second, third;
static void *twice(void *arg)
{
    pthread_barrier_wait(&barrier);
    assert(atomic_load(&second)); // the third may have come first
    pthread_barrier_wait(&barrier);
    return arg;
}
static void *once(void *arg)
{
    atomic_store((atomic_int *)arg, 1);
    pthread_barrier_wait(&barrier);
    return arg;
}
int main(void)
{
    pthread_t a, b, c;
    pthread_barrier_init(&barrier, NULL, 2);
    pthread_create(&a, NULL, twice, NULL);
    pthread_create(&b, NULL, once, &second);
    pthread_create(&c, NULL, once, &third);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    pthread_join(c, NULL);
    return 0;
}
