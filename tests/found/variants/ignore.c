/* Ignored races are explored as relaxed accesses. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
static int x, y, d, n[2];
static struct {
    int lo, hi;
} pair;
static volatile int vol;
static void *a(void *p)
{
#if V == 1 || V == 6
    x = 1;
    y = 1;
#elif V == 2 || V == 7
    d = 1;
    atomic_thread_fence(memory_order_release);
    y = 1;
#elif V == 3
    int v = x;
    x = v + 1;
#elif V == 4
    n[0] = 1;
    n[1] = 1;
#elif V == 5
    pair.lo = 1;
    pair.hi = 1;
#elif V == 8
    x = 1;
    d = y;
#elif V == 9
    x = 1;
    x = 2;
#elif V == 10
    x = 1;
    vol = 1;
#endif
    return p;
}
static void *b(void *p)
{
#if V == 1 || V == 6
    if (y == 1)
        assert(x == 1);
#elif V == 2 || V == 7
    if (y == 1) {
#if V == 2
        atomic_thread_fence(memory_order_acquire);
#endif
        assert(d == 1);
    }
#elif V == 3
    int v = x;
    x = v + 1;
#elif V == 4
    if (n[1])
        assert(n[0]);
#elif V == 5
    int hi = pair.hi, lo = pair.lo;
    assert(!hi || lo);
#elif V == 8
    y = 1;
    n[0] = x;
#elif V == 9
    int first = x, second = x;
    assert(first <= second);
#elif V == 10
    if (vol)
        assert(x);
#endif
    return p;
}
int main(void)
{
    pthread_t s, t;
    pthread_create(&s, 0, a, 0);
    pthread_create(&t, 0, b, 0);
    pthread_join(s, 0);
    pthread_join(t, 0);
#if V == 3
    assert(x == 2);
#elif V == 8
    assert(d || n[0]);
#endif
    return 0;
}
