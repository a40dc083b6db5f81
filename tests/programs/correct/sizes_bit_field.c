// expect: holds
// Bit fields beside an atomic byte: one thread writes the fields plainly, the other the byte; both are
// read as one word when the thread is joined.
#include <assert.h>
#include <pthread.h>
#include <stdint.h>

static union {
    uint32_t all;
    struct {
        uint8_t flag, filler;
        uint16_t low : 4, high : 12;
    } part;
} word;

static void *work(void *argument)
{
    word.part.low = 5;
    word.part.high = 0x123;
    return argument;
}

int main(void)
{
    pthread_t thread;
    assert(__atomic_load_n(&word.all, __ATOMIC_RELAXED) == 0);
    pthread_create(&thread, NULL, work, NULL);
    __atomic_store_n(&word.part.flag, 7, __ATOMIC_RELAXED);
    assert(__atomic_load_n(&word.part.flag, __ATOMIC_RELAXED) == 7);
#ifdef EARLY
    assert(__atomic_load_n(&word.all, __ATOMIC_RELAXED) & 7);
#endif
    pthread_join(thread, NULL);
    assert(__atomic_load_n(&word.all, __ATOMIC_RELAXED) == 0x12350007);
}
