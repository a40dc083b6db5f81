/* A message is published by a relaxed store: nothing orders its text before the flag. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static int text;
static atomic_int ready;

static void *sender(void *unused)
{
    text = 42;
    atomic_store_explicit(&ready, 1, memory_order_relaxed);
    return unused;
}

static void *receiver(void *unused)
{
    if (atomic_load_explicit(&ready, memory_order_acquire))
        assert(text == 42);
    return unused;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, sender, NULL);
    pthread_create(&b, NULL, receiver, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
}
