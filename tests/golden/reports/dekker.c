/* Dekker's entry: each raises its flag and looks at the other's. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int wants[2];
static atomic_int inside;

static void *enter(void *argument)
{
    int me = (int)(long)argument;
    atomic_store_explicit(&wants[me], 1, memory_order_release);
    if (!atomic_load_explicit(&wants[1 - me], memory_order_acquire)) {
        int others = atomic_fetch_add(&inside, 1);
        assert(others == 0);
        atomic_fetch_sub(&inside, 1);
    }
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, enter, (void *)0L);
    pthread_create(&b, NULL, enter, (void *)1L);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
}
