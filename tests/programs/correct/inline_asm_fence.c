// expect: holds
// only if: defined __x86_64__
// Fences of inline assembly mean what atomic_thread_fence(memory_order_seq_cst) does, under rc11, too.
#include <assert.h>
#include <pthread.h>
static int left, right;
static volatile int x, y;
static void *first(void *arg)
{
    x = 1;
    __asm__ volatile("mfence" : : : "memory");
    left = y;
    return arg;
}
static void *second(void *arg)
{
    y = 1;
    __asm__ volatile("lock; addl $0, -64(%%rsp)" : : : "memory", "cc");
    right = x;
    return arg;
}
int main(void)
{
    pthread_t t, u;
    pthread_create(&t, NULL, first, NULL);
    pthread_create(&u, NULL, second, NULL);
    pthread_join(t, NULL);
    pthread_join(u, NULL);
    assert(left || right);
    return 0;
}
