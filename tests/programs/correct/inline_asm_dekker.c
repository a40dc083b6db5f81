// expect: holds
// args: --model=tso
// only if: defined __x86_64__
// Store buffering with locked instructions of inline assembly in between: each is a full fence on x86, even a
// compare-exchange that fails, so that not both threads can miss the other's store.
#include <assert.h>
#include <pthread.h>
static int x, y, dummy, left, right;
static void store(int *p, int value)
{
    __asm__ volatile("movl %1, %0" : "=m"(*p) : "r"(value) : "memory");
}
static int load(int *p)
{
    int value;
    __asm__ volatile("movl %1, %0" : "=r"(value) : "m"(*p) : "memory");
    return value;
}
static void *first(void *arg)
{
    int expected = 7; /* it is never 7 */
    store(&x, 1);
    __asm__ volatile("lock; cmpxchgl %2, %0" : "+m"(dummy), "+a"(expected) : "r"(8) : "memory", "cc");
    left = load(&y);
    return arg;
}
static void *second(void *arg)
{
    store(&y, 1);
    __asm__ volatile("lock; addl $0, -64(%%rsp)" : : : "memory", "cc");
    right = load(&x);
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
