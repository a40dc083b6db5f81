// expect: holds
// executions: 6
/* As library_then_waits.c, with a loop that retries: three threads add one by compare-exchange, and
 * each calls a function that is not restored. Executions without a failed try: the 3! orders. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

static atomic_int sum;

static void *adder(void *text)
{
    int by = 0;
    sscanf(text, "%d", &by);
    int old = atomic_load(&sum);
    while (!atomic_compare_exchange_strong(&sum, &old, old + by))
        ;
    return NULL;
}

int main(void)
{
    pthread_t threads[3];
    char text[3][2] = {"1", "2", "4"};
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, adder, text[i]);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    assert(atomic_load(&sum) == 7);
    return 0;
}
