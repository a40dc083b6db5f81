// expect: violated assertion
// Store buffering with release and acquire: both threads can miss the other's store.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
static atomic_int x, y;
static int a, b;
static void *left(void *arg)
{
    atomic_store_explicit(&x, 1, memory_order_release);
    a = atomic_load_explicit(&y, memory_order_acquire);
    return arg;
}
static void *right(void *arg)
{
    atomic_store_explicit(&y, 1, memory_order_release);
    b = atomic_load_explicit(&x, memory_order_acquire);
    return arg;
}
int main(void)
{
    pthread_t t, u;
    pthread_create(&t, NULL, left, NULL);
    pthread_create(&u, NULL, right, NULL);
    pthread_join(t, NULL);
    pthread_join(u, NULL);
    assert(a || b);
    return 0;
}
