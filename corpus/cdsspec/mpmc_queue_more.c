/* What the paper's test does not reach: slots that are used again (the queue has one or two), a reader of each element,
 * a full and an empty queue. */
#define MPMC_SLOTS 2
#include "driver.h"
#include "mpmc_queue.h"

static struct mpmc_queue queue;
static int taken[4]; /* by value: how often; only after the threads have ended */

static bool put(int value)
{
    int *slot = mpmc_write_prepare(&queue);
    if (!slot)
        return false;
    *slot = value;
    mpmc_write_publish(&queue);
    return true;
}

static int get(void)
{
    int *slot = mpmc_read_fetch(&queue);
    if (!slot)
        return 0;
    int value = *slot;
    assert(value >= 1 && value <= 3);
    mpmc_read_consume(&queue);
    return value;
}

static void *writer(void *argument)
{
    int *value = argument;
    if (!put(*value))
        *value = 0;
    return NULL;
}

static void *reader(void *result)
{
    *(int *)result = get();
    return NULL;
}

static void *reader_and_writer(void *result)
{
    *(int *)result = get();
    assert(put(3));
    return NULL;
}

int main(void)
{
    int first = 0, second = 0, left;
    static int values[] = {1, 2, 3};
    mpmc_init(&queue);
    pthread_t a, b;
    switch (scenario(4)) {
    case 0: /* one writes, one reads */
        a = start(writer, &values[0]), b = start(reader, &first);
        taken[1]--;
        break;
    case 1: /* two readers of a full queue */
        put(1), put(2);
        taken[1]--, taken[2]--;
        a = start(reader, &first), b = start(reader, &second);
        break;
    case 2: /* full: the reader makes room, and the writer uses it or not */
        put(1), put(2);
        taken[1]--, taken[2]--;
        a = start(reader, &first), b = start(writer, &values[2]);
        taken[3]--;
        break;
    default: /* full: a reader that writes, and another that reads */
        put(1), put(2);
        taken[1]--, taken[2]--, taken[3]--;
        a = start(reader_and_writer, &first), b = start(reader, &second);
        break;
    }
    finish(a);
    finish(b);
    taken[first]++;
    taken[second]++;
    while ((left = get()))
        taken[left]++;
    if (values[0] == 0 || values[2] == 0) /* there was no room */
        taken[values[0] == 0 ? 1 : 3]++;
    for (int i = 1; i <= 3; i++)
        assert(taken[i] == 0);
}
