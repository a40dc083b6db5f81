// expect: violated race
// The acquire of a compare-exchange counts only when it succeeds: this one fails, with a relaxed order,
// and then reads what the other thread published.
#include <pthread.h>
#include <stdatomic.h>
static int data, copy;
static atomic_int flag;
static void *writer(void *arg)
{
    data = 42;
    atomic_store_explicit(&flag, 1, memory_order_release);
    return arg;
}
static void *reader(void *arg)
{
    int expected = 0;
    if (!atomic_compare_exchange_strong_explicit(&flag, &expected, 2, memory_order_acq_rel,
                                                 memory_order_relaxed))
        copy = data;
    return arg;
}
int main(void)
{
    pthread_t t, u;
    pthread_create(&t, NULL, writer, NULL);
    pthread_create(&u, NULL, reader, NULL);
    pthread_join(t, NULL);
    pthread_join(u, NULL);
    return 0;
}
