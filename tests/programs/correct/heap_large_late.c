// expect: holds
// executions: 21
// The large block is allocated after the read, in 21 executions with another value each (20 stores and the initial
// value). Together they need more than a thread's share of the heap, 4 GB: what an execution has allocated must be
// gone when the next one begins in the middle.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
static atomic_int x;
static void *reader(void *unused)
{
    (void)atomic_load(&x);
    char *block = malloc((size_t)256 << 20);
    assert(block);
    return unused;
}
int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, reader, NULL);
    for (int i = 1; i <= 20; i++)
        atomic_store(&x, i);
    pthread_join(thread, NULL);
    return 0;
}
