/* Programs that report failure by their exit status, and some that do not. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <threads.h>
#include <unistd.h>
static atomic_int x;
static void *a(void *p)
{
    int v = x;
    x = v + 1;
#if V == 4
    if (x != 1 && x != 2)
        exit(1);
    if (v == 1)
        exit(3);
#elif V == 5
    if (v == 0 && x == 2)
        _exit(2);
#endif
    return p;
}
static void at_end(void)
{
    if (x != 2)
        _Exit(9);
}
int main(void)
{
    pthread_t s, t;
#if V == 6
    atexit(at_end);
#endif
    (void)at_end;
    pthread_create(&s, 0, a, 0);
    pthread_create(&t, 0, a, 0);
    pthread_join(s, 0);
    pthread_join(t, 0);
#if V == 1
    return x != 2;
#elif V == 2
    if (x != 2)
        exit(EXIT_FAILURE);
#elif V == 3
    if (x != 2)
        quick_exit(1);
#elif V == 7
    return x == 2 ? 0 : -1;
#elif V == 8
    exit(x == 7);
#elif V == 9
    return x < 0;
#elif V == 10
    return (x != 2) * 256;
#endif
    return 0;
}
