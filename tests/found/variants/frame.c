/* GNU C: threads that share variables of a function through functions inside it, which gcc announces only where the
 * source takes an address. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
struct Pair {
    long a, b;
};
struct Big {
    long a[12];
};
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long sum(struct Big big)
{
    return big.a[0] + big.a[11];
}
static int start(int argument)
{
    int x = 0, array[4] = {0}, bound = 2;
    volatile int seen = 0;
    double real = 0;
    long double wide = 0;
    _Bool flag = 0;
    short small = 0;
    struct Pair pair = {0, 0};
    struct Big big = {{0}}, other = {{0}};
    int *pointer = &bound;
    atomic_int ready = 0;
    struct {
        unsigned low : 3, high : 5;
    } bits = {0, 0};
    void *child(void *unused)
    {
        (void)unused;
#if V == 1 /* races, with a write on one side at least */
        x = 1;
#elif V == 2
        array[2] = 1;
#elif V == 3
        real += 1;
#elif V == 4
        wide = 3;
#elif V == 5
        flag = 1;
#elif V == 6
        small++;
#elif V == 7
        pair = (struct Pair){1, 2};
#elif V == 8
        big = other;
#elif V == 9
        pointer = 0;
#elif V == 10
        argument++;
#elif V == 11
        void inner(void)
        {
            void innermost(void)
            {
                x = 1;
            }
            innermost();
        }
        inner();
#elif V == 12
        bits.high = 1;
#elif V == 13
        big.a[3] = 1;
#elif V == 14
        if (x)
            return &x;
#elif V == 15 /* right: locked, joined, atomic, read only */
        pthread_mutex_lock(&lock);
        x++;
        pthread_mutex_unlock(&lock);
#elif V == 16
        x = 5;
        pair.a = 6;
        real = 7;
#elif V == 17
        x = 4;
        atomic_store_explicit(&ready, 1, memory_order_release);
#elif V == 18
        assert(x == 0 && !flag && real == 0 && big.a[11] == 0);
#elif V == 19 /* wrong under every model: an update is lost, a store is not seen */
        x = x + 1;
#elif V == 20
        seen = seen + 1;
#endif
        return 0;
    }
    pthread_t thread;
    pthread_create(&thread, 0, child, 0);
#if V == 1 || V == 11
    x = 2;
#elif V == 2
    array[2] = 2;
#elif V == 3
    real = 2;
#elif V == 4
    x = wide > 2;
#elif V == 5
    x = flag;
#elif V == 6
    small = 3;
#elif V == 7
    struct Pair copy = pair;
    x = copy.a > 9;
#elif V == 8
    x = sum(big) > 9;
#elif V == 9
    x = pointer == &bound;
#elif V == 10
    argument = 5;
#elif V == 12
    bits.low = 1;
#elif V == 13
    struct Big copy = big;
    x = copy.a[3] > 9;
#elif V == 14
    x = 1;
#elif V == 15
    pthread_mutex_lock(&lock);
    x++;
    pthread_mutex_unlock(&lock);
#elif V == 17
    if (atomic_load_explicit(&ready, memory_order_acquire))
        assert(x == 4);
#elif V == 18
    bound = x;
#elif V == 19
    x = x + 1;
#elif V == 20
    seen = seen + 1;
#endif
    pthread_join(thread, 0);
#if V == 15 || V == 19
    assert(x == 2);
#elif V == 16
    assert(x == 5 && pair.a == 6 && real == 7);
#elif V == 20
    assert(seen == 2);
#endif
    return x + array[2] + bound + (int)seen + (int)real + (int)wide + flag + small + (int)pair.a + (int)big.a[3] +
           (int)bits.low + (pointer == &bound) + argument + ready;
}
int main(void)
{
    return start(1) > 10000;
}
