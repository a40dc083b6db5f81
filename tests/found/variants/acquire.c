/* Races of read-modify-writes, and what their own acquire rules out. */
#include <pthread.h>
#include <stdatomic.h>
static int flag, data;
#define LOAD(o) __atomic_load_n(&flag, o)
#define STORE(v, o) __atomic_store_n(&flag, v, o)
static void *t(void *a)
{
    int seen = 1;
#if V == 1 || V == 11
    while (LOAD(__ATOMIC_RELAXED) != 1)
        ;
    __atomic_fetch_add(&flag, 2, V == 1 ? __ATOMIC_ACQUIRE : __ATOMIC_RELAXED);
#elif V == 2
    while (LOAD(__ATOMIC_RELAXED) != 1)
        ;
    __atomic_fetch_or(&flag, 2, __ATOMIC_ACQ_REL);
#elif V == 3
    while (LOAD(__ATOMIC_RELAXED) != 1)
        ;
    __atomic_exchange_n(&flag, 2, __ATOMIC_SEQ_CST);
#elif V == 4
    __atomic_compare_exchange_n(&flag, &seen, 2, 1, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
#elif V == 5
    seen = 5;
    __atomic_compare_exchange_n(&flag, &seen, 2, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
#elif V == 6
    if (__atomic_compare_exchange_n(&flag, &seen, 2, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
        data++;
#elif V == 7 || V == 12
    if (!__atomic_compare_exchange_n(&flag, &seen, 2, 0, __ATOMIC_RELAXED, V == 7 ? __ATOMIC_ACQUIRE : __ATOMIC_RELAXED) &&
        seen == 3)
        data++;
#elif V == 8
    if (__atomic_fetch_add(&flag, 0, __ATOMIC_ACQUIRE) == 1)
        flag = 7;
#elif V == 9
    while (!__atomic_compare_exchange_n(&flag, &seen, 2, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
        seen = 1;
    flag++;
#elif V == 10
    while (LOAD(__ATOMIC_RELAXED) != 1)
        ;
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
    flag = 2;
#endif
    return a;
}
int main(void)
{
    pthread_t a;
    pthread_create(&a, 0, t, 0);
    int v = flag;
    (void)v;
    data = 1;
#if V != 5
    STORE(V == 7 || V == 12 ? 3 : 1, __ATOMIC_RELEASE);
#endif
    pthread_join(a, 0);
    return 0;
}
