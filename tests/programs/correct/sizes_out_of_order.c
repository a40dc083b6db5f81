// expect: inconclusive
// executions: 3
// rc11 lets the store to a byte take effect after a store to both bytes that depends on what its thread
// does later. That execution is not explored, and the answer says so.
#include <assert.h>
#include <pthread.h>
#include <stdint.h>

static union {
    uint16_t both;
    uint8_t byte[2];
} word;
static int flag;

static void *work(void *argument)
{
    __atomic_store_n(&word.byte[0], 1, __ATOMIC_RELAXED);
    __atomic_store_n(&flag, 1, __ATOMIC_RELAXED);
    return argument;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    int seen = __atomic_load_n(&flag, __ATOMIC_RELAXED);
    __atomic_store_n(&word.both, 0x0202, __ATOMIC_RELAXED);
    pthread_join(thread, NULL);
    assert(!(seen && __atomic_load_n(&word.both, __ATOMIC_RELAXED) == 0x0201));
}
