/* What the paper's test does not reach: three threads, so that one passes the lock on to a thread that waits while
 * another comes; nodes that are used again. */
#include "driver.h"
#include "mcs_lock.h"

static struct mcs_lock lock;
static int shared;

static void *user(void *argument)
{
    struct mcs_node node;
    for (int i = 0; i < *(int *)argument; i++) {
        mcs_acquire(&lock, &node);
        shared++;
        mcs_release(&lock, &node);
    }
    return NULL;
}

int main(void)
{
    static int times;
    int count;
    pthread_t threads[3];
    if (scenario(2) == 0)
        count = 2, times = 2; /* as the paper's */
    else
        count = 3, times = 1;
    for (int i = 0; i < count; i++)
        threads[i] = start(user, &times);
    for (int i = 0; i < count; i++)
        finish(threads[i]);
    assert(shared == count * times);
}
