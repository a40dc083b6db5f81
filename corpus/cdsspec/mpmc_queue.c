/* The paper's test: one reader, two writers, and an element that is there from the beginning. */
#include "driver.h"
#include "mpmc_queue.h"

static struct mpmc_queue queue;

static void *writer(void *argument)
{
    int *slot = mpmc_write_prepare(&queue);
    assert(slot);
    *slot = *(int *)argument;
    mpmc_write_publish(&queue);
    return NULL;
}

static void *reader(void *argument)
{
    int *slot = mpmc_read_fetch(&queue);
    assert(slot && *slot == 1);
    mpmc_read_consume(&queue);
    return argument;
}

int main(void)
{
    static int values[] = {1, 2, 3};
    mpmc_init(&queue);
    writer(&values[0]);
    pthread_t a = start(writer, &values[1]), b = start(writer, &values[2]), c = start(reader, NULL);
    finish(a);
    finish(b);
    finish(c);
}
