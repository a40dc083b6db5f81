// expect: holds
// executions: 1
// args: -O2
// Frames return: where an atomic local was, the next one has an object whose initialisation compilers do not announce,
// while its reads in a function that gets its address are announced. Each starts with its own value.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
__attribute__((noinline)) static int look(const int *p)
{
    return *p + 1;
}
__attribute__((noinline)) static int look_volatile(const volatile int *p)
{
    return *p + 1;
}
__attribute__((noinline)) static int atomic_local(int n)
{
    atomic_int a;
    atomic_init(&a, n);
    atomic_fetch_add(&a, 1);
    return atomic_load(&a);
}
__attribute__((noinline)) static int plain_local(int n)
{
    int a = n;
    int r = look(&a);
    return r + a - n;
}
__attribute__((noinline)) static int volatile_look(int n)
{
    int a = n;
    int r = look_volatile(&a);
    return r + a - n;
}
static void *thread(void *p)
{
    for (int i = 0; i < 2; i++) {
        int x = atomic_local(0), y = plain_local(0), z = atomic_local(5), w = volatile_look(0);
        assert(x == 1 && y == 1 && z == 6 && w == 1 && atomic_local(0) == 1);
    }
    return p;
}
int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, thread, 0);
    pthread_create(&b, 0, thread, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
}
