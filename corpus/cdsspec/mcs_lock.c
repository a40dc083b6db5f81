/* The paper's test: two threads, each takes the lock twice; one writes, then reads, the other reads, then writes. */
#include "driver.h"
#include "mcs_lock.h"

static struct mcs_lock lock;
static int shared;

static void *writes_first(void *argument)
{
    struct mcs_node node;
    mcs_acquire(&lock, &node);
    shared = 17;
    mcs_release(&lock, &node);
    mcs_acquire(&lock, &node);
    assert(shared == 17 || shared == 18);
    mcs_release(&lock, &node);
    return argument;
}

static void *reads_first(void *argument)
{
    struct mcs_node node;
    mcs_acquire(&lock, &node);
    assert(shared == 0 || shared == 17);
    mcs_release(&lock, &node);
    mcs_acquire(&lock, &node);
    shared = 18;
    mcs_release(&lock, &node);
    return argument;
}

int main(void)
{
    pthread_t a = start(writes_first, NULL), b = start(reads_first, NULL);
    finish(a);
    finish(b);
}
