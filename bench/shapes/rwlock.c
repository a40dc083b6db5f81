/* Linux' reader-writer lock: a reader takes one from the bias, a writer all; who fails puts it back
 * and waits. */
#include <pthread.h>
#include <stdatomic.h>
#include <assert.h>
#ifndef W
#define W 1
#endif
#ifndef R
#define R 2
#endif
#define BIAS 0x100000
static atomic_int lock = BIAS;
static int x;
static void *reader(void *arg)
{
    while (atomic_fetch_sub_explicit(&lock, 1, memory_order_acquire) <= 0) {
        atomic_fetch_add_explicit(&lock, 1, memory_order_relaxed);
        while (atomic_load_explicit(&lock, memory_order_relaxed) <= 0)
            ;
    }
    (void)*(volatile int *)&x;
    atomic_fetch_add_explicit(&lock, 1, memory_order_release);
    return arg;
}
static void *writer(void *arg)
{
    while (atomic_fetch_sub_explicit(&lock, BIAS, memory_order_acquire) != BIAS) {
        atomic_fetch_add_explicit(&lock, BIAS, memory_order_relaxed);
        while (atomic_load_explicit(&lock, memory_order_relaxed) != BIAS)
            ;
    }
    x++;
    atomic_fetch_add_explicit(&lock, BIAS, memory_order_release);
    return arg;
}
int main(void)
{
    pthread_t t[W + R];
    for (int i = 0; i < W + R; i++)
        pthread_create(&t[i], NULL, i < W ? writer : reader, NULL);
    for (int i = 0; i < W + R; i++)
        pthread_join(t[i], NULL);
    assert(x == W);
}
