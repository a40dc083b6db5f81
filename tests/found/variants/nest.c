/* GNU C: functions inside functions, whose addresses need an executable stack. All of this is right but V 9 and 10. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
static atomic_int x;
static int plain;
static int apply(int (*f)(int), int v)
{
    return f(v);
}
static void *call(void *f)
{
    int (*g)(int) = (int (*)(int))f;
    g(1);
    return 0;
}
static int twice(int (*f)(int), int v)
{
    int again(int w)
    {
        return f(f(w));
    }
    return apply(again, v);
}
static int down(int depth, int (*f)(int))
{
    int here(int v)
    {
        return f ? f(v) + depth : depth;
    }
    return depth ? down(depth - 1, here) : here(0);
}
int main(void)
{
    pthread_t a, b;
    volatile int k = 3;
    int add(int v)
    {
        return v + k;
    }
    int look(int v)
    {
        return v + plain;
    }
    int count(int v)
    {
        return atomic_fetch_add(&x, v + k - 3);
    }
    int lose(int v)
    {
        int now = x;
        x = now + v;
        return k;
    }
    int order(const void *l, const void *r)
    {
        return (*(const int *)l - *(const int *)r) * (k - 2);
    }
    (void)a, (void)b;
#if V == 1
    assert(apply(add, 4) == 7);
#elif V == 2
    assert(twice(add, 4) == 10);
#elif V == 3
    assert(down(3, 0) == 6);
#elif V == 4
    pthread_create(&a, 0, call, (void *)count);
    pthread_join(a, 0);
    assert(x == 1);
#elif V == 5
    pthread_create(&a, 0, call, (void *)count);
    pthread_create(&b, 0, call, (void *)count);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(x == 2);
#elif V == 6
    pthread_create(&a, 0, call, (void *)count);
    apply(count, 1);
    pthread_join(a, 0);
    assert(x == 2);
#elif V == 7
    int list[3] = {3, 1, 2};
    qsort(list, 3, sizeof list[0], order);
    assert(list[0] == 1 && list[2] == 3);
#elif V == 8
    pthread_create(&a, 0, call, (void *)look);
    plain = 4;
    pthread_join(a, 0);
#elif V == 9
    pthread_create(&a, 0, call, (void *)lose);
    pthread_create(&b, 0, call, (void *)lose);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(x == 2);
#elif V == 10
    pthread_create(&a, 0, call, (void *)lose);
    apply(lose, 1);
    pthread_join(a, 0);
    assert(x == 2);
#endif
    (void)look, (void)count, (void)lose, (void)order, (void)add;
    return 0;
}
