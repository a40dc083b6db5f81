// expect: violated misuse
// A pointer with a tag in its lowest bit is followed without taking the tag off: only in an execution where the tag is there.
#include <pthread.h>
#include <stdatomic.h>
static _Atomic long value[2];
static _Atomic(char *) tagged;
static void *mark(void *arg)
{
    atomic_store_explicit(&tagged, (char *)&value[0] + 1, memory_order_release);
    return arg;
}
int main(void)
{
    pthread_t t;
    atomic_store(&tagged, (char *)&value[0]);
    pthread_create(&t, NULL, mark, NULL);
    atomic_fetch_add((_Atomic long *)atomic_load_explicit(&tagged, memory_order_acquire), 1);
    pthread_join(t, NULL);
    return 0;
}
