/* The paper's test: one thread enqueues, another dequeues. */
#include "driver.h"
#include "ms_queue.h"

static struct ms_queue *queue;
static struct ms_pool pools[2];
static int payload[2]; /* what is handed over: its readers need it to be there */

static void *producer(void *argument)
{
    payload[1] = 17;
    ms_enqueue(queue, &pools[0], 1);
    return argument;
}

static void *consumer(void *argument)
{
    int value;
    if (ms_dequeue(queue, &pools[1], &value)) {
        assert(value == 1);
        assert(payload[value] == 17);
    }
    return argument;
}

int main(void)
{
    queue = malloc(sizeof *queue);
    ms_init(queue);
    ms_pool_init(&pools[0], 2, 1);
    ms_pool_init(&pools[1], 3, 1);
    pthread_t a = start(producer, NULL), b = start(consumer, NULL);
    finish(a);
    finish(b);
    free(queue);
}
