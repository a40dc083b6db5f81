// expect: violated assertion
// args: --model=pso
// Peterson's lock in plain memory, with a full fence before the waiting loop, as tso needs it. Under pso the
// store in the critical section may pass the one that leaves it: a store barrier is missing there
// (correct/peterson_pso.c has it).
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
static volatile int wants[2], turn;
static volatile int counter;
static void *work(void *x)
{
    int me = x != 0;
    wants[me] = 1;
#ifdef BARRIER
    atomic_thread_fence(memory_order_release);
#endif
    turn = !me;
    atomic_thread_fence(memory_order_seq_cst);
    while (wants[!me] && turn == !me)
        ;
    counter = counter + 1;
#ifdef BARRIER
    atomic_thread_fence(memory_order_release);
#endif
    wants[me] = 0;
    return 0;
}
int main(void)
{
    static int one;
    pthread_t t;
    pthread_create(&t, 0, work, &one);
    work(0);
    pthread_join(t, 0);
    assert(counter == 2);
    return 0;
}
