// expect: inconclusive race
// only if: defined __x86_64__
// A spin lock in inline assembly, called through a pointer: without it the counter races. The race that
// is seen is none, so that it must not be called one.
#include <pthread.h>
static volatile int locked;
static int counter;
static int try_lock(void)
{
    int old = 1;
    __asm__ volatile("xchgl %0, %1" : "+r"(old), "+m"(locked) : : "memory");
    return !old;
}
static int (*const take)(void) = try_lock;
static void *work(void *arg)
{
    if (take()) {
        counter++;
        __asm__ volatile("movl $0, %0" : "=m"(locked) : : "memory");
    }
    return arg;
}
int main(void)
{
    pthread_t t, u;
    pthread_create(&t, NULL, work, NULL);
    pthread_create(&u, NULL, work, NULL);
    pthread_join(t, NULL);
    pthread_join(u, NULL);
    return 0;
}
