// expect: violated assertion
// args: --model=tso
// only if: defined __x86_64__
// Store buffering with the moves of inline assembly: on x86 both threads can miss the other's store.
#include <assert.h>
#include <pthread.h>
static int x, y, left, right;
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
    store(&x, 1);
    left = load(&y);
    return arg;
}
static void *second(void *arg)
{
    store(&y, 1);
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
