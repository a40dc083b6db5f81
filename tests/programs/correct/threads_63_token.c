// expect: holds
// executions: 1
// 63 threads pass a token: each waits for the one before it, so there is one order.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#define THREADS 63
#ifndef PASS_ON
#define PASS_ON(self) memory_order_release
#endif
static _Atomic int turn;
static int sum;

static void *pass(void *argument)
{
    int self = (int)(long)argument;
    while (atomic_load_explicit(&turn, memory_order_acquire) != self)
        ;
    sum += self;
    atomic_store_explicit(&turn, self + 1, PASS_ON(self));
    return NULL;
}

int main(void)
{
    pthread_t threads[THREADS];
    for (long i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, pass, (void *)i);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    assert(sum == THREADS * (THREADS - 1) / 2);
}
