/* An access that gcc does not announce, moved before the one that the last hook has announced: the value of x takes long
 * to compute. SHARED: the other thread looks at y, too. LOAD: x is loaded, perhaps after the other thread has stored 1, so
 * that the assertion fails. VOLATILE: x is volatile. EARLY: the other thread may find x as it was at first, so that the
 * assertion fails. */
#include <assert.h>
#include <pthread.h>
#include <xmmintrin.h>
#ifdef VOLATILE
#define KIND volatile
#else
#define KIND
#endif
static KIND int x;
static float y[2] __attribute__((aligned(8)));
static unsigned given = 17;
#ifdef LOAD
static float z[2] __attribute__((aligned(8)));
__attribute__((noinline)) static void take(void)
{
    int k = x;
    __m128 v = _mm_loadl_pi((__m128){0}, (const __m64 *)y);
    v = v / (__m128){2, 2, 2, 2} * v / (__m128){2, 2, 2, 2};
    _mm_storel_pi((__m64 *)z, v + (__m128){(float)k, (float)k, (float)k, (float)k});
}
static void *first(void *arg)
{
    y[0] = 2;
    y[1] = 4;
    take();
    float got = z[0] + z[1];
    assert(got == 5);
    return arg;
}
static void *second(void *arg)
{
    x = 1;
    return arg;
}
#else
__attribute__((noinline)) static void put(unsigned a, __m128 v)
{
    x = (int)(a / 7 * 3);
    _mm_storel_pi((__m64 *)y, v);
}
static void *first(void *arg)
{
    put(given, (__m128){1, 2, 3, 4});
    return arg;
}
static void *second(void *arg)
{
    int k = x;
#ifdef EARLY
    assert(k == 6);
#else
    assert(k == 0 || k == 6);
#endif
#ifdef SHARED
    float f = y[0];
    assert(f == 0 || f == 1);
#endif
    return arg;
}
#endif
int main(void)
{
    pthread_t t, u;
    pthread_create(&t, NULL, first, NULL);
    pthread_create(&u, NULL, second, NULL);
    pthread_join(t, NULL);
    pthread_join(u, NULL);
#ifdef LOAD
    assert(x == 1);
#else
    assert(x == 6 && y[0] == 1 && y[1] == 2);
#endif
    return 0;
}
