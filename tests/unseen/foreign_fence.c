/* A compare-exchange of an object that heddle did not compile: it fails, but the instruction is a fence all the same, so
 * that one of the threads finds what the other has stored (store buffering). INLINE: the same as inline assembly. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#ifdef INLINE
static int exchange_if(atomic_int *at, int expected)
{
    __asm__ volatile("lock cmpxchgl %2, %1" : "+a"(expected), "+m"(*at) : "r"(6) : "memory", "cc");
    return expected;
}
#else
int foreign_exchange_if(atomic_int *at, int expected);
#define exchange_if foreign_exchange_if
#endif
static atomic_int x, y;
static int first, second;
static void *one(void *unused)
{
    atomic_store_explicit(&x, 1, memory_order_relaxed);
    first = exchange_if(&y, 5);
    return unused;
}
static void *other(void *unused)
{
    atomic_store_explicit(&y, 1, memory_order_relaxed);
    second = exchange_if(&x, 5);
    return unused;
}
int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, one, NULL);
    pthread_create(&threads[1], NULL, other, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    assert(first || second);
    return 0;
}
