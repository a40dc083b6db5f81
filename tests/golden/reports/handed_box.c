/* A box from calloc is handed over by a pointer that orders nothing: the zeros in it race with the
 * reader, not the atomic store after them. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct box {
    atomic_int open;
};
static _Atomic(struct box *) handed;

static void *give(void *argument)
{
    struct box *box = calloc(1, sizeof *box);
    atomic_store_explicit(&box->open, 1, memory_order_release);
    atomic_store_explicit(&handed, box, memory_order_relaxed);
    return argument;
}

int main(void)
{
    pthread_t giver;
    pthread_create(&giver, NULL, give, NULL);
    struct box *box = atomic_load_explicit(&handed, memory_order_relaxed);
    int opened = box && atomic_load_explicit(&box->open, memory_order_acquire);
    pthread_join(giver, NULL);
    free(atomic_load(&handed));
    return opened > 1;
}
