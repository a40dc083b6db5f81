/* A pool hands out slots of one block; compiled with -DINSIDE a slot is freed as if it were a block. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static int *slots;
static atomic_int next;

static void *take(void *unused)
{
    int number = atomic_fetch_add(&next, 1);
#ifdef INSIDE
    if (number == 1)
        free(&slots[number]);
#else
    slots[number * 2] = number; /* the block has three slots */
#endif
    return unused;
}

int main(void)
{
    slots = malloc(3 * sizeof *slots);
    pthread_t a, b, c;
    pthread_create(&a, NULL, take, NULL);
    pthread_create(&b, NULL, take, NULL);
    pthread_create(&c, NULL, take, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    pthread_join(c, NULL);
}
