/* Loops that end by themselves, that others end, and that nothing ends. */
#include <assert.h>
#include <heddle.h>
#include <pthread.h>
#include <stdatomic.h>
static atomic_int x, y;
static int flag, n;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *t(void *a)
{
#if V == 6 || V == 7 || V == 8
    flag = 1;
#else
    atomic_store(&x, 1);
#endif
    return a;
}
int main(void)
{
    pthread_t a;
    int sum = 0;
    (void)sum, (void)m;
    pthread_create(&a, 0, t, 0);
#if V == 1
    for (int i = 0; i < 33; i++)
        sum += atomic_load(&x);
#elif V == 2
    for (int i = 0; i < 200; i++)
        if (atomic_load_explicit(&x, memory_order_relaxed))
            break;
#elif V == 3
    for (long i = 0; i < 100000; i++)
        sum += (int)i;
#elif V == 4
    for (int i = 0; i < 50; i++)
        sum += atomic_load(&y) + atomic_load(&y);
#elif V == 5
    for (int tries = 0; tries < 60 && !atomic_load(&x); tries++)
        ;
    assert(atomic_load(&x) || sum == 0);
#elif V == 6
    while (!flag)
        n++;
#elif V == 7
    while (!flag)
        n += 2, n -= 1;
#elif V == 8
    for (unsigned i = 0; !flag; i++)
        n ^= (int)i;
#elif V == 9
    while (heddle_choose(2) == 0)
        ;
    assert(0);
#elif V == 10
    for (;;) {
        unsigned c = heddle_choose(3);
        if (c == 1)
            break;
        if (c == 2)
            assert(!atomic_load(&x));
    }
#elif V == 11
    long rounds = 0;
    while (!atomic_load(&y))
        rounds++;
#elif V == 12
    for (int i = 0; i < 1000; i++)
        atomic_store(&y, atomic_load(&y) + 1);
    assert(y == 1000);
#elif V == 13
    for (int i = 0; i < 1000; i++) {
        pthread_mutex_lock(&m);
        n++;
        pthread_mutex_unlock(&m);
    }
    assert(n == 1000);
#elif V == 14
    for (int i = 0; i < 1000; i++)
        sum += (int)heddle_choose(i == 500 ? 2 : 1);
    assert(sum < 2);
#elif V == 15
    for (int i = 0; i < 100000; i++)
        n += i % 3;
    assert(n == 99999);
#elif V == 16
    for (int i = 0; i < 7000; i++)
        atomic_store(&y, i);
    assert(y == 6999);
#elif V == 17
    for (int i = 0; i < 100000; i++)
        sum += (int)heddle_choose(1);
    assert(!sum);
#elif V == 18
    for (int i = 0; i < 100000; i++)
        atomic_store(&y, i);
#elif V == 19
    for (int i = 0; i < 100000; i++)
        atomic_fetch_add(&y, 1);
    assert(y == 100000);
#elif V == 20
    for (int i = 0; i < 100000; i++) {
        int now = i;
        atomic_compare_exchange_strong(&y, &now, i + 1);
    }
    assert(y == 100000);
#elif V == 21
    for (int i = 0; i < 100000; i++) {
        pthread_mutex_lock(&m);
        n++;
        pthread_mutex_unlock(&m);
    }
    assert(n == 100000);
#elif V == 22
    for (int i = 0; i < 100000; i++)
        atomic_store(&y, atomic_load(&y) + 1);
    assert(y == 100000);
#elif V == 23
    volatile int *at = (volatile int *)&n;
    for (int i = 0; i < 100000; i++)
        *at = *at + 1;
    assert(n == 100000);
#elif V == 24
    for (int i = 0; i < 100000; i++)
        sum += atomic_load(&y);
    assert(!sum);
#elif V == 25
    for (int i = 0; i < 100000; i++) {
        atomic_thread_fence(memory_order_seq_cst);
        atomic_fetch_or(&y, i);
    }
    assert(y == 131071);
#elif V == 26
    for (int i = 0; i < 100000; i++) {
        n++;
        atomic_store_explicit(&y, n, memory_order_release);
    }
    assert(y == 100000);
#elif V == 27
    for (int i = 0; i < 100000; i++)
        atomic_exchange_explicit(&y, i, memory_order_relaxed);
    assert(y == 99999);
#elif V == 28
    for (int i = 0; i < 100000; i++)
        atomic_fetch_sub(&y, 1);
    assert(y != -100000);
#elif V == 29
    for (;;)
        atomic_fetch_add(&y, 1);
#endif
    pthread_join(a, 0);
    return 0;
}
