// expect: holds
// A loop with a fixed number of rounds that gives up is explored to its end.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
static atomic_int flag;
static int data;
static void *waiter(void *arg)
{
    for (int i = 0; i < 4; i++)
        if (atomic_load_explicit(&flag, memory_order_acquire)) {
            assert(data == 1);
            break;
        }
    return arg;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, waiter, NULL);
    data = 1;
    atomic_store_explicit(&flag, 1, memory_order_release);
    pthread_join(t, NULL);
    return 0;
}
