/* The first interface of CDSSpec's benchmark, where 0 means both the number and an empty queue: -DZERO_IS_EMPTY. Tests
 * that enqueue other numbers never notice. */
#define ZERO_IS_EMPTY
#include "driver.h"
#include "ms_queue.h"
#ifndef FIRST
#define FIRST 0
#endif

static struct ms_queue queue;
static struct ms_pool pools[2];

static void *consumer(void *argument)
{
    ms_dequeue(&queue, &pools[1]);
    return argument;
}

int main(void)
{
    ms_init(&queue);
    ms_pool_init(&pools[0], 2, 2);
    ms_pool_init(&pools[1], 4, 1);
    pthread_t a = start(consumer, NULL);
    ms_enqueue(&queue, &pools[0], FIRST);
    finish(a);
}
