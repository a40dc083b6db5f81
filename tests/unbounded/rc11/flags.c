// Each thread raises its flag for ever and goes in if the other's is down; FENCE is the order between the two.
#include <pthread.h>
#include <stdatomic.h>
#ifndef FENCE
#define FENCE memory_order_seq_cst
#endif
static atomic_int flag[2];
static int shared;
static void *work(void *number)
{
    int self = number != 0;
    for (;;) {
        atomic_store_explicit(&flag[self], 1, memory_order_relaxed);
        atomic_thread_fence(FENCE);
        if (!atomic_load_explicit(&flag[!self], memory_order_acquire))
            shared = !shared;
        atomic_store_explicit(&flag[self], 0, memory_order_release);
    }
    return number;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, work, &t);
    work(NULL);
}
