// asks: run --time=2s --model=sc --preemptions=14 -DSTEPS=30
// reason: the time limit of 2 s was reached
// advice: a sample, which can find a bug but not exclude one: --schedules=100000
// then: run --model=sc -DSTEPS=30 @--schedules
// better: violated
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
static atomic_int noise[4], level;
static void *rise(void *number)
{
    for (int i = 0; i < STEPS; i++)
        atomic_store(&noise[i % 4], atomic_load(&noise[(i + 1 + (number != NULL)) % 4]) + 1);
    atomic_fetch_add(&level, 1);
    return number;
}
int main(void)
{
    pthread_t thread[4];
    for (int i = 0; i < 4; i++)
        pthread_create(&thread[i], NULL, rise, i % 2 ? &noise[i] : NULL);
    int seen = atomic_load(&level);
    for (int i = 0; i < 4; i++)
        pthread_join(thread[i], NULL);
    assert(seen != 3);
}
