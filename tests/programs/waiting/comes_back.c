/* A thread reads x, y and x again until x has twice the same value; another one lets x be 1, 0 again
 * and then 2 for good. The last round has read one write twice, 4 ways, or x before and after it
 * was 1: 5 executions. No write after the last one gives x back a value that it had, so that store
 * need not revisit the load that confirms (doc/proofs/returning.md). With all rounds: let f(i) be
 * the number of ways from a round that begins when i stores are visible; f(i) is the sum over first
 * and last read, i <= a <= b <= 3, of 1 if their values are equal and f(b) if not. So f(3) = 1, f(2)
 * = 3, f(1) = 8, f(0) = 19. */
#include <pthread.h>
#include <stdatomic.h>
static atomic_int x, y;

static void *look(void *argument)
{
    int first, between;
    do {
        first = atomic_load(&x);
        between = atomic_load(&y);
    } while (atomic_load(&x) != first);
    (void)between;
    return argument;
}

static void *change(void *argument)
{
    atomic_store(&x, 1);
    atomic_store(&x, 0);
    atomic_store(&x, 2);
    return argument;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, look, NULL);
    pthread_create(&threads[1], NULL, change, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}
