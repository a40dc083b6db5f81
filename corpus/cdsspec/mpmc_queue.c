/* The paper's test (section 6.1): two threads, each of which enqueues an item and dequeues one. A thread that has
 * enqueued finds an item, since nobody dequeues more than he enqueues. */
#include "driver.h"
#include "mpmc_queue.h"

static struct mpmc_queue queue;

static void *both(void *argument)
{
    int *value = argument, *slot = mpmc_write_prepare(&queue);
    assert(slot);
    *slot = *value;
    mpmc_write_publish(&queue);
    slot = mpmc_read_fetch(&queue);
    assert(slot && (*slot == 1 || *slot == 2));
    *value = *slot;
    mpmc_read_consume(&queue);
    return NULL;
}

int main(void)
{
    static int values[] = {1, 2};
    mpmc_init(&queue);
    pthread_t a = start(both, &values[0]), b = start(both, &values[1]);
    finish(a);
    finish(b);
    assert(values[0] + values[1] == 3); /* each item once */
}
