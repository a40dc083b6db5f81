// expect: holds
// executions: 2
// A volatile access counts as a relaxed one, also to a variable on a stack that another thread has the address of: the
// two stores have two coherence orders.
#include <pthread.h>
static void *child(void *at)
{
    *(volatile int *)at = 1;
    return at;
}
int main(void)
{
    volatile int local = 0;
    pthread_t thread;
    pthread_create(&thread, 0, child, (void *)&local);
    local = 2;
    pthread_join(thread, 0);
    return 0;
}
