// expect: violated assertion
// args: --model=tso
// A store to a byte stays in the store buffer like any other: both threads may miss each other's.
#include <assert.h>
#include <pthread.h>
#include <stdint.h>

static union {
    uint16_t both;
    uint8_t byte[2];
} word;
static int other, first, second;

static void *work(void *argument)
{
    __atomic_store_n(&word.byte[1], 1, __ATOMIC_RELEASE);
    first = __atomic_load_n(&other, __ATOMIC_ACQUIRE);
    return argument;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    __atomic_store_n(&other, 1, __ATOMIC_RELEASE);
    second = __atomic_load_n(&word.both, __ATOMIC_ACQUIRE);
    pthread_join(thread, NULL);
    assert(first || second);
}
