/* The paper's test: two threads, each reads a variable under the read lock, then writes it under the write lock. */
#include "driver.h"
#include "linux_rwlock.h"

static struct rwlock lock;
static int shared;

static void *user(void *argument)
{
    rwlock_read_lock(&lock);
    int seen = shared;
    rwlock_read_unlock(&lock);
    rwlock_write_lock(&lock);
    assert(shared >= seen);
    shared++;
    rwlock_write_unlock(&lock);
    return argument;
}

int main(void)
{
    rwlock_init(&lock);
    pthread_t a = start(user, NULL), b = start(user, NULL);
    finish(a);
    finish(b);
    assert(shared == 2);
}
