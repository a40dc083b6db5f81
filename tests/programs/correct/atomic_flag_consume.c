// expect: holds
// atomic_flag as a lock, and a pointer published with release and read with consume.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
static atomic_flag flag = ATOMIC_FLAG_INIT;
static int x, data;
static _Atomic(int *) published;
static void lock(void) { while (atomic_flag_test_and_set_explicit(&flag, memory_order_acquire)) ; }
static void unlock(void) { atomic_flag_clear_explicit(&flag, memory_order_release); }
static void *writer(void *arg)
{
    data = 4;
    atomic_store_explicit(&published, &data, memory_order_release);
    lock();
    x++;
    unlock();
    return arg;
}
static void *reader(void *arg)
{
    int *p = atomic_load_explicit(&published, memory_order_consume);
    if (p)
        assert(*p == 4);
    lock();
    x++;
    unlock();
    return arg;
}
int main(void)
{
    pthread_t t, u;
    pthread_create(&t, NULL, writer, NULL);
    pthread_create(&u, NULL, reader, NULL);
    pthread_join(t, NULL);
    pthread_join(u, NULL);
    assert(x == 2);
    return 0;
}
