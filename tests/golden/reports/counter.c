/* Two threads count without a lock. */
#include <pthread.h>

static struct statistics {
    int hits, misses;
} statistics;

static void *work(void *unused)
{
    statistics.hits++;
    return unused;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, work, NULL);
    pthread_create(&b, NULL, work, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
}
