/* The paper's test: one thread enqueues a value, the other waits for it. */
#include "driver.h"
#include "spsc_queue.h"

static struct spsc_queue queue;

static void *producer(void *argument)
{
    spsc_enqueue(&queue, 1);
    return argument;
}

static void *consumer(void *argument)
{
    int value;
    spsc_dequeue(&queue, &value, true);
    assert(value == 1);
    return argument;
}

int main(void)
{
    spsc_init(&queue);
    pthread_t a = start(producer, NULL), b = start(consumer, NULL);
    finish(a);
    finish(b);
    spsc_destroy(&queue);
}
