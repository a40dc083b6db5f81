// expect: holds
// args: -mcx16
// only if: defined __x86_64__
// The second half of a 16-byte atomic is read plainly when its thread has ended, and nothing reads the
// first half before.
#include <assert.h>
#include <pthread.h>
#include <stdint.h>

static struct {
    uint64_t low, high;
} pair __attribute__((aligned(16)));

static void *work(void *argument)
{
    __atomic_store_n((unsigned __int128 *)&pair, (unsigned __int128)2 << 64 | 1, __ATOMIC_RELEASE);
    return argument;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    pthread_join(thread, NULL);
    assert(pair.high == 2 && pair.low == 1);
    pair.high = 3;
    assert(__atomic_load_n((unsigned __int128 *)&pair, __ATOMIC_RELAXED) >> 64 == 3);
}
