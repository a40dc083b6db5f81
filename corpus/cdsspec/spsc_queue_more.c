/* What the paper's test does not reach: nodes that are used again, several elements, an empty queue. */
#include "driver.h"
#include "spsc_queue.h"

static struct spsc_queue queue;

static void *producer(void *argument)
{
    for (int i = 1; i <= *(int *)argument; i++)
        spsc_enqueue(&queue, i);
    return NULL;
}

static void *consumer(void *argument)
{
    int value, expected = 1;
    for (int i = 0; i < *(int *)argument; i++)
        if (spsc_dequeue(&queue, &value, false))
            assert(value == expected++);
    return NULL;
}

int main(void)
{
    static int puts, gets;
    int value, before = 0, last;
    spsc_init(&queue);
    switch (scenario(2)) {
    case 0:
        puts = 2, gets = 2;
        break;
    default: /* the node that the first one left is used for the third */
        puts = 3, gets = 2;
        break;
    }
    pthread_t a = start(producer, &puts), b = start(consumer, &gets);
    finish(a);
    finish(b);
    for (last = 0; spsc_dequeue(&queue, &value, false); last = value)
        assert(!before || value == before + 1), before = value;
    assert(last == puts || !last);
    spsc_destroy(&queue);
}
