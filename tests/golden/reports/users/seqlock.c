/* A pair that readers copy without a lock, and look at the sequence number again. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifdef FIXED
#define DATA memory_order_release
#else
#define DATA memory_order_relaxed
#endif

static atomic_uint sequence;
static atomic_int left, right;

static void *writer(void *unused)
{
    unsigned s = atomic_load_explicit(&sequence, memory_order_relaxed);
    atomic_store_explicit(&sequence, s + 1, memory_order_relaxed);
    atomic_store_explicit(&left, 1, DATA);
    atomic_store_explicit(&right, 1, DATA);
    atomic_store_explicit(&sequence, s + 2, memory_order_release);
    return unused;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, writer, 0);
    unsigned before = atomic_load_explicit(&sequence, memory_order_acquire);
    int a = atomic_load_explicit(&left, memory_order_acquire);
    int b = atomic_load_explicit(&right, memory_order_acquire);
    unsigned after = atomic_load_explicit(&sequence, memory_order_relaxed);
    if (before == after && before % 2 == 0)
        assert(a == b);
    pthread_join(t, 0);
    return 0;
}
