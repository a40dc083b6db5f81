// expect: holds
// args: -DTHREADS=3
// A reader counts itself in, finds a writer and counts itself out, without waiting by loads in between. A writer that has
// seen it inside is not stuck when it is out again (src/guest/explore/reduce/waiting/counters.h).
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
static atomic_int writer, readers, started;
static int a, b;
static void *write_both(void *arg)
{
    while (atomic_exchange(&writer, 1)) {}
    while (atomic_load(&readers)) {}
    a++;
    b++;
    atomic_store(&writer, 0);
    return arg;
}
static void *read_both(void *arg)
{
    atomic_fetch_add_explicit(&started, 1, memory_order_relaxed);
    for (;;) {
        atomic_fetch_add(&readers, 1);
        if (!atomic_load(&writer))
            break;
        atomic_fetch_sub(&readers, 1);
    }
    assert(a == b);
    atomic_fetch_sub(&readers, 1);
    return arg;
}
int main(void)
{
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], 0, i % 2 ? read_both : write_both, 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], 0);
    return 0;
}
