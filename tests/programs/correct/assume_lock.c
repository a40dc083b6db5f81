// expect: holds
// args: --reductions=-symmetry
// executions: 6
// Three threads take a lock that each tries once and assumes to get: what is left are their 3! orders. (A thread whose
// assumption fails while another holds the lock is not stuck, nor is main, which waits for it.)
#include <heddle.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int lock;
static int inside;

static void *take(void *unused)
{
    heddle_assume(!atomic_exchange_explicit(&lock, 1, memory_order_acquire));
    inside++;
    atomic_store_explicit(&lock, 0, memory_order_release);
    return unused;
}

int main(void)
{
    pthread_t threads[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, take, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
}
