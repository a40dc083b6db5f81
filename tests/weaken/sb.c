/* Store buffering. Both loads may see 0 unless all four accesses are seq_cst (first pair), or a seq_cst fence stands in
 * each thread (second pair): RC11's psc orders seq_cst events only, and fences with what happens before and after. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
static atomic_int x, v, w;
static int y; /* only atomic built-ins touch it */
static int r[2], s[2];
#define FULL memory_order_seq_cst
static void *left(void *argument)
{
    atomic_store(&x, 1); // weaken: needed store seq_cst
    r[0] = __atomic_load_n(&y, FULL); // weaken: needed load seq_cst
    return argument;
}
static void *right(void *argument)
{
    __atomic_store_n(&y, 1, __ATOMIC_SEQ_CST); // weaken: needed store seq_cst
    r[1] = x; // weaken: needed load seq_cst
    return argument;
}
static void *left_fence(void *argument)
{
    atomic_store_explicit(&v, 1, memory_order_relaxed);
    atomic_thread_fence(FULL); // weaken: needed fence seq_cst
    s[0] = atomic_load_explicit(&w, memory_order_relaxed);
    return argument;
}
static void *right_fence(void *argument)
{
    atomic_store_explicit(&w, 1, memory_order_relaxed);
    __sync_synchronize(); // weaken: needed fence seq_cst
    s[1] = atomic_load_explicit(&v, memory_order_relaxed);
    return argument;
}
static void both(void *(*a)(void *), void *(*b)(void *))
{
    pthread_t t, u;
    pthread_create(&t, NULL, a, NULL);
    pthread_create(&u, NULL, b, NULL);
    pthread_join(t, NULL);
    pthread_join(u, NULL);
}
int main(void)
{
    both(left, right);
    assert(r[0] || r[1]);
    both(left_fence, right_fence);
    assert(s[0] || s[1]);
}
