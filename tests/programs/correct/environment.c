// expect: holds
// executions: 2
/* What a program does may depend on its environment: two threads with ROUNDS increments each have
 * (2 ROUNDS)! / (ROUNDS!)^2 orders of these. Journals, shares and ranks must not mix two of them
 * (38_shards, cluster/ranks.sh). */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static atomic_int x;
static int rounds;

static void *count(void *none)
{
    for (int i = 0; i < rounds; i++)
        atomic_fetch_add(&x, 1);
    return none;
}

int main(void)
{
    const char *text = getenv("ROUNDS");
    pthread_t a, b;
    rounds = text ? atoi(text) : 1;
    pthread_create(&a, NULL, count, NULL);
    pthread_create(&b, NULL, count, &b); /* another argument: no equal threads, all orders count */
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
