// A thread looks at var before a compare-exchange that fails for good (guest/explore/reduce/confirm/doomed.h), goes round, leaves
// and says so by a relaxed store; who has seen that writes var. Nothing orders the two. Two more threads wait, so that a
// graph is blocked before the race is met. ORDER 1 creates them in another order.
#include <pthread.h>
#include <stdatomic.h>
#define LOAD(x) atomic_load_explicit(&(x), memory_order_acquire)
#define STORE(x, v) atomic_store_explicit(&(x), v, memory_order_release)
static atomic_int tail, next, stop, word, go;
static int var;
static void *look(void *a)
{
    int s = 0;
    STORE(tail, 1);
    while (!LOAD(next)) {
        s = var;
        int expected = 1;
        if (atomic_compare_exchange_strong(&tail, &expected, 0))
            return a;
        if (LOAD(stop))
            return a;
    }
    atomic_store_explicit(&word, 1, memory_order_relaxed);
    return s ? a : NULL;
}
static void *use(void *a)
{
    if (atomic_load_explicit(&word, memory_order_relaxed))
        var = 1;
    return a;
}
static void *follow(void *a)
{
    if (atomic_exchange(&tail, 2) == 1)
        STORE(next, 1);
    return a;
}
static void *wait_to_go(void *a)
{
    while (!LOAD(go))
        ;
    return a;
}
static void *make_go(void *a)
{
    STORE(go, 1);
    return a;
}
int main(void)
{
    void *(*functions[])(void *) = {look, follow, use, ORDER ? make_go : wait_to_go, ORDER ? wait_to_go : make_go};
    pthread_t t[5];
    for (int i = 0; i < 5; i++)
        pthread_create(&t[i], NULL, functions[i], NULL);
    for (int i = 0; i < 5; i++)
        pthread_join(t[i], NULL);
    return 0;
}
