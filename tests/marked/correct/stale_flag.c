// expect: holds
// args: --model=tso
// As wrong/stale_flag.c: stores of one thread are seen in their order under tso (and sc).
#include <heddle.h>
#include <pthread.h>
#include <stdatomic.h>
static atomic_int a, b;
static void set(atomic_int *cell, int which)
{
    HD_BEGIN("cells", "set", HD_INT(which));
    atomic_store_explicit(cell, 1, memory_order_relaxed);
    HD_END(HD_VOID);
}
static void get(atomic_int *cell, int which)
{
    HD_BEGIN("cells", "get", HD_INT(which));
    int value = atomic_load_explicit(cell, memory_order_relaxed);
    HD_END(HD_INT(value));
}
static void *writer(void *unused)
{
    set(&a, 0);
    set(&b, 1);
    return unused;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, writer, NULL);
    get(&b, 1);
    get(&a, 0);
    pthread_join(t, NULL);
    return 0;
}
