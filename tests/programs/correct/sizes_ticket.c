// expect: holds
// A ticket lock that is taken with one 32-bit fetch-add and read and given back by halves.
#include <assert.h>
#include <pthread.h>
#include <stdint.h>

static union {
    uint32_t both;
    struct {
        uint16_t next, owner;
    } half;
} lock;
static int counter;

#ifndef GIVE_BACK
#define GIVE_BACK __ATOMIC_RELEASE
#endif

static void *work(void *argument)
{
    uint16_t ticket = (uint16_t)__atomic_fetch_add(&lock.both, 1, __ATOMIC_RELAXED);
    while (__atomic_load_n(&lock.half.owner, __ATOMIC_ACQUIRE) != ticket)
        ;
    counter++;
    __atomic_store_n(&lock.half.owner, (uint16_t)(ticket + 1), GIVE_BACK);
    return argument;
}

int main(void)
{
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, work, NULL);
    work(NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    assert(counter == 3);
}
