// expect: violated assertion
// The assertion fails only after four rounds of a wait loop without end: no bound may hide it.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
static atomic_int flag;
static void *waiter(void *arg)
{
    int n = 0;
    while (!atomic_load(&flag))
        n++;
    assert(n != 4);
    return arg;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, waiter, NULL);
    atomic_store(&flag, 1);
    pthread_join(t, NULL);
    return 0;
}
