/* A reader tells that it reads, by a store that is too weak; the writer waits until nobody does, and frees. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct node {
    int value;
};
static _Atomic(struct node *) head;
static atomic_int reading;

static void *read_it(void *unused)
{
    atomic_store_explicit(&reading, 1, memory_order_relaxed);
    int value = atomic_load(&head)->value;
    atomic_store_explicit(&reading, 0, memory_order_release);
    return value ? unused : NULL;
}

int main(void)
{
    struct node *old = calloc(1, sizeof *old);
    atomic_init(&head, old);
    pthread_t reader;
    pthread_create(&reader, NULL, read_it, NULL);
    atomic_store(&head, calloc(1, sizeof *old));
    while (atomic_load(&reading))
        ;
    free(old);
    pthread_join(reader, NULL);
    free(atomic_load(&head));
}
