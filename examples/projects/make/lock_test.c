#include "lock.h"
#include <assert.h>
#include <pthread.h>

static struct lock lock;
static int balance;

static void *pay_in(void *unused)
{
    lock_acquire(&lock);
    balance += 10;
    lock_release(&lock);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, pay_in, NULL);
    pay_in(NULL);
    pthread_join(thread, NULL);
    assert(balance == 20);
    return 0;
}
