// expect: holds
// A release store to one byte is read through another thread's store to the byte beside it: the read
// synchronises with the store that gave it its byte.
#include <assert.h>
#include <pthread.h>
#include <stdint.h>

static union {
    uint16_t both;
    uint8_t byte[2];
} word;
static int data, seen;

#ifndef BESIDE
#define BESIDE 1
#endif
#ifndef CHECK
#define CHECK assert(seen == 1)
#endif

static void *publish(void *argument)
{
    data = 1;
    __atomic_store_n(&word.byte[0], 1, __ATOMIC_RELEASE);
    return argument;
}

static void *disturb(void *argument)
{
    __atomic_store_n(&word.byte[BESIDE], 1, __ATOMIC_RELAXED);
    return argument;
}

int main(void)
{
    pthread_t threads[2];
    (void)__atomic_load_n(&word.both, __ATOMIC_RELAXED);
    pthread_create(&threads[0], NULL, publish, NULL);
    pthread_create(&threads[1], NULL, disturb, NULL);
    if (__atomic_load_n(&word.byte[0], __ATOMIC_ACQUIRE) == 1) {
        seen = data;
        CHECK;
    }
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
}
