/* Clocks whose readings come in any order (--clock=choose). A reading is one step on one clock and equals the last one or
 * is later: for threads that make n1, n2, ... readings there are (n1 + n2 + ...)! / (n1! n2! ...) orders, each with 2 ways
 * a reading. The counts in the suite are these. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>
static long a, b;
static atomic_int flag;

static long now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000000000 + time.tv_nsec;
}

#if CASE <= 4 /* one reading each, in every relation: 4 has no claim */
static void *first(void *unused)
{
    a = now();
    return unused;
}
static void *second(void *unused)
{
    b = now();
    return unused;
}
#if CASE == 1
#define CLAIM (a <= b)
#elif CASE == 2
#define CLAIM (a >= b)
#elif CASE == 3
#define CLAIM (a != b)
#else
#define CLAIM 1
#endif
#elif CASE == 5 /* two each: a thread's own never go back */
static void *first(void *unused)
{
    long before = now();
    assert(now() >= before);
    return unused;
}
#define second first
#define CLAIM 1
#elif CASE <= 7 /* who knows of a reading never reads an earlier time; 7: maybe the same */
static void *first(void *unused)
{
    a = now();
    atomic_store_explicit(&flag, 1, memory_order_release);
    return unused;
}
static void *second(void *unused)
{
    if (atomic_load_explicit(&flag, memory_order_acquire)) {
        b = now();
        assert(CASE == 6 ? b >= a : b > a);
    }
    return unused;
}
#define CLAIM 1
#elif CASE == 8 /* who knows of one that has slept reads what comes after */
static void *first(void *unused)
{
    nanosleep(&(struct timespec){.tv_sec = 2}, NULL);
    return unused;
}
#define second first
#define CLAIM (now() - a >= 2000000000)
#elif CASE == 9 /* a loop until a deadline ends */
static void *first(void *unused)
{
    long end = now() + 500;
    while (now() < end)
        ;
    return unused;
}
static void *second(void *unused) { return unused; }
#define CLAIM 1
#endif

int main(void)
{
    pthread_t t, u;
    a = now();
    b = CASE == 8 ? 0 : a;
    pthread_create(&t, NULL, first, NULL);
    pthread_create(&u, NULL, second, NULL);
#if CASE == 4 && defined THREE
    pthread_t v;
    long (*volatile read_clock)(void) = now;
    (void)read_clock;
#endif
    pthread_join(t, NULL);
    pthread_join(u, NULL);
    assert(CLAIM);
}
