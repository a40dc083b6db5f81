// expect: holds
// executions: 1
// Of the two executions, in which main reads 0 or 1, the second is assumed.
#include <assert.h>
#include <heddle.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x;

static void *writer(void *unused)
{
    atomic_store(&x, 1);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, writer, NULL);
    int seen = atomic_load(&x);
    heddle_assume(seen);
    assert(seen == 1);
    pthread_join(thread, NULL);
}
