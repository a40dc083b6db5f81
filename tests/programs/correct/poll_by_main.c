// expect: holds
// executions: 1
// main looks at a flag under a lock made of atomics. A thread whose exchange fails meanwhile waits for a lock that is
// free by then, and is not stuck. Rounds that find nothing are left out, so the thread comes first.
#include <pthread.h>
#include <stdatomic.h>
static atomic_int lock;
static int done, data;
static void take(void) { while (atomic_exchange_explicit(&lock, 1, memory_order_acquire)) {} }
static void give(void) { atomic_store_explicit(&lock, 0, memory_order_release); }
static void *set(void *arg)
{
    take();
    data = 42;
    done = 1;
    give();
    return arg;
}
int main(void)
{
    pthread_t setter;
    pthread_create(&setter, 0, set, 0);
    for (int found = 0; !found;) {
        take();
        found = done;
        give();
    }
    int got = data;
    pthread_join(setter, 0);
    return got != 42;
}
