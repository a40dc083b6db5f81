/* A ticket lock that gives its turn away without a release: the turn is what should order the two, not the
 * counter that hands out tickets. */
#include <pthread.h>
#include <stdatomic.h>

static atomic_uint tickets, turn;
static int balance;

static void *deposit(void *unused)
{
    unsigned mine = atomic_fetch_add_explicit(&tickets, 1, memory_order_relaxed);
    while (atomic_load_explicit(&turn, memory_order_acquire) != mine)
        ;
    balance++;
    atomic_store_explicit(&turn, mine + 1, memory_order_relaxed);
    return unused;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, deposit, NULL);
    pthread_create(&b, NULL, deposit, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
}
