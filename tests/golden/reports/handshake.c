/* Each side waits for the other to begin. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

static atomic_bool left_ready, right_ready;

static void *left(void *unused)
{
    while (!atomic_load(&right_ready))
        ;
    atomic_store(&left_ready, true);
    return unused;
}

static void *right(void *unused)
{
    while (!atomic_load(&left_ready))
        ;
    atomic_store(&right_ready, true);
    return unused;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, left, NULL);
    pthread_create(&b, NULL, right, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
}
