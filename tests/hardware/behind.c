/* behind.c: load buffering by way of an iteration that is left out, in a thread without a store of its own: it is joined
 * (-DJOINS) or creates another thread (-DCREATES), and what comes behind stores what the first thread loads. Under IMM
 * that load may see 1 though the loop has seen 1 in z: nothing orders the store to z behind the load. */
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x, y, z;
#define R(at) atomic_load_explicit(&(at), memory_order_relaxed)
#define W(at, v) atomic_store_explicit(&(at), v, memory_order_relaxed)

static void *first(void *a)
{
    int seen = R(x);
    W(z, 1);
    return (void *)(long)seen;
}

static void *frees(void *a)
{
    W(y, 1);
    return a;
}

static void *stores(void *a)
{
    W(x, 1);
    return a;
}

static void *looks(void *a)
{
    while (!R(y))
        (void)R(z);
#ifdef CREATES
    pthread_t other;
    pthread_create(&other, 0, stores, 0);
    pthread_join(other, 0);
#endif
    return a;
}

int main(void)
{
    pthread_t t[3];
    pthread_create(&t[0], 0, first, 0);
    pthread_create(&t[1], 0, looks, 0);
    pthread_create(&t[2], 0, frees, 0);
    pthread_join(t[1], 0);
#ifdef JOINS
    stores(0);
#endif
    pthread_join(t[0], 0);
    pthread_join(t[2], 0);
    return 0;
}
